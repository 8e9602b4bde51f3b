//! A row of versions for each page, kept only where something was written.

use std::marker::PhantomData;

use serde::{Deserialize, Serialize};

use wordline_cells::ids::Id;

/// Pages whose rows are kept or not kept together.
const PAGES_PER_CHUNK: usize = 64;

/// Rows of numbers, all zero at first: checked mode costs memory by the footprint, not by the capacity.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Rows<I, T = u32> {
    width: usize,
    chunks: Vec<Option<Box<[T]>>>,
    by: PhantomData<I>,
}

impl<I: Id, T: Copy + Default> Rows<I, T> {
    /// `pages` rows of `width` numbers.
    pub fn new(pages: usize, width: usize) -> Rows<I, T> {
        let mut chunks = Vec::new();
        chunks.resize_with(pages.div_ceil(PAGES_PER_CHUNK), || None);
        Rows { width, chunks, by: PhantomData }
    }

    fn place(&self, page: I) -> (usize, usize) {
        (page.index() / PAGES_PER_CHUNK, page.index() % PAGES_PER_CHUNK * self.width)
    }

    /// One number of a page's row.
    pub fn get(&self, page: I, column: usize) -> T {
        let (chunk, at) = self.place(page);
        self.chunks[chunk].as_ref().map_or(T::default(), |numbers| numbers[at + column])
    }

    /// A page's row, if anything near it was ever written.
    pub fn row(&self, page: I) -> Option<&[T]> {
        let (chunk, at) = self.place(page);
        self.chunks[chunk].as_ref().map(|numbers| &numbers[at..at + self.width])
    }

    /// A page's row, to write to.
    pub fn row_mut(&mut self, page: I) -> &mut [T] {
        let (chunk, at) = self.place(page);
        let width = self.width;
        let numbers = self.chunks[chunk]
            .get_or_insert_with(|| vec![T::default(); PAGES_PER_CHUNK * width].into_boxed_slice());
        &mut numbers[at..at + width]
    }

    /// Makes a page's row zero.
    pub fn clear(&mut self, page: I) {
        let (chunk, at) = self.place(page);
        let width = self.width;
        if let Some(numbers) = &mut self.chunks[chunk] {
            numbers[at..at + width].fill(T::default());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nand::Lpn;

    #[test]
    fn rows_are_zero_until_written_and_after_clearing() {
        let mut rows = Rows::new(1000, 8);
        assert_eq!((rows.get(Lpn::new(999), 7), rows.row(Lpn::new(999))), (0, None));
        rows.row_mut(Lpn::new(999))[7] = 5;
        assert_eq!(
            (rows.get(Lpn::new(999), 7), rows.get(Lpn::new(999), 6), rows.get(Lpn::new(998), 7)),
            (5, 0, 0)
        );
        rows.clear(Lpn::new(999));
        rows.clear(Lpn::new(3));
        assert_eq!(rows.get(Lpn::new(999), 7), 0);
    }
}
