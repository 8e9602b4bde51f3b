//! Large tables of bits.

use std::io;
use std::marker::PhantomData;

use super::{LoadError, Loader, Saver, SpreadTable, State};
use wordline_cells::ids::Id;

/// Bits of a word of the table.
const WORD_BITS: usize = 64;

/// A bit for each of many things, by its id, all clear at first; see [`SpreadTable`].
#[derive(Debug)]
pub struct BitTable<I> {
    words: SpreadTable<u64>,
    by: PhantomData<I>,
}

impl<I> State for BitTable<I> {
    fn save(&self, to: &mut Saver<'_>) -> io::Result<()> {
        self.words.save(to)
    }

    fn load(&mut self, from: &mut Loader<'_>) -> Result<(), LoadError> {
        self.words.load(from)
    }
}

/// The word of a bit, and the bit in it.
#[inline(always)]
fn place(index: usize) -> (usize, u64) {
    (index / WORD_BITS, 1 << (index % WORD_BITS))
}

impl<I: Id> BitTable<I> {
    /// All bits that are set.
    pub fn all_set(&self) -> impl Iterator<Item = I> {
        let words = self.words.iter().enumerate().filter(|&(_, &word)| word != 0);
        words.flat_map(|(at, &word)| {
            (0..WORD_BITS)
                .filter(move |bit| word >> bit & 1 == 1)
                .map(move |bit| I::from_index(at * WORD_BITS + bit))
        })
    }

    /// Words for `len` bits and one more, so that a search may look one bit beyond the last.
    fn words(len: usize) -> usize {
        len / WORD_BITS + 1
    }

    /// A table of `len` bits; see [`super::Table::zeroed`].
    #[must_use]
    pub fn zeroed(len: usize) -> BitTable<I> {
        BitTable { words: SpreadTable::zeroed(Self::words(len)), by: PhantomData }
    }

    /// See [`super::Table::zeroed_for_random_use`].
    #[must_use]
    pub fn zeroed_for_random_use(len: usize) -> BitTable<I> {
        BitTable { words: SpreadTable::zeroed_for_random_use(Self::words(len)), by: PhantomData }
    }

    /// Whether a bit is set.
    #[inline]
    #[must_use]
    pub fn get(&self, id: I) -> bool {
        let (word, bit) = place(id.index());
        self.words[word] & bit != 0
    }

    /// Sets a bit.
    #[inline(always)]
    pub fn set(&mut self, id: I) {
        let (word, bit) = place(id.index());
        self.words[word] |= bit;
    }

    /// Clears a bit.
    #[inline(always)]
    pub fn clear(&mut self, id: I) {
        let (word, bit) = place(id.index());
        self.words[word] &= !bit;
    }

    /// Clears a bit; true if it was set.
    #[inline]
    pub fn take(&mut self, id: I) -> bool {
        let (word, bit) = place(id.index());
        let word = &mut self.words[word];
        let was_set = *word & bit != 0;
        *word &= !bit;
        was_set
    }

    /// The first bit in `from..end` that is set.
    #[inline]
    #[must_use]
    pub fn next_set(&self, from: I, end: I) -> Option<I> {
        let (mut at, end) = (from.index(), end.index());
        while at < end {
            let (word, _) = place(at);
            let left = self.words[word] >> (at % WORD_BITS);
            if left != 0 {
                let found = at + left.trailing_zeros() as usize;
                return (found < end).then(|| I::from_index(found));
            }
            at = (word + 1) * WORD_BITS;
        }
        None
    }

    /// Bytes of memory of all bits.
    #[cfg(test)]
    pub fn bytes(&self) -> usize {
        self.words.bytes()
    }

    /// Asks the processor for a bit's cache line; see [`super::prefetch`].
    #[inline]
    pub fn prefetch(&self, id: I) {
        self.words.prefetch(place(id.index()).0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use wordline_cells::ids::Ppn;

    proptest! {
        #[test]
        fn keeps_what_a_set_keeps(steps in prop::collection::vec((0u32..300, 0..3), 0..200), from in 0u32..300) {
            let (from, end) = (Ppn::new(from), Ppn::new(290));
            let mut bits = BitTable::<Ppn>::zeroed(300);
            let mut model = std::collections::BTreeSet::new();
            for (index, step) in steps {
                let index = Ppn::new(index);
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
                prop_assert_eq!(bits.next_set(from, end), model.range(from..end.max(from)).next().copied());
            }
            prop_assert!(!bits.get(Ppn::new(300)));
        }
    }
}
