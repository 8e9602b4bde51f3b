//! A row of versions for each page, kept only where something was written.

use std::marker::PhantomData;

use serde::{Deserialize, Serialize};

use wordline_cells::ids::Id;

/// Pages whose rows are kept or not kept together.
const PAGES_PER_CHUNK: usize = 64;
/// Chunks of which a list is kept, or not.
const CHUNKS_PER_LIST: usize = 4096;

/// Rows of numbers of a few pages, if they are kept.
type Chunk<T> = Option<Box<[T]>>;

/// Rows of numbers, all zero at first: checked mode costs memory by the footprint, not by the capacity.
#[derive(Debug, Serialize, Deserialize)]
pub(in crate::ftl) struct Rows<I, T = u32> {
    pages: usize,
    width: usize,
    lists: Vec<Option<Box<[Chunk<T>]>>>,
    by: PhantomData<I>,
}

impl<I: Id, T: Copy + Default> Rows<I, T> {
    /// `pages` rows of `width` numbers.
    pub fn new(pages: usize, width: usize) -> Rows<I, T> {
        let mut lists = Vec::new();
        lists.resize_with(pages.div_ceil(PAGES_PER_CHUNK * CHUNKS_PER_LIST), || None);
        Rows { pages, width, lists, by: PhantomData }
    }

    /// Where a page's row is: in which chunk of which list, and from where on.
    fn place(&self, page: I) -> (usize, usize, usize) {
        let chunk = page.index() / PAGES_PER_CHUNK;
        let at = page.index() % PAGES_PER_CHUNK * self.width;
        (chunk / CHUNKS_PER_LIST, chunk % CHUNKS_PER_LIST, at)
    }

    /// One number of a page's row.
    pub fn get(&self, page: I, column: usize) -> T {
        self.row(page).map_or(T::default(), |row| row[column])
    }

    /// A page's row, if anything near it was ever written.
    pub fn row(&self, page: I) -> Option<&[T]> {
        let (list, chunk, at) = self.place(page);
        let numbers = self.lists[list].as_ref()?[chunk].as_ref()?;
        Some(&numbers[at..at + self.width])
    }

    /// A page's row, to write to.
    pub fn row_mut(&mut self, page: I) -> &mut [T] {
        let (list, chunk, at) = self.place(page);
        let width = self.width;
        let list = self.lists[list].get_or_insert_with(|| (0..CHUNKS_PER_LIST).map(|_| None).collect());
        let numbers =
            list[chunk].get_or_insert_with(|| vec![T::default(); PAGES_PER_CHUNK * width].into_boxed_slice());
        &mut numbers[at..at + width]
    }

    /// Makes a page's row zero.
    pub fn clear(&mut self, page: I) {
        if self.row(page).is_some() {
            self.row_mut(page).fill(T::default());
        }
    }

    /// All pages that have a row.
    pub fn kept(&self) -> impl Iterator<Item = I> {
        let lists = self.lists.iter().enumerate().filter_map(|(n, list)| Some((n, list.as_ref()?)));
        let chunks = lists.flat_map(|(n, list)| {
            let kept = list.iter().enumerate().filter(|(_, chunk)| chunk.is_some());
            kept.map(move |(chunk, _)| n * CHUNKS_PER_LIST + chunk)
        });
        let end = |chunk: usize| ((chunk + 1) * PAGES_PER_CHUNK).min(self.pages);
        chunks.flat_map(move |chunk| (chunk * PAGES_PER_CHUNK..end(chunk)).map(I::from_index))
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
        assert!(
            rows.kept().eq(Lpn::new(960).to(Lpn::new(1000))),
            "its neighbours, and nothing behind the last one"
        );
        rows.clear(Lpn::new(999));
        rows.clear(Lpn::new(3));
        assert_eq!(rows.get(Lpn::new(999), 7), 0);
    }
}
