//! A large table that is used at many equidistant places at once.

use std::io;
use std::ops::{Index, IndexMut, Range};

use bytemuck::{Pod, Zeroable};

use super::{LoadError, Loader, Saver, State, Table, prefetch};

/// Bytes from one gap to the next.
const RUN_BYTES: usize = 32 << 10;
/// Bytes of a cache line.
const LINE_BYTES: usize = 64;

/// A [`Table`] with a small gap after each run of entries.
///
/// An SSD writes one block of each plane at a time, and planes are mostly a power of two of entries apart. Without the
/// gaps all those places would share one set of the processor's caches and of its address translation, which hold a
/// dozen of them. Each gap is a line and an entry, so that neither lines nor memory pages stay in step.
#[derive(Debug)]
pub struct SpreadTable<T: Send + 'static> {
    items: Table<T>,
    len: usize,
}

impl<T: Send + 'static> SpreadTable<T> {
    const RUN: usize = RUN_BYTES / size_of::<T>();
    const GAP: usize = LINE_BYTES / size_of::<T>() + 1;

    /// A table of `len` defaults, all of which are written.
    #[must_use]
    pub fn of_defaults(len: usize) -> Self
    where
        T: Clone + Default,
    {
        SpreadTable { items: vec![T::default(); Self::slot(len)].into(), len }
    }

    /// A table of `len` zeros; see [`Table::zeroed`].
    #[must_use]
    pub fn zeroed(len: usize) -> Self
    where
        T: Zeroable + Copy,
    {
        SpreadTable { items: Table::zeroed(Self::slot(len)), len }
    }

    /// See [`Table::zeroed_for_random_use`].
    #[must_use]
    pub fn zeroed_for_random_use(len: usize) -> Self
    where
        T: Zeroable + Copy,
    {
        SpreadTable { items: Table::zeroed_for_random_use(Self::slot(len)), len }
    }

    /// Where an entry is.
    #[inline(always)]
    fn slot(index: usize) -> usize {
        index + index / Self::RUN * Self::GAP
    }

    /// All entries, in order.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        (0..self.len).map(|index| &self[index])
    }

    /// The entries of a range, in order: without a look for the gaps at each.
    pub fn range(&self, range: Range<usize>) -> impl Iterator<Item = &T> {
        (range.start / Self::RUN..range.end.div_ceil(Self::RUN)).flat_map(move |run| {
            let (first, end) = (range.start.max(run * Self::RUN), range.end.min((run + 1) * Self::RUN));
            self.items[Self::slot(first)..][..end - first].iter()
        })
    }

    /// An entry, if the table has it.
    #[inline(always)]
    #[must_use]
    pub fn get(&self, index: usize) -> Option<&T> {
        self.items.get(Self::slot(index))
    }

    /// The same, to change.
    #[inline(always)]
    pub fn get_mut(&mut self, index: usize) -> Option<&mut T> {
        self.items.get_mut(Self::slot(index))
    }

    /// Bytes of memory of all entries and gaps.
    #[cfg(test)]
    pub fn bytes(&self) -> usize {
        size_of_val(&self.items[..])
    }

    /// Asks the processor for an entry's cache line; see [`prefetch`].
    #[inline]
    pub fn prefetch(&self, index: usize) {
        prefetch(&self.items, Self::slot(index));
    }
}

impl<T: Pod + Send> State for SpreadTable<T> {
    fn save(&self, to: &mut Saver<'_>) -> io::Result<()> {
        self.items.save(to)
    }

    fn load(&mut self, from: &mut Loader<'_>) -> Result<(), LoadError> {
        self.items.load(from)
    }
}

impl<T: Send + 'static> Index<usize> for SpreadTable<T> {
    type Output = T;
    #[inline(always)]
    fn index(&self, index: usize) -> &T {
        &self.items[Self::slot(index)]
    }
}

impl<T: Send + 'static> IndexMut<usize> for SpreadTable<T> {
    #[inline(always)]
    fn index_mut(&mut self, index: usize) -> &mut T {
        &mut self.items[Self::slot(index)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_entry_has_a_place_of_its_own() {
        let len = 3 * SpreadTable::<u64>::RUN + 5;
        let mut table = SpreadTable::<u64>::zeroed(len);
        for index in 0..len {
            assert_eq!(table[index], 0);
            table[index] = index as u64 + 1;
        }
        assert!(table.iter().copied().eq(1..=len as u64));
    }

    #[test]
    fn a_range_leaves_the_gaps_out() {
        let run = SpreadTable::<u64>::RUN;
        let mut table = SpreadTable::<u64>::zeroed(4 * run);
        (0..4 * run).for_each(|index| table[index] = index as u64);
        for range in [0..0, 0..1, 5..run, run..run, run - 1..run + 1, 3..3 * run + 2, 0..4 * run] {
            assert!(
                table.range(range.clone()).copied().eq(range.start as u64..range.end as u64),
                "{range:?}"
            );
        }
    }

    /// Entries that are any power of two apart fall into many sets of a cache of 64 sets of lines.
    #[test]
    fn places_a_power_of_two_apart_use_many_cache_sets() {
        for apart in (12..20).map(|bits| 1usize << bits) {
            let lines = (0..128).map(|place| SpreadTable::<u32>::slot(place * apart) * 4 / LINE_BYTES);
            let mut used = [0; 64];
            lines.for_each(|line| used[line % 64] += 1);
            assert!(used.iter().all(|&places| places <= 12), "{apart}: {used:?}");
        }
    }
}
