//! Large flat tables of numbers, all zero at first, which cost memory only where they are touched.

use std::io;
use std::ops::{Deref, DerefMut, Range};

use bytemuck::{Pod, Zeroable};

use super::large_pages::ask_for_large_pages;
use super::memory::{IN_FILE_FROM_BYTES, Memory, SMALL_PAGES_FROM_BYTES};
use super::spares::Spares;
use super::state::{LoadError, Loader, Pieces, Saver, State, save_table};

/// A table of numbers.
#[derive(Debug)]
pub struct Table<T: Send + 'static> {
    items: Memory<T>,
    /// Where its memory goes in the end, if it is not the system's.
    spares: Option<Spares>,
}

impl<T: Send + 'static> From<Vec<T>> for Table<T> {
    fn from(items: Vec<T>) -> Table<T> {
        Table { items: items.into(), spares: None }
    }
}

impl<T: Zeroable + Copy + Send + 'static> Table<T> {
    /// A table of `len` zeros, which the allocator or the system hands out untouched: pages of memory that nothing
    /// is written to are never there. For tables whose entries are used in order, or seldom.
    #[must_use]
    pub fn zeroed(len: usize) -> Table<T> {
        Table { items: Memory::zeroed(len, IN_FILE_FROM_BYTES), spares: None }
    }

    /// The same for a table whose entries are used in any order: in large pages of memory, where the system has them, unless
    /// it is so large that a run which uses it here and there would have all of it.
    #[must_use]
    pub fn zeroed_for_random_use(len: usize) -> Table<T> {
        let mut table = Table { items: Memory::zeroed(len, SMALL_PAGES_FROM_BYTES), spares: None };
        if size_of_val(&table.items[..]) < SMALL_PAGES_FROM_BYTES {
            ask_for_large_pages(&mut table.items);
        }
        table
    }
}

impl<T: Send + 'static> Table<T> {
    /// Ranges of bytes outside of which all is zero, if that is known without a look at all of them.
    pub(super) fn touched(&self) -> Option<Vec<Range<usize>>> {
        self.items.touched()
    }
}

impl<T: Pod + Send> State for Table<T> {
    fn save(&self, to: &mut Saver<'_>) -> io::Result<()> {
        if to.gathers() {
            self.items.gather_alone();
            return Ok(());
        }
        if let Some(forks) = to.forks() {
            let fork = self.items.fork();
            let is_shared = fork.is_some();
            fork.into_iter().for_each(|memory| forks.push(memory));
            to.value(&is_shared)?;
            if is_shared {
                return Ok(());
            }
        }
        save_table(&self.items, self.items.touched(), to)
    }

    fn load(&mut self, from: &mut Loader<'_>) -> Result<(), LoadError> {
        if from.is_fork() && from.value::<bool>()? {
            self.items = from.shared(self.items.len())?;
            return Ok(());
        }
        let pieces = Pieces::read(size_of_val(&self.items[..]), from)?;
        self.spares = from.spares().cloned();
        let spare = match &self.spares {
            Some(spares) if pieces.mostly_used() => spares.take(self.items.len()),
            _ => None,
        };
        let is_zero = spare.is_none();
        if let Some(items) = spare {
            self.items = items;
        }
        pieces.load(&mut self.items, is_zero, from)
    }
}

impl<T: Send + 'static> Drop for Table<T> {
    fn drop(&mut self) {
        if let Some(spares) = &self.spares
            && !self.items.is_shared()
        {
            spares.put(std::mem::replace(&mut self.items, Vec::new().into()));
        }
    }
}

impl<T: Send + 'static> Deref for Table<T> {
    type Target = [T];
    #[inline]
    fn deref(&self) -> &[T] {
        &self.items
    }
}

impl<T: Send + 'static> DerefMut for Table<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.items
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_zero_at_first_and_keeps_what_is_written() {
        for mut table in [Table::<u32>::zeroed(3_000_003), Table::zeroed_for_random_use(3_000_003)] {
            assert!(table.len() == 3_000_003 && table.iter().all(|&x| x == 0));
            table[3_000_002] = 7;
            assert_eq!(table[3_000_002], 7);
        }
        assert!(Table::<u64>::zeroed_for_random_use(0).is_empty());
    }
}
