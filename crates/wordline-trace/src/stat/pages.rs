//! The 4-KiB pages that a trace reads and writes.

use std::collections::BTreeMap;

/// Pages per chunk: 2 MiB of addresses. It is small, so that memory also follows the footprint of sparse traces.
const CHUNK_PAGES: u64 = 512;
const WORDS: usize = (CHUNK_PAGES / 64) as usize;

#[derive(Default)]
struct Chunk {
    read: [u64; WORDS],
    written: [u64; WORDS],
    /// Read requests by their first page; allocated with the first one. At most 4 bytes per page.
    reads_from: Option<Box<[u32; CHUNK_PAGES as usize]>>,
}

/// Two bits for each page of the touched chunks, and a count if reads start there.
#[derive(Default)]
pub(super) struct PageMap {
    chunks: BTreeMap<u64, Chunk>,
}

/// The counts at the end of a trace.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct PageCounts {
    pub touched: u64,
    pub read: u64,
    pub written: u64,
    /// Read requests whose first page the trace never writes.
    pub cold_reads: u64,
}

impl PageMap {
    /// Adds a read of pages `first..=last`.
    pub fn read(&mut self, first: u64, last: u64) {
        self.mark(first, last, |chunk| &mut chunk.read);
        let chunk = self.chunks.entry(first / CHUNK_PAGES).or_default();
        let page = (first % CHUNK_PAGES) as usize;
        // A page that was already written is never cold: it needs no count.
        if chunk.written[page / 64] >> (page % 64) & 1 == 0 {
            let reads = chunk.reads_from.get_or_insert_with(|| Box::new([0; CHUNK_PAGES as usize]));
            reads[page] = reads[page].saturating_add(1);
        }
    }

    /// Adds a write of pages `first..=last`.
    pub fn write(&mut self, first: u64, last: u64) {
        self.mark(first, last, |chunk| &mut chunk.written);
    }

    fn mark(&mut self, first: u64, last: u64, bits: impl Fn(&mut Chunk) -> &mut [u64; WORDS]) {
        let mut page = first;
        loop {
            let chunk = page / CHUNK_PAGES;
            let until = last.min(chunk * CHUNK_PAGES + (CHUNK_PAGES - 1));
            set_range(bits(self.chunks.entry(chunk).or_default()), page % CHUNK_PAGES, until % CHUNK_PAGES);
            if until == last {
                return;
            }
            page = until + 1;
        }
    }

    pub fn count(&self) -> PageCounts {
        let mut counts = PageCounts::default();
        for chunk in self.chunks.values() {
            for (read, written) in chunk.read.iter().zip(&chunk.written) {
                counts.touched += u64::from((read | written).count_ones());
                counts.read += u64::from(read.count_ones());
                counts.written += u64::from(written.count_ones());
            }
            let starts = chunk.reads_from.iter().flat_map(|reads| reads.iter().enumerate());
            let cold = starts.filter(|(page, _)| chunk.written[page / 64] >> (page % 64) & 1 == 0);
            counts.cold_reads += cold.map(|(_, &reads)| u64::from(reads)).sum::<u64>();
        }
        counts
    }
}

/// Sets the bits `first..=last`.
fn set_range(bits: &mut [u64; WORDS], first: u64, last: u64) {
    for (word, at) in bits.iter_mut().zip((0..).step_by(64)) {
        let (low, high) = (first.max(at), last.min(at + 63));
        if low <= high {
            *word |= (u64::MAX >> (63 - (high - low))) << (low - at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_cross_words_and_chunks() {
        let mut map = PageMap::default();
        map.write(60, 1030);
        assert_eq!(map.count(), PageCounts { touched: 971, read: 0, written: 971, cold_reads: 0 });
        map.read(0, 60);
        assert_eq!(map.count(), PageCounts { touched: 1031, read: 61, written: 971, cold_reads: 1 });
    }

    #[test]
    fn a_read_is_cold_until_its_first_page_is_written() {
        let mut map = PageMap::default();
        map.read(7, 9);
        map.read(7, 7);
        map.write(8, 9);
        assert_eq!(map.count().cold_reads, 2);
        map.write(7, 7);
        map.read(7, 7);
        assert_eq!(map.count().cold_reads, 0);
    }

    #[test]
    fn the_last_page_of_the_address_space_is_a_page() {
        let mut map = PageMap::default();
        map.read(u64::MAX / 8, u64::MAX / 8);
        assert_eq!(map.count().touched, 1);
    }
}
