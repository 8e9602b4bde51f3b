//! The writes that wait for a line of the cache: an overloaded open loop has a hundred thousand of them.

use std::collections::VecDeque;

use hashbrown::HashMap;
use hashbrown::hash_map::Entry;
use rustc_hash::FxBuildHasher;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::flash::{PageOp, SectorMask};
use crate::nand::Lpn;

/// Writes in order. They are numbered as they come; those of a page are linked.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    /// Each with the number of the next write of its page, where there is one.
    ops: VecDeque<(PageOp, Option<u64>)>,
    /// Number of the first of them.
    first: u64,
    /// Numbers of the first and the last write of each page; only asked for single pages.
    by_page: HashMap<Lpn, (u64, u64), FxBuildHasher>,
}

impl Waiting {
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.ops.is_empty()
    }

    /// The pages of all writes, in order.
    pub(super) fn pages(&self) -> impl Iterator<Item = Lpn> {
        self.ops.iter().map(|(op, _)| op.lpn)
    }

    /// A write of the page waits.
    #[inline]
    pub(super) fn has(&self, lpn: Lpn) -> bool {
        !self.is_empty() && self.by_page.contains_key(&lpn)
    }

    fn place_of(&self, number: u64) -> usize {
        (number - self.first) as usize
    }

    /// The sectors of the page for which a write waits.
    #[inline]
    pub(super) fn sectors(&self, lpn: Lpn) -> SectorMask {
        if self.is_empty() {
            return 0;
        }
        let (mut mask, mut number) = (0, self.by_page.get(&lpn).map(|&(first, _)| first));
        while let Some(this) = number {
            let (op, next) = self.ops[self.place_of(this)];
            mask |= op.sectors;
            number = next;
        }
        mask
    }

    pub(super) fn push(&mut self, op: PageOp) {
        let number = self.first + self.ops.len() as u64;
        match self.by_page.entry(op.lpn) {
            Entry::Vacant(entry) => {
                entry.insert((number, number));
            }
            Entry::Occupied(mut entry) => {
                let before = std::mem::replace(&mut entry.get_mut().1, number);
                let place = (before - self.first) as usize;
                self.ops[place].1 = Some(number);
            }
        }
        self.ops.push_back((op, None));
    }

    /// The write that has waited longest.
    #[inline]
    pub(super) fn first(&self) -> Option<PageOp> {
        self.ops.front().map(|&(op, _)| op)
    }

    /// The write that has waited longest waits no more.
    pub(super) fn pop(&mut self) {
        let Some((op, next)) = self.ops.pop_front() else { return };
        self.first += 1;
        match next {
            None => {
                self.by_page.remove(&op.lpn);
            }
            Some(next) => {
                if let Some((first, _)) = self.by_page.get_mut(&op.lpn) {
                    *first = next;
                }
            }
        }
    }

    /// Forgets all writes; returns them in order.
    pub(super) fn take(&mut self) -> Vec<PageOp> {
        std::mem::take(self).ops.into_iter().map(|(op, _)| op).collect()
    }
}

/// A state is its writes, in order.
impl Serialize for Waiting {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.ops.iter().map(|(op, _)| op))
    }
}

impl<'de> Deserialize<'de> for Waiting {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Waiting, D::Error> {
        let mut waiting = Waiting::default();
        Vec::<PageOp>::deserialize(deserializer)?.into_iter().for_each(|op| waiting.push(op));
        Ok(waiting)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flash::{Owner, PageOpKind, Priority, Writer};

    #[test]
    fn writes_wait_in_order_and_are_found_by_page() {
        let op = |lpn, sectors| PageOp {
            kind: PageOpKind::Write,
            lpn: Lpn::new(lpn),
            sectors,
            owner: Owner::Request(lpn),
            writer: Writer::default(),
            priority: Priority::High,
        };
        let (mut waiting, ops) = (Waiting::default(), [op(7, 1), op(8, 2), op(7, 4), op(7, 1)]);
        ops.into_iter().for_each(|op| waiting.push(op));
        let seen =
            |waiting: &Waiting| [7, 8, 9].map(Lpn::new).map(|lpn| (waiting.has(lpn), waiting.sectors(lpn)));
        assert_eq!(seen(&waiting), [(true, 5), (true, 2), (false, 0)]);
        for (op, left) in ops.into_iter().zip([[5, 2, 0], [5, 0, 0], [1, 0, 0], [0, 0, 0]]) {
            assert_eq!(waiting.first(), Some(op));
            waiting.pop();
            assert_eq!(seen(&waiting), left.map(|mask| (mask != 0, mask)));
        }
        assert!(waiting.is_empty() && waiting.first().is_none());
        waiting.push(ops[0]);
        assert_eq!(waiting.take(), [ops[0]]);
        assert!(waiting.is_empty() && !waiting.has(Lpn::new(7)));
    }
}
