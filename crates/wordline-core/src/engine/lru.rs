//! A map that knows which of its keys was used longest ago.

use std::hash::{BuildHasher, Hash};

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{Chain, Slab};

/// Keys with values, in the order of their last use. The hash table inside is only ever asked for
/// single keys: its order never shows.
///
/// A key that is there has a place, by which it is reached without looking it up again.
#[derive(Debug)]
pub struct Lru<K, V> {
    places: HashTable<u32>,
    nodes: Slab<(K, V)>,
    order: Chain,
}

impl<K, V> Default for Lru<K, V> {
    fn default() -> Self {
        Lru { places: HashTable::new(), nodes: Slab::default(), order: Chain::default() }
    }
}

#[inline]
fn hash<K: Hash>(key: &K) -> u64 {
    FxBuildHasher.hash_one(key)
}

impl<K: Copy + Eq + Hash, V: Copy> Lru<K, V> {
    /// Number of keys.
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.order.len()
    }

    /// True when there are no keys.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.order.is_empty()
    }

    /// Where a key is.
    #[inline]
    #[must_use]
    pub fn find(&self, key: K) -> Option<u32> {
        self.places.find(hash(&key), |&place| self.nodes[place].0 == key).copied()
    }

    /// The key of a place.
    #[inline]
    #[must_use]
    pub fn key(&self, place: u32) -> K {
        self.nodes[place].0
    }

    /// The value of a place.
    #[inline]
    #[must_use]
    pub fn value(&self, place: u32) -> &V {
        &self.nodes[place].1
    }

    /// The value of a place, to change; it does not count as a use.
    #[inline]
    pub fn value_mut(&mut self, place: u32) -> &mut V {
        &mut self.nodes[place].1
    }

    /// The key of a place becomes the newest.
    #[inline]
    pub fn touch(&mut self, place: u32) {
        self.order.touch(place);
    }

    /// The value of a key, without counting as a use.
    #[inline]
    #[must_use]
    pub fn peek(&self, key: K) -> Option<&V> {
        self.find(key).map(|place| self.value(place))
    }

    /// The value of a key, to change, without counting as a use.
    #[inline]
    pub fn peek_mut(&mut self, key: K) -> Option<&mut V> {
        let place = self.find(key)?;
        Some(self.value_mut(place))
    }

    /// The value of a key, which becomes the newest.
    #[inline]
    pub fn get_mut(&mut self, key: K) -> Option<&mut V> {
        let place = self.find(key)?;
        self.touch(place);
        Some(self.value_mut(place))
    }

    /// Adds a key that is not there, as the newest; returns its place.
    #[inline]
    pub fn insert(&mut self, key: K, value: V) -> u32 {
        debug_assert!(self.find(key).is_none(), "a key is inserted once");
        let place = self.nodes.insert((key, value));
        let Lru { places, nodes, order } = self;
        places.insert_unique(hash(&key), place, |&other| hash(&nodes[other].0));
        order.push(place);
        place
    }

    /// Removes the key of a place.
    #[inline]
    pub fn remove(&mut self, place: u32) {
        if let Ok(entry) = self.places.find_entry(hash(&self.nodes[place].0), |&other| other == place) {
            entry.remove();
        }
        self.order.remove(place);
        self.nodes.remove(place);
    }

    /// The place of the key used longest ago.
    #[inline]
    #[must_use]
    pub fn oldest(&self) -> Option<u32> {
        self.order.oldest()
    }

    /// Keys from the one used longest ago to the newest.
    pub fn from_oldest(&self) -> impl Iterator<Item = (K, V)> {
        self.places_from_oldest().map(|place| self.nodes[place])
    }

    /// Places from that of the key used longest ago to that of the newest.
    pub fn places_from_oldest(&self) -> impl Iterator<Item = u32> {
        self.order.from_oldest()
    }
}

/// A state is its keys and values, from the one used longest ago to the newest.
impl<K: Copy + Eq + Hash + Serialize, V: Copy + Serialize> Serialize for Lru<K, V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.from_oldest().collect::<Vec<_>>().serialize(serializer)
    }
}

impl<'de, K, V> Deserialize<'de> for Lru<K, V>
where
    K: Copy + Eq + Hash + Deserialize<'de>,
    V: Copy + Deserialize<'de>,
{
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Lru<K, V>, D::Error> {
        let mut lru = Lru::default();
        for (key, value) in Vec::<(K, V)>::deserialize(deserializer)? {
            lru.insert(key, value);
        }
        Ok(lru)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn keeps_the_order_of_use(uses in prop::collection::vec((0u32..12, any::<bool>()), 0..200)) {
            let mut lru = Lru::default();
            let mut model: Vec<u32> = Vec::new();
            for (key, remove) in uses {
                model.retain(|&k| k != key);
                if remove {
                    let place = lru.find(key);
                    place.into_iter().for_each(|place| lru.remove(place));
                } else {
                    if lru.get_mut(key).is_none() {
                        lru.insert(key, ());
                    }
                    model.push(key);
                }
                let order: Vec<u32> = lru.from_oldest().map(|(k, ())| k).collect();
                prop_assert_eq!(&order, &model);
                prop_assert_eq!(lru.oldest().map(|place| lru.key(place)), model.first().copied());
            }
        }
    }
}
