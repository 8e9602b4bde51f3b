//! A short sorted ring of event keys.

/// Keys that the ring holds at most; a power of two.
const CAPACITY: usize = 128;
const MASK: usize = CAPACITY - 1;

/// Up to [`CAPACITY`] keys in ascending order. Putting one in near either end costs little: only the
/// keys between it and that end make room.
#[derive(Debug)]
pub(super) struct SortedRing {
    keys: Box<[u128; CAPACITY]>,
    head: usize,
    len: usize,
}

impl SortedRing {
    pub fn new() -> SortedRing {
        SortedRing { keys: Box::new([0; CAPACITY]), head: 0, len: 0 }
    }

    #[inline]
    pub fn is_full(&self) -> bool {
        self.len == CAPACITY
    }

    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    #[inline]
    pub fn len(&self) -> usize {
        self.len
    }

    /// The least key, or `u128::MAX`.
    #[inline]
    pub fn least(&self) -> u128 {
        if self.len == 0 { u128::MAX } else { self.keys[self.head & MASK] }
    }

    /// Takes the least key out.
    #[inline]
    pub fn pop(&mut self) {
        debug_assert!(self.len > 0);
        self.head = self.head.wrapping_add(1);
        self.len -= 1;
    }

    /// Puts a key in its place; the ring is not full.
    #[inline]
    pub fn insert(&mut self, key: u128) {
        debug_assert!(!self.is_full());
        let (head, len) = (self.head, self.len);
        if len == 0 || key > self.keys[head.wrapping_add(len / 2) & MASK] {
            // From the back.
            let mut at = head.wrapping_add(len);
            while at != head {
                let before = self.keys[at.wrapping_sub(1) & MASK];
                if before < key {
                    break;
                }
                self.keys[at & MASK] = before;
                at = at.wrapping_sub(1);
            }
            self.keys[at & MASK] = key;
        } else {
            // From the front.
            let mut at = head.wrapping_sub(1);
            self.head = at;
            loop {
                let after = self.keys[at.wrapping_add(1) & MASK];
                if after > key {
                    break;
                }
                self.keys[at & MASK] = after;
                at = at.wrapping_add(1);
            }
            self.keys[at & MASK] = key;
        }
        self.len += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn stays_sorted(steps in prop::collection::vec((0u128..1000, any::<bool>()), 1..600)) {
            let mut ring = SortedRing::new();
            let mut model: Vec<u128> = Vec::new();
            for (i, (key, pop)) in steps.into_iter().enumerate() {
                if pop || ring.is_full() {
                    if !ring.is_empty() {
                        ring.pop();
                        model.remove(0);
                    }
                } else {
                    let key = key << 16 | i as u128;
                    ring.insert(key);
                    model.push(key);
                    model.sort_unstable();
                }
                prop_assert_eq!(ring.least(), model.first().copied().unwrap_or(u128::MAX));
            }
            for key in model {
                prop_assert_eq!(ring.least(), key);
                ring.pop();
            }
            prop_assert!(ring.is_empty());
        }
    }
}
