//! A short sorted ring of event keys.

/// Places of the ring; a power of two.
const CAPACITY: usize = 128;
const MASK: usize = CAPACITY - 1;

/// Keys below `u128::MAX` in ascending order, one less than there are places. Putting one in near either
/// end costs little: only the keys between it and that end make room.
#[derive(Debug)]
pub(super) struct SortedRing {
    /// `u128::MAX` follows the last key.
    keys: Box<[u128; CAPACITY]>,
    head: u32,
    len: usize,
}

impl Default for SortedRing {
    fn default() -> Self {
        SortedRing { keys: Box::new([u128::MAX; CAPACITY]), head: 0, len: 0 }
    }
}

impl SortedRing {
    #[inline]
    pub fn is_full(&self) -> bool {
        self.len == CAPACITY - 1
    }

    #[inline]
    pub fn len(&self) -> usize {
        self.len
    }

    /// The key at a place counted from the least.
    #[inline(always)]
    fn at(&mut self, place: usize) -> &mut u128 {
        &mut self.keys[(self.head as usize).wrapping_add(place) & MASK]
    }

    /// Takes the least key out; returns the next, or `u128::MAX`.
    #[inline]
    pub fn pop(&mut self) -> u128 {
        debug_assert!(self.len > 0);
        self.head = self.head.wrapping_add(1);
        self.len -= 1;
        *self.at(0)
    }

    /// Puts a key in its place; the ring is not full.
    #[inline(always)]
    pub fn insert(&mut self, key: u128) {
        debug_assert!(!self.is_full());
        let len = self.len;
        // Where nothing is left, what was there last is as good a neighbour as any.
        if key < *self.at(len.wrapping_sub(1)) {
            return self.insert_between(key);
        }
        *self.at(len) = key;
        *self.at(len + 1) = u128::MAX;
        self.len = len + 1;
    }

    /// Puts a key where it belongs: not at the end.
    #[inline(never)]
    fn insert_between(&mut self, key: u128) {
        let len = self.len;
        self.len += 1;
        let mut place = len;
        if len > 1 && key < *self.at(len / 2) {
            // From the front.
            self.head = self.head.wrapping_sub(1);
            place = 0;
            while *self.at(place + 1) < key {
                *self.at(place) = *self.at(place + 1);
                place += 1;
            }
        } else {
            // From the back.
            *self.at(len + 1) = u128::MAX;
            while place > 0 && key < *self.at(place - 1) {
                *self.at(place) = *self.at(place - 1);
                place -= 1;
            }
        }
        *self.at(place) = key;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn stays_sorted(steps in prop::collection::vec((0u128..1000, any::<bool>()), 1..600)) {
            let mut ring = SortedRing::default();
            let mut model: Vec<u128> = Vec::new();
            let least = |ring: &mut SortedRing| *ring.at(0);
            for (i, (key, pop)) in steps.into_iter().enumerate() {
                if pop || ring.is_full() {
                    if ring.len() > 0 {
                        let next = ring.pop();
                        model.remove(0);
                        prop_assert_eq!(next, model.first().copied().unwrap_or(u128::MAX));
                    }
                } else {
                    let key = key << 16 | i as u128;
                    ring.insert(key);
                    model.push(key);
                    model.sort_unstable();
                }
                prop_assert_eq!(least(&mut ring), model.first().copied().unwrap_or(u128::MAX));
            }
            for key in model {
                prop_assert_eq!(least(&mut ring), key);
                ring.pop();
            }
            prop_assert_eq!(ring.len(), 0);
        }
    }
}
