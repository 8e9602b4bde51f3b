//! A map that knows which of its keys was used longest ago.

use std::hash::Hash;

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::Slab;

const NONE: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
struct Node<K, V> {
    key: K,
    value: V,
    newer: u32,
    older: u32,
}

/// Keys with values, in the order of their last use. The hash map inside is only ever asked for
/// single keys: its order never shows.
#[derive(Debug)]
pub struct Lru<K, V> {
    places: HashMap<K, u32, FxBuildHasher>,
    nodes: Slab<Node<K, V>>,
    newest: u32,
    oldest: u32,
}

impl<K, V> Default for Lru<K, V> {
    fn default() -> Self {
        Lru { places: HashMap::default(), nodes: Slab::default(), newest: NONE, oldest: NONE }
    }
}

impl<K: Copy + Eq + Hash, V: Copy> Lru<K, V> {
    /// Number of keys.
    #[must_use]
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// True when there are no keys.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// The value of a key, without counting as a use.
    #[inline]
    #[must_use]
    pub fn peek(&self, key: K) -> Option<&V> {
        self.places.get(&key).map(|&place| &self.nodes[place].value)
    }

    /// The value of a key, to change, without counting as a use.
    #[inline]
    pub fn peek_mut(&mut self, key: K) -> Option<&mut V> {
        let place = *self.places.get(&key)?;
        Some(&mut self.nodes[place].value)
    }

    /// The value of a key, which becomes the newest.
    #[inline]
    pub fn get_mut(&mut self, key: K) -> Option<&mut V> {
        let place = *self.places.get(&key)?;
        if place != self.newest {
            self.unlink(place);
            self.link_newest(place);
        }
        Some(&mut self.nodes[place].value)
    }

    /// Adds a key that is not there, as the newest.
    pub fn insert(&mut self, key: K, value: V) {
        let place = self.nodes.insert(Node { key, value, newer: NONE, older: NONE });
        let replaced = self.places.insert(key, place);
        debug_assert!(replaced.is_none(), "a key is inserted once");
        self.link_newest(place);
    }

    /// Removes a key.
    pub fn remove(&mut self, key: K) -> Option<V> {
        let place = self.places.remove(&key)?;
        self.unlink(place);
        Some(self.nodes.remove(place).value)
    }

    /// The key used longest ago.
    #[must_use]
    pub fn oldest(&self) -> Option<(K, V)> {
        (self.oldest != NONE).then(|| (self.nodes[self.oldest].key, self.nodes[self.oldest].value))
    }

    /// Keys from the one used longest ago to the newest.
    pub fn from_oldest(&self) -> impl Iterator<Item = (K, V)> {
        let mut at = self.oldest;
        std::iter::from_fn(move || {
            if at == NONE {
                return None;
            }
            let node = self.nodes[at];
            at = node.newer;
            Some((node.key, node.value))
        })
    }

    fn unlink(&mut self, place: u32) {
        let Node { newer, older, .. } = self.nodes[place];
        if newer == NONE {
            self.newest = older
        } else {
            self.nodes[newer].older = older
        }
        if older == NONE { self.oldest = newer } else { self.nodes[older].newer = newer }
    }

    fn link_newest(&mut self, place: u32) {
        let before = self.newest;
        self.nodes[place].older = before;
        self.nodes[place].newer = NONE;
        if before == NONE {
            self.oldest = place
        } else {
            self.nodes[before].newer = place
        }
        self.newest = place;
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
                    lru.remove(key);
                } else {
                    if lru.get_mut(key).is_none() {
                        lru.insert(key, ());
                    }
                    model.push(key);
                }
                let order: Vec<u32> = lru.from_oldest().map(|(k, ())| k).collect();
                prop_assert_eq!(&order, &model);
                prop_assert_eq!(lru.oldest().map(|(k, ())| k), model.first().copied());
            }
        }
    }
}
