//! Large tables of numbers in as few bytes as hold them: page and unit numbers are 64 bits everywhere else.

use std::io;

use bytemuck::Pod;

use super::zeros::is_zero;
use super::{LoadError, Loader, Saver, SpreadTable, State, Table, prefetch};

/// An entry of a table: the number plus one, so that what was never written to is 0, which says that there is none. The largest
/// entry says that there is none any more.
pub trait Entry: Copy {
    /// The largest entry.
    const GONE: u64;
    /// The entry that says this.
    fn new(bits: u64) -> Self;
    /// What it says.
    fn bits(self) -> u64;

    /// Its number.
    #[inline(always)]
    fn number(self) -> Option<usize> {
        let number = self.bits().wrapping_sub(1);
        (number < Self::GONE - 1).then_some(number as usize)
    }
}

impl Entry for u32 {
    const GONE: u64 = u32::MAX as u64;

    #[inline(always)]
    fn new(bits: u64) -> u32 {
        bits as u32
    }

    #[inline(always)]
    fn bits(self) -> u64 {
        self.into()
    }

    /// The same in 32 bits, which takes an instruction less.
    #[inline(always)]
    fn number(self) -> Option<usize> {
        let number = self.wrapping_sub(1);
        (number < u32::MAX - 1).then_some(number as usize)
    }
}

/// 40 bits, the least byte first on every machine.
pub type U40 = [u8; 5];

impl Entry for U40 {
    const GONE: u64 = (1 << 40) - 1;

    #[inline(always)]
    fn new(bits: u64) -> U40 {
        let [a, b, c, d, e, ..] = bits.to_le_bytes();
        [a, b, c, d, e]
    }

    #[inline(always)]
    fn bits(self) -> u64 {
        let [a, b, c, d, e] = self;
        u64::from(u32::from_le_bytes([a, b, c, d])) | u64::from(e) << 32
    }
}

/// Where entries lie.
pub trait Entries: State {
    /// What they are.
    type Entry: Entry;

    /// An entry, if there is one.
    fn entry(&self, index: usize) -> Option<&Self::Entry>;

    /// The same, to change.
    fn entry_mut(&mut self, index: usize) -> Option<&mut Self::Entry>;

    /// Asks the processor for an entry's cache line; see [`prefetch`].
    fn prefetch(&self, index: usize);

    /// Bytes of memory of all entries, and what lies between them.
    #[cfg(test)]
    fn bytes(&self) -> usize;
}

impl<T: Entry + Pod + Send> Entries for Table<T> {
    type Entry = T;

    #[inline(always)]
    fn entry(&self, index: usize) -> Option<&T> {
        self.get(index)
    }

    #[inline(always)]
    fn entry_mut(&mut self, index: usize) -> Option<&mut T> {
        self.get_mut(index)
    }

    #[inline]
    fn prefetch(&self, index: usize) {
        prefetch(self, index);
    }

    #[cfg(test)]
    fn bytes(&self) -> usize {
        size_of_val::<[T]>(self)
    }
}

impl<T: Entry + Pod + Send> Entries for SpreadTable<T> {
    type Entry = T;

    #[inline(always)]
    fn entry(&self, index: usize) -> Option<&T> {
        self.get(index)
    }

    #[inline(always)]
    fn entry_mut(&mut self, index: usize) -> Option<&mut T> {
        self.get_mut(index)
    }

    #[inline]
    fn prefetch(&self, index: usize) {
        SpreadTable::prefetch(self, index);
    }

    #[cfg(test)]
    fn bytes(&self) -> usize {
        SpreadTable::bytes(self)
    }
}

/// A number, or none, for each of many things: none at first. Entries have 32 bits where those hold all numbers, and 40 where
/// not.
///
/// One of the two tables is empty. What is not in the narrow one is in the wide one, so that narrow entries cost no more than
/// the check that is made anyway.
#[derive(Debug)]
pub struct NumbersIn<Narrow, Wide> {
    narrow: Narrow,
    wide: Wide,
}

/// Numbers that lie side by side.
pub type Numbers = NumbersIn<Table<u32>, Table<U40>>;
/// Numbers that are used at many equidistant places at once.
pub type SpreadNumbers = NumbersIn<SpreadTable<u32>, SpreadTable<U40>>;

#[cold]
#[inline(never)]
fn elsewhere<R>(does: impl FnOnce() -> R) -> R {
    does()
}

/// The entry of a number.
#[inline(always)]
fn entry<E: Entry>(number: usize) -> E {
    debug_assert!((number as u64) < E::GONE - 1);
    E::new(number as u64 + 1)
}

/// Nothing that was asked for is beyond both tables.
const BEYOND: &str = "a number of something that is not there";

impl<N: Entries, W: Entries> NumbersIn<N, W> {
    /// The largest numbers are below this one.
    pub const END: u64 = W::Entry::GONE - 1;

