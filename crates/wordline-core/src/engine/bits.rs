//! Large tables of bits.

use super::{SpreadTable, state};

/// Bits of a word of the table.
const WORD_BITS: usize = 64;

/// A bit for each of many things, all clear at first; see [`SpreadTable`].
#[derive(Debug)]
pub struct BitTable {
    words: SpreadTable<u64>,
}

state! { BitTable { parts: words; } }

/// The word of a bit, and the bit in it.
#[inline(always)]
fn place(index: u32) -> (usize, u64) {
    (index as usize / WORD_BITS, 1 << (index as usize % WORD_BITS))
}

impl BitTable {
    /// Words for `len` bits and one more, so that a search may look one bit beyond the last.
    fn words(len: u32) -> usize {
        len as usize / WORD_BITS + 1
    }

    /// A table of `len` bits; see [`super::Table::zeroed`].
    #[must_use]
    pub fn zeroed(len: u32) -> BitTable {
        BitTable { words: SpreadTable::zeroed(Self::words(len)) }
    }

    /// See [`super::Table::zeroed_for_random_use`].
    #[must_use]
    pub fn zeroed_for_random_use(len: u32) -> BitTable {
        BitTable { words: SpreadTable::zeroed_for_random_use(Self::words(len)) }
    }

    /// Whether a bit is set.
    #[inline]
    #[must_use]
    pub fn get(&self, index: u32) -> bool {
        let (word, bit) = place(index);
        self.words[word] & bit != 0
    }

    /// Sets a bit.
    #[inline(always)]
    pub fn set(&mut self, index: u32) {
        let (word, bit) = place(index);
        self.words[word] |= bit;
    }

    /// Clears a bit.
    #[inline(always)]
    pub fn clear(&mut self, index: u32) {
        let (word, bit) = place(index);
        self.words[word] &= !bit;
    }

    /// Clears a bit; true if it was set.
    #[inline]
    pub fn take(&mut self, index: u32) -> bool {
        let (word, bit) = place(index);
        let word = &mut self.words[word];
        let was_set = *word & bit != 0;
        *word &= !bit;
        was_set
    }

    /// The first bit in `from..end` that is set.
    #[inline]
    #[must_use]
    pub fn next_set(&self, from: u32, end: u32) -> Option<u32> {
        let mut at = from;
        while at < end {
            let (word, _) = place(at);
            let left = self.words[word] >> (at as usize % WORD_BITS);
            if left != 0 {
                let found = at + left.trailing_zeros();
                return (found < end).then_some(found);
            }
            at = (word as u32 + 1) * WORD_BITS as u32;
        }
        None
    }

    /// Asks the processor for a bit's cache line; see [`super::prefetch`].
    #[inline]
    pub fn prefetch(&self, index: u32) {
        self.words.prefetch(place(index).0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn keeps_what_a_set_keeps(steps in prop::collection::vec((0u32..300, 0..3), 0..200), from in 0u32..300) {
            let mut bits = BitTable::zeroed(300);
            let mut model = std::collections::BTreeSet::new();
            for (index, step) in steps {
                match step {
                    0 => {
                        bits.set(index);
                        model.insert(index);
                    }
                    1 => {
                        bits.clear(index);
                        model.remove(&index);
                    }
                    _ => prop_assert_eq!(bits.take(index), model.remove(&index)),
                }
                prop_assert_eq!(bits.get(index), model.contains(&index));
                prop_assert_eq!(bits.next_set(from, 290), model.range(from..290.max(from)).next().copied());
            }
            prop_assert!(!bits.get(300));
        }
    }
}
