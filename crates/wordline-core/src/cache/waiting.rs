//! The writes that wait for a line of the cache: an overloaded open loop has a hundred thousand of them.

use std::collections::{BTreeMap, VecDeque};

use serde::{Deserialize, Serialize};

use crate::flash::{PageOp, SectorMask};
use crate::nand::Lpn;

/// Writes in order, and what waits for each page.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Waiting {
    ops: VecDeque<PageOp>,
    /// The sectors of each page's writes, in the same order.
    by_page: BTreeMap<Lpn, VecDeque<SectorMask>>,
}

impl Waiting {
    pub(super) fn is_empty(&self) -> bool {
        self.ops.is_empty()
    }

    /// A write of the page waits.
    pub(super) fn has(&self, lpn: Lpn) -> bool {
        self.by_page.contains_key(&lpn)
    }

    /// The sectors of the page for which a write waits.
    pub(super) fn sectors(&self, lpn: Lpn) -> SectorMask {
        self.by_page.get(&lpn).into_iter().flatten().fold(0, |mask, sectors| mask | sectors)
    }

    pub(super) fn push(&mut self, op: PageOp) {
        self.by_page.entry(op.lpn).or_default().push_back(op.sectors);
        self.ops.push_back(op);
    }

    /// The write that has waited longest.
    pub(super) fn first(&self) -> Option<PageOp> {
        self.ops.front().copied()
    }

    /// The write that has waited longest waits no more.
    pub(super) fn pop(&mut self) {
        let Some(op) = self.ops.pop_front() else { return };
        if let Some(masks) = self.by_page.get_mut(&op.lpn) {
            masks.pop_front();
            if masks.is_empty() {
                self.by_page.remove(&op.lpn);
            }
        }
    }

    /// Forgets all writes; returns them in order.
    pub(super) fn take(&mut self) -> VecDeque<PageOp> {
        std::mem::take(self).ops
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
