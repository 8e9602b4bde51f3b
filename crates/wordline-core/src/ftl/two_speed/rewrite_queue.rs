//! The rewrite queue: which pages were written fast, in the order in which they were written (OFWAR,
//! section 3.2, Fig. 6).
//!
//! A page that is written fast again gets a second entry at the bottom, and its old one stays where it
//! is. Nothing is searched for: when an entry comes to the top, the mapping table tells whether the
//! page is still where the entry says. So the queue is in the order of age at all times.

use std::collections::VecDeque;

use crate::engine::Ns;
use crate::nand::{Lpn, Ppn};

/// A page that was written fast.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::ftl) struct Entry {
    pub lpn: Lpn,
    pub ppn: Ppn,
    /// When it was written, as far as the SSD knows, ns: where the queue was lost, not after this.
    pub written: Ns,
    /// When it really was, ns: what its cells go by.
    pub really_written: Ns,
}

/// Entries, the oldest at the top.
#[derive(Clone, Debug, Default)]
pub(in crate::ftl) struct RewriteQueue {
    entries: VecDeque<Entry>,
    /// Entries whose page is still where they say.
    live: u32,
    /// Stale entries count as well.
    counts_stale: bool,
}

impl RewriteQueue {
    pub fn new(counts_stale: bool) -> RewriteQueue {
        RewriteQueue { entries: VecDeque::new(), live: 0, counts_stale }
    }

    /// Entries that count towards N_th_rw and D_rw.
    #[inline]
    pub fn len(&self) -> u32 {
        if self.counts_stale { self.entries.len() as u32 } else { self.live }
    }

    /// Pages that are written fast and wait for their rewrite.
    pub fn live(&self) -> u32 {
        self.live
    }

    pub fn top(&self) -> Option<&Entry> {
        self.entries.front()
    }

    /// A page was written fast: a new entry at the bottom.
    pub fn push(&mut self, entry: Entry) {
        debug_assert!(self.entries.back().is_none_or(|last| last.written <= entry.written));
        self.entries.push_back(entry);
        self.live += 1;
    }

    /// Takes the top entry, which is stale.
    pub fn drop_stale(&mut self) {
        self.entries.pop_front();
    }

    /// Takes the top entry to rewrite its page. The page counts until it is written elsewhere.
    pub fn take(&mut self) -> Option<Entry> {
        self.entries.pop_front()
    }

    /// A fast page lost its data to a newer copy, wherever its entry is.
    pub fn outdated(&mut self) {
        debug_assert!(self.live > 0);
        self.live -= 1;
    }

    /// All entries anew: what is found, or comes back, after a power loss. Some may be stale.
    pub fn restore(&mut self, entries: Vec<Entry>, live: u32) {
        debug_assert!(entries.is_sorted_by_key(|entry| entry.written));
        self.entries = entries.into();
        self.live = live;
    }

    /// The entries, from the top.
    pub fn iter(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(lpn: Lpn, ppn: Ppn, written: Ns) -> Entry {
        Entry { lpn, ppn, written, really_written: written }
    }

    #[test]
    fn a_page_that_is_written_again_keeps_its_old_entry() {
        for counts_stale in [true, false] {
            let mut queue = RewriteQueue::new(counts_stale);
            queue.push(entry(7, 100, 1));
            queue.push(entry(8, 101, 2));
            queue.outdated();
            queue.push(entry(7, 102, 3));
            assert_eq!(queue.len(), if counts_stale { 3 } else { 2 });
            assert_eq!(queue.top(), Some(&entry(7, 100, 1)));
            queue.drop_stale();
            assert_eq!((queue.len(), queue.live()), (2, 2));
            assert_eq!(queue.take().map(|entry| entry.lpn), Some(8));
            queue.outdated();
            assert_eq!((queue.len(), queue.live()), (1, 1));
        }
    }
}
