//! The writes that wait for a line of the cache: an overloaded open loop has a hundred thousand of them.

use std::collections::VecDeque;
use std::hash::BuildHasher;

use rustc_hash::FxBuildHasher;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::flash::{PageOp, SectorMask};
use crate::nand::Lpn;

/// No write.
const NONE: u64 = u64::MAX;
/// Rows at first: a power of two.
const ROWS_MIN: usize = 16;

/// Writes in order. They are numbered as they come. Those whose pages have the same hash are a row, in order.
#[derive(Debug)]
pub(super) struct Waiting {
    /// Each with the number of the next write of its row, or [`NONE`].
    ops: VecDeque<(PageOp, u64)>,
    /// Number of the first of them.
    first: u64,
    /// Numbers of the first and the last write of each row. There are at least as many rows as writes, so that a row is short.
    rows: Vec<(u64, u64)>,
}

impl Default for Waiting {
    fn default() -> Waiting {
        Waiting { ops: VecDeque::new(), first: 0, rows: vec![(NONE, NONE); ROWS_MIN] }
    }
}

impl Waiting {
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.ops.is_empty()
    }

    /// All writes, in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = &PageOp> {
        self.ops.iter().map(|(op, _)| op)
    }

    /// A write of the page waits.
    #[inline]
    pub(super) fn has(&self, lpn: Lpn) -> bool {
        !self.is_empty() && self.of_page(lpn).next().is_some()
    }

    /// The sectors of the page for which a write waits.
    #[inline]
    pub(super) fn sectors(&self, lpn: Lpn) -> SectorMask {
        if self.is_empty() { 0 } else { self.of_page(lpn).fold(0, |mask, op| mask | op.sectors) }
    }

    /// The writes of a page.
    fn of_page(&self, lpn: Lpn) -> impl Iterator<Item = &PageOp> {
        let mut next = self.rows[self.row_of(lpn)].0;
        let of_row = std::iter::from_fn(move || {
            let (op, behind) = self.ops.get(next.wrapping_sub(self.first) as usize)?;
            next = *behind;
            Some(op)
        });
        of_row.filter(move |op| op.lpn == lpn)
    }

    fn row_of(&self, lpn: Lpn) -> usize {
        FxBuildHasher.hash_one(lpn) as usize & (self.rows.len() - 1)
    }

    pub(super) fn push(&mut self, op: PageOp) {
        if self.ops.len() == self.rows.len() {
            self.make_rows(2 * self.rows.len());
        }
        let number = self.first + self.ops.len() as u64;
        self.ops.push_back((op, NONE));
        self.append(op.lpn, number);
    }

    /// A write becomes the last of its row.
    fn append(&mut self, lpn: Lpn, number: u64) {
        let row = self.row_of(lpn);
        let (first, last) = self.rows[row];
        self.rows[row] = if first == NONE { (number, number) } else { (first, number) };
        if first != NONE {
            self.ops[(last - self.first) as usize].1 = number;
        }
    }

    #[cold]
    fn make_rows(&mut self, count: usize) {
        self.rows.clear();
        self.rows.resize(count, (NONE, NONE));
        for place in 0..self.ops.len() {
            self.ops[place].1 = NONE;
            self.append(self.ops[place].0.lpn, self.first + place as u64);
        }
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
        // It was the first of its row, too.
        let row = self.row_of(op.lpn);
        self.rows[row].0 = next;
    }

    /// Forgets all writes; returns them in order.
    pub(super) fn take(&mut self) -> Vec<PageOp> {
        std::mem::take(self).ops.into_iter().map(|(op, _)| op).collect()
    }
}

/// A state is its writes, in order.
impl Serialize for Waiting {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
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
        // Rows become more in between, and some writes share one.
        (20..60).for_each(|lpn| waiting.push(op(lpn, 1)));
        assert!((20..60).all(|lpn| waiting.sectors(Lpn::new(lpn)) == 1) && !waiting.has(Lpn::new(60)));
        for (op, left) in ops.into_iter().zip([[5, 2, 0], [5, 0, 0], [1, 0, 0], [0, 0, 0]]) {
            assert_eq!(waiting.first(), Some(op));
            waiting.pop();
            assert_eq!(seen(&waiting), left.map(|mask| (mask != 0, mask)));
        }
        (20..60).for_each(|_| waiting.pop());
        assert!(waiting.is_empty() && waiting.first().is_none());
        waiting.push(ops[0]);
        assert_eq!(waiting.take(), [ops[0]]);
        assert!(waiting.is_empty() && !waiting.has(Lpn::new(7)));
    }
}
