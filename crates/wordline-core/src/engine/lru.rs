//! A map that knows which of its keys was used longest ago.

use std::hash::{BuildHasher, Hash};

use rustc_hash::FxBuildHasher;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{Chain, Slab};

/// No place.
const NONE: u32 = u32::MAX;
/// Rows at first: a power of two.
const ROWS_MIN: usize = 16;

/// Places by the hash of what is there: those of one row are linked. A row is short, and links are by place, so that a place
/// comes and goes with a few loads, where a table that moves its entries needs several times as many instructions.
#[derive(Debug)]
struct Rows {
    first: Vec<u32>,
    /// By place.
    next: Vec<u32>,
}

impl Default for Rows {
    fn default() -> Rows {
        Rows { first: vec![NONE; ROWS_MIN], next: Vec::new() }
    }
}

impl Rows {
    #[inline]
    fn row_of(&self, hash: u64) -> usize {
        hash as usize & (self.first.len() - 1)
    }

    #[inline]
    fn find(&self, hash: u64, is_it: impl Fn(u32) -> bool) -> Option<u32> {
        let mut place = self.first[self.row_of(hash)];
        while place != NONE && !is_it(place) {
            place = self.next[place as usize];
        }
        (place != NONE).then_some(place)
    }

    /// Adds a place. Rows become more where there are as many places as half of them.
    #[inline]
    fn insert(&mut self, hash: u64, place: u32, hash_of: impl Fn(u32) -> u64) {
        if place as usize >= self.next.len() {
            self.next.resize(place as usize + 1, NONE);
            if self.next.len() > self.first.len() / 2 {
                self.make_more(hash_of);
            }
        }
        let row = self.row_of(hash);
        self.next[place as usize] = std::mem::replace(&mut self.first[row], place);
    }

    #[cold]
    fn make_more(&mut self, hash_of: impl Fn(u32) -> u64) {
        let count = 4 * self.first.len();
        for mut place in std::mem::replace(&mut self.first, vec![NONE; count]) {
            while place != NONE {
                let row = self.row_of(hash_of(place));
                let behind = std::mem::replace(&mut self.next[place as usize], self.first[row]);
                self.first[row] = place;
                place = behind;
            }
        }
    }

    #[inline]
    fn remove(&mut self, hash: u64, place: u32) {
        let row = self.row_of(hash);
        let behind = self.next[place as usize];
        let mut at = self.first[row];
        if at == place {
            self.first[row] = behind;
            return;
        }
        while self.next[at as usize] != place {
            at = self.next[at as usize];
        }
        self.next[at as usize] = behind;
    }
}

/// Keys with values, in the order of their last use. The rows inside are only ever asked for
/// single keys: their order never shows.
///
/// A key that is there has a place, by which it is reached without looking it up again.
#[derive(Debug)]
pub struct Lru<K, V> {
    places: Rows,
    nodes: Slab<(K, V)>,
    order: Chain,
}

impl<K, V> Default for Lru<K, V> {
    fn default() -> Self {
        Lru { places: Rows::default(), nodes: Slab::default(), order: Chain::default() }
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
        self.places.find(hash(&key), |place| self.nodes[place].0 == key)
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
        places.insert(hash(&key), place, |other| hash(&nodes[other].0));
        order.push(place);
        place
    }

    /// Removes the key of a place.
    #[inline]
    pub fn remove(&mut self, place: u32) {
        self.places.remove(hash(&self.nodes[place].0), place);
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
            if lru.find(key).is_some() {
                return Err(D::Error::custom("a key is there twice"));
            }
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
        fn keeps_the_order_of_use(uses in prop::collection::vec((0u32..60, any::<bool>()), 0..300)) {
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
                prop_assert!((0..60).all(|key| lru.find(key).is_some() == model.contains(&key)));
                let order: Vec<u32> = lru.from_oldest().map(|(k, ())| k).collect();
                prop_assert_eq!(&order, &model);
                prop_assert_eq!(lru.oldest().map(|place| lru.key(place)), model.first().copied());
            }
        }
    }
}
