//! Memory of tables that are gone, for the next ones that are loaded.

use std::any::Any;
use std::sync::{Arc, Mutex, PoisonError};

use super::memory::Memory;

/// Tables whose memory the next ones of the same length take over. The system need not clear it again, nor the processor
/// meet each of its pages for the first time; for a large drive that takes as long as copying what is loaded.
#[derive(Clone, Debug, Default)]
pub struct Spares {
    tables: Arc<Mutex<Vec<Box<dyn Any + Send>>>>,
}

impl Spares {
    /// Gives the memory back to the system.
    pub fn clear(&self) {
        self.held(Vec::clear);
    }

    /// Keeps the memory of a table.
    pub(super) fn put<T: Send + 'static>(&self, items: Memory<T>) {
        self.held(|tables| tables.push(Box::new(items)));
    }

    /// The memory of a table of this length, with what was in it.
    pub(super) fn take<T: Send + 'static>(&self, len: usize) -> Option<Memory<T>> {
        self.held(|tables| {
            let fits = |table: &Box<dyn Any + Send>| {
                table.downcast_ref::<Memory<T>>().is_some_and(|it| it.len() == len)
            };
            let place = tables.iter().position(fits)?;
            tables.swap_remove(place).downcast().ok().map(|table| *table)
        })
    }

    /// A panic elsewhere leaves whole tables behind.
    fn held<R>(&self, use_them: impl FnOnce(&mut Vec<Box<dyn Any + Send>>) -> R) -> R {
        use_them(&mut self.tables.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{Loader, Saver, State, Table};

    /// Pieces are 64 KiB: one is used, or all.
    fn saved(len: usize, used: usize) -> Vec<u8> {
        let mut table = Table::<u32>::zeroed(len);
        (0..used).for_each(|place| table[place] = place as u32 + 1);
        let mut bytes = Vec::new();
        table.save(&mut Saver::new(&mut bytes)).unwrap();
        bytes
    }

    fn loaded(bytes: &[u8], len: usize, spares: &Spares) -> Table<u32> {
        let mut table = Table::zeroed(len);
        let mut bytes = bytes;
        table.load(&mut Loader::own(&mut bytes, spares)).unwrap();
        table
    }

    #[test]
    fn a_table_in_used_memory_is_what_was_saved() {
        const LEN: usize = 100_000;
        let spares = Spares::default();
        for used in [LEN, 60_000, 1, LEN, 0, 99_999] {
            let mut table = loaded(&saved(LEN, used), LEN, &spares);
            for (place, &item) in table.iter().enumerate() {
                assert_eq!(item, if place < used { place as u32 + 1 } else { 0 }, "{place} of {used}");
            }
            table.fill(77);
        }
    }

    #[test]
    fn memory_goes_to_the_next_table_of_the_same_length() {
        const LEN: usize = 100_000;
        let spares = Spares::default();
        let bytes = saved(LEN, LEN);
        let first = loaded(&bytes, LEN, &spares);
        let place = first.as_ptr();
        drop(first);
        assert_ne!(loaded(&saved(2 * LEN, LEN), 2 * LEN, &spares).len(), LEN);
        assert_eq!(loaded(&bytes, LEN, &spares).as_ptr(), place);
        spares.clear();
        assert!(spares.take::<u32>(LEN).is_none());
    }

    #[test]
    fn a_table_that_is_hardly_used_takes_no_used_memory() {
        const LEN: usize = 1 << 20;
        let spares = Spares::default();
        drop(loaded(&saved(LEN, LEN), LEN, &spares));
        let _sparse = loaded(&saved(LEN, 1), LEN, &spares);
        assert!(spares.take::<u32>(LEN).is_some());
    }
}
