//! The rewrite queue: which pages were written fast, in the order in which they were written (OFWAR,
//! section 3.2, Fig. 6).
//!
//! A page that is written fast again gets a second entry at the bottom, and its old one stays where it
//! is. Nothing is searched for: when an entry comes to the top, the mapping table tells whether the
//! page is still where the entry says. So the queue is in the order of age at all times. A block that is worn more keeps
//! its data for a shorter time than blocks before it: then the top is due when its data are, so that all go in order.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use crate::engine::Ns;
use crate::nand::{Lpn, Pun};

/// A page that was written fast.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::ftl) struct Entry {
    pub lpn: Lpn,
    pub pun: Pun,
    /// When it was written, as far as the SSD knows, ns: where the queue was lost, not after this.
    pub written: Ns,
    /// When it really was, ns: what its cells go by.
    pub really_written: Ns,
    /// How long its block keeps it in the wear of that time, ns.
    pub retention: Ns,
}

impl Entry {
    /// When the page outlives its retention, as far as the SSD knows.
    fn ends(&self) -> Ns {
        self.written.saturating_add(self.retention)
    }

    /// True when the page has outlived its retention.
    pub fn is_lost(&self, now: Ns) -> bool {
        now.saturating_sub(self.really_written) > self.retention
    }
}

/// Entries, the oldest at the top.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(in crate::ftl) struct RewriteQueue {
    entries: VecDeque<Entry>,
    /// Entries taken so far: the number of the top one.
    taken: u64,
    /// Numbers and ends of the entries that end before all that follow them. The first ends before all others.
    soonest: VecDeque<(u64, Ns)>,
    /// Stale entries count as well.
    counts_stale: bool,
}

impl RewriteQueue {
    pub fn new(counts_stale: bool) -> RewriteQueue {
        RewriteQueue { counts_stale, ..RewriteQueue::default() }
    }

    /// Entries that count towards N_th_rw and D_rw; `live` of them belong to pages that are still where they say.
    #[inline]
    pub fn len(&self, live: u64) -> u64 {
        if self.counts_stale { self.entries.len() as u64 } else { live }
    }

    pub fn top(&self) -> Option<&Entry> {
        self.entries.front()
    }

    /// A page was written fast: a new entry at the bottom.
    pub fn push(&mut self, entry: Entry) {
        debug_assert!(self.entries.back().is_none_or(|last| last.written <= entry.written));
        while self.soonest.back().is_some_and(|&(_, ends)| ends >= entry.ends()) {
            self.soonest.pop_back();
        }
        self.soonest.push_back((self.taken + self.entries.len() as u64, entry.ends()));
        self.entries.push_back(entry);
    }

    /// From when the top entry was written until the first page of the queue outlives its retention, ns.
    #[inline]
    pub fn retention(&self) -> Ns {
        let Some((top, &(_, ends))) = self.top().zip(self.soonest.front()) else { return Ns::MAX };
        ends - top.written
    }

    /// Takes the top entry, which is stale, or whose page is rewritten. The page counts until it is written elsewhere.
    pub fn take(&mut self) -> Option<Entry> {
        let entry = self.entries.pop_front()?;
        if self.soonest.front().is_some_and(|&(number, _)| number == self.taken) {
            self.soonest.pop_front();
        }
        self.taken += 1;
        Some(entry)
    }

    /// All entries anew: what is found, or comes back, after a power loss. Some may be stale.
    pub fn restore(&mut self, entries: Vec<Entry>) {
        *self = RewriteQueue::new(self.counts_stale);
        entries.into_iter().for_each(|entry| self.push(entry));
    }

    /// The entries, from the top.
    pub fn iter(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn entry(lpn: Lpn, pun: Pun, written: Ns) -> Entry {
        Entry { lpn, pun, written, really_written: written, retention: 10 }
    }

    #[test]
    fn a_page_that_is_written_again_keeps_its_old_entry() {
        for counts_stale in [true, false] {
            let mut queue = RewriteQueue::new(counts_stale);
            queue.push(entry(Lpn::new(7), Pun::new(100), 1));
            queue.push(entry(Lpn::new(8), Pun::new(101), 2));
            queue.push(entry(Lpn::new(7), Pun::new(102), 3));
            assert_eq!(queue.len(2), if counts_stale { 3 } else { 2 });
            assert_eq!(queue.take(), Some(entry(Lpn::new(7), Pun::new(100), 1)));
            assert_eq!(queue.top(), Some(&entry(Lpn::new(8), Pun::new(101), 2)));
            assert_eq!(queue.len(2), 2);
        }
    }

    proptest! {
        #[test]
        fn the_top_is_due_when_the_first_page_of_the_queue_ends(
            steps in prop::collection::vec((0u64..5, 1u64..60, any::<bool>()), 1..200)
        ) {
            let (mut queue, mut now) = (RewriteQueue::new(true), 0);
            for (gap, retention, takes) in steps {
                now += gap;
                queue.push(Entry { written: now, retention, ..entry(Lpn::new(1), Pun::new(1), now) });
                if takes {
                    queue.take();
                }
                let ends = queue.iter().map(|entry| entry.written + entry.retention).min();
                let top = queue.top().map(|entry| entry.written + queue.retention());
                prop_assert_eq!(top, ends);
            }
        }
    }
}