    /// A table of `len` numbers below `end`, of the narrow or the wide kind.
    #[must_use]
    pub fn below(
        end: u64,
        len: usize,
        narrow: impl FnOnce(usize) -> N,
        wide: impl FnOnce(usize) -> W,
    ) -> Self {
        let is_narrow = end < N::Entry::GONE;
        NumbersIn {
            narrow: narrow(if is_narrow { len } else { 0 }),
            wide: wide(if is_narrow { 0 } else { len }),
        }
    }

    /// Whether there is such a thing.
    #[must_use]
    pub fn has(&self, index: usize) -> bool {
        self.narrow.entry(index).is_some() || self.wide.entry(index).is_some()
    }

    /// The number of a thing.
    #[inline(always)]
    #[must_use]
    pub fn get(&self, index: usize) -> Option<usize> {
        match self.narrow.entry(index) {
            Some(entry) => entry.number(),
            None => elsewhere(|| self.wide.entry(index).expect(BEYOND).number()),
        }
    }

    /// The number of a thing that has one. Of one that has none it is a number that no thing has.
    #[inline(always)]
    #[must_use]
    pub fn there(&self, index: usize) -> usize {
        let bits = match self.narrow.entry(index) {
            Some(entry) => entry.bits(),
            None => elsewhere(|| self.wide.entry(index).expect(BEYOND).bits()),
        };
        bits.wrapping_sub(1) as usize
    }

    /// Gives a thing a number.
    #[inline(always)]
    pub fn set(&mut self, index: usize, number: usize) {
        match self.narrow.entry_mut(index) {
            Some(place) => *place = entry(number),
            None => elsewhere(|| *self.wide.entry_mut(index).expect(BEYOND) = entry(number)),
        }
    }

    /// A thing has no number, as if it had never had one.
    pub fn clear(&mut self, index: usize) {
        self.replace(index, false);
    }

    /// A thing has no number any more; returns that which it had.
    pub fn take(&mut self, index: usize) -> Option<usize> {
        self.replace(index, true)
    }

    /// A thing has no number; returns that which it had.
    #[inline]
    fn replace(&mut self, index: usize, is_gone: bool) -> Option<usize> {
        fn replace<E: Entry>(place: &mut E, is_gone: bool) -> Option<usize> {
            std::mem::replace(place, E::new(if is_gone { E::GONE } else { 0 })).number()
        }
        match self.narrow.entry_mut(index) {
            Some(place) => replace(place, is_gone),
            None => replace(self.wide.entry_mut(index).expect(BEYOND), is_gone),
        }
    }

    /// True where [`NumbersIn::take`] was the last thing that happened.
    #[inline]
    #[must_use]
    pub fn is_gone(&self, index: usize) -> bool {
        fn is_gone<E: Entry>(entry: &E) -> bool {
            entry.bits() == E::GONE
        }
        match self.narrow.entry(index) {
            Some(entry) => is_gone(entry),
            None => is_gone(self.wide.entry(index).expect(BEYOND)),
        }
    }

    /// Bytes of memory of a table that is full.
    #[cfg(test)]
    pub fn bytes(&self) -> usize {
        self.narrow.bytes() + self.wide.bytes()
    }

    /// Asks the processor for an entry's cache line; see [`prefetch`].
    #[inline]
    pub fn prefetch(&self, index: usize) {
        match self.narrow.entry(index) {
            Some(_) => self.narrow.prefetch(index),
            None => elsewhere(|| self.wide.prefetch(index)),
        }
    }
}

/// Entries that are looked for together in a table that is hardly used.
const RUN: usize = 4096;

impl Numbers {
    /// All things but those that never had a number, and some others near them. Memory that was never touched is not looked at:
    /// where the table lies in a file, a look would give it pages.
    pub fn used(&self) -> impl Iterator<Item = usize> {
        let (bytes, width, touched): (&[u8], usize, _) = match self.wide.is_empty() {
            true => (bytemuck::cast_slice(&self.narrow), size_of::<u32>(), self.narrow.touched()),
            false => (bytemuck::cast_slice(&self.wide), size_of::<U40>(), self.wide.touched()),
        };
        let run_bytes = RUN * width;
        let mut is_touched = vec![touched.is_none(); bytes.len().div_ceil(run_bytes)];
        for range in touched.into_iter().flatten() {
            let end = range.end.min(bytes.len()).div_ceil(run_bytes);
            is_touched[range.start / run_bytes..end].fill(true);
        }
        let runs = bytes.chunks(run_bytes).zip(is_touched).enumerate();
        let used = runs.filter(|(_, (run, is_touched))| *is_touched && !is_zero(run));
        used.flat_map(move |(number, (run, _))| number * RUN..number * RUN + run.len() / width)
    }
}

