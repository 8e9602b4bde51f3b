//! Large flat tables of numbers, all zero at first, which cost memory only where they are touched.

use std::io;
use std::ops::{Deref, DerefMut};

use bytemuck::Pod;

use super::state::{LoadError, Loader, Saver, State, load_table, save_table};

/// A table of numbers.
#[derive(Debug)]
pub struct Table<T> {
    items: Vec<T>,
}

impl<T: Copy + Default> Table<T> {
    /// A table of `len` zeros, which the allocator hands out untouched: pages of memory that nothing
    /// is written to are never there. For tables whose entries are used in order, or seldom.
    #[must_use]
    pub fn zeroed(len: usize) -> Table<T> {
        Table { items: vec![T::default(); len] }
    }

    /// The same for a table whose entries are used in any order: in large pages of memory, where the system
    /// has them. That spares the processor most of its address translation, and the kernel most of its page
    /// faults; but a large page is there as soon as one entry of it is.
    #[must_use]
    pub fn zeroed_for_random_use(len: usize) -> Table<T> {
        let table = Table::zeroed(len);
        table.ask_for_large_pages();
        table
    }

    #[cfg(target_os = "linux")]
    fn ask_for_large_pages(&self) {
        const PAGE_BYTES: usize = 4096;
        let bytes = self.items.as_ptr_range();
        let start = (bytes.start as usize).next_multiple_of(PAGE_BYTES);
        let end = bytes.end as usize / PAGE_BYTES * PAGE_BYTES;
        if start >= end {
            return;
        }
        // SAFETY: the range lies within memory that the vector owns, and this advice changes neither
        // its contents nor its protection. Where there are no large pages, small ones do.
        #[expect(unsafe_code, reason = "the standard library cannot ask for large pages")]
        unsafe {
            let _ = rustix::mm::madvise(start as *mut _, end - start, rustix::mm::Advice::LinuxHugepage);
        }
    }

    #[cfg(not(target_os = "linux"))]
    fn ask_for_large_pages(&self) {}
}

impl<T: Pod> State for Table<T> {
    fn save(&self, to: &mut Saver<'_>) -> io::Result<()> {
        save_table(&self.items, to)
    }

    fn load(&mut self, from: &mut Loader<'_>) -> Result<(), LoadError> {
        load_table(&mut self.items, from)
    }
}

impl<T> Deref for Table<T> {
    type Target = [T];
    #[inline]
    fn deref(&self) -> &[T] {
        &self.items
    }
}

impl<T> DerefMut for Table<T> {
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