impl<N: Entries, W: Entries> State for NumbersIn<N, W> {
    fn save(&self, to: &mut Saver<'_>) -> io::Result<()> {
        self.narrow.save(to)?;
        self.wide.save(to)
    }

    fn load(&mut self, from: &mut Loader<'_>) -> Result<(), LoadError> {
        self.narrow.load(from)?;
        self.wide.load(from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const LEN: usize = 20_000;

    /// Tables of both kinds that take numbers below `end`.
    fn tables(end: u64) -> (Numbers, SpreadNumbers) {
        (
            Numbers::below(end, LEN, Table::zeroed, Table::zeroed),
            SpreadNumbers::below(end, LEN, SpreadTable::zeroed, SpreadTable::zeroed),
        )
    }

    #[test]
    fn an_entry_has_the_bits_that_the_numbers_need() {
        let most_of_32 = (1 << 32) - 2;
        for (end, is_narrow) in
            [(1, true), (most_of_32, true), (most_of_32 + 1, false), (Numbers::END, false)]
        {
            let (numbers, spread) = tables(end);
            assert_eq!(
                (numbers.narrow.is_empty(), numbers.wide.is_empty()),
                (!is_narrow, is_narrow),
                "{end}"
            );
            assert_eq!(spread.bytes() < 5 * LEN, is_narrow);
        }
        assert_eq!((Numbers::END, SpreadNumbers::END), ((1 << 40) - 2, (1 << 40) - 2));
    }

    fn keeps<N: Entries, W: Entries>(mut table: NumbersIn<N, W>, steps: &[(usize, u64, u8)], end: u64) {
        let mut model = std::collections::BTreeMap::new();
        for &(index, number, step) in steps {
            let number = (number % end) as usize;
            let before = model.get(&index).copied().unwrap_or((None, false));
            assert_eq!((table.get(index), table.is_gone(index)), before);
            assert_eq!(table.there(index), before.0.unwrap_or(table.there(index)));
            match step {
                0 => {
                    assert_eq!(table.take(index), before.0);
                    model.insert(index, (None, true));
                }
                1 => {
                    table.clear(index);
                    model.insert(index, (None, false));
                }
                _ => {
                    table.set(index, number);
                    model.insert(index, (Some(number), false));
                }
            }
        }
        for (index, kept) in model {
            assert_eq!((table.get(index), table.is_gone(index)), kept);
        }
    }

    proptest! {
        #[test]
        fn keep_what_a_map_keeps(
            steps in prop::collection::vec((6500..6600usize, prop_oneof![any::<u64>(), Just(u64::MAX)], 0..6u8), 0..300),
            end in prop_oneof![Just((1u64 << 32) - 2), Just((1 << 32) - 1), Just(Numbers::END), 1..u64::MAX >> 24],
        ) {
            let (numbers, spread) = tables(end);
            keeps(numbers, &steps, end);
            keeps(spread, &steps, end);
        }
    }

    #[test]
    fn the_largest_numbers_are_none_of_the_marks() {
        for end in [(1 << 32) - 2, Numbers::END] {
            let (mut numbers, _) = tables(end);
            numbers.set(3, end as usize - 1);
            assert_eq!((numbers.get(3), numbers.is_gone(3)), (Some(end as usize - 1), false));
        }
    }

    #[test]
    fn come_back_from_a_file() {
        let mut saved = Vec::new();
        let (mut numbers, _) = tables(1 << 35);
        for (index, number) in [(0, 5), (7, 1 << 34), (LEN - 1, 6)] {
            numbers.set(index, number);
        }
        numbers.take(8);
        numbers.save(&mut Saver::new(&mut saved)).unwrap();
        let (mut again, _) = tables(1 << 35);
        again.load(&mut Loader::new(&mut saved.as_slice())).unwrap();
        assert_eq!([0, 7, LEN - 1, 8].map(|i| again.get(i)), [Some(5), Some(1 << 34), Some(6), None]);
        assert!(again.is_gone(8) && !again.is_gone(9));
        let used: Vec<usize> = again.used().collect();
        assert!(used.contains(&7) && used.contains(&(LEN - 1)) && used.len() == RUN + LEN % RUN);
    }

    /// In a table that lies in a file in memory a look gives pages.
    #[test]
    #[cfg(target_os = "linux")]
    fn a_look_for_used_entries_touches_no_others() {
        let mut numbers: Numbers = NumbersIn::below(1000, 100_000_000, Table::zeroed, Table::zeroed);
        numbers.set(50_000_000, 5);
        let touched = |numbers: &Numbers| {
            numbers.narrow.touched().unwrap().iter().map(std::ops::Range::len).sum::<usize>()
        };
        let before = touched(&numbers);
        assert!(numbers.used().any(|index| index == 50_000_000));
        assert!(touched(&numbers) <= before + 8 * RUN, "{before} bytes, then {}", touched(&numbers));
    }
}
