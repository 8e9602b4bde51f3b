//! What leaves the FTL.

use serde::{Deserialize, Serialize};

use super::{Carried, Owner, Txn, Txns};
use crate::engine::state;
use wordline_cells::geometry::Pun;

/// The planes of a LUN in which GC must get on, since free blocks are few.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UrgentPlanes {
    /// All of them.
    pub count: u16,
    /// Those whose job wins next to no page.
    pub in_vain: u16,
}

impl UrgentPlanes {
    /// Counts a plane in whose job wins next to no page, or not.
    pub fn add(&mut self, in_vain: bool) {
        self.count += 1;
        self.in_vain += u16::from(in_vain);
    }

    /// Takes back what [`UrgentPlanes::add`] counted.
    pub fn remove(&mut self, in_vain: bool) {
        self.count -= 1;
        self.in_vain -= u16::from(in_vain);
    }
}

/// What leaves the FTL: work for the controller, and owners whose page operation is done.
#[derive(Debug)]
pub struct Outbox {
    /// All transactions, from the FTL's order until they are done and nobody asks for them any more.
    pub txns: Txns,
    /// Those that the controller has not taken yet, in order.
    pub orders: Vec<u32>,
    /// Owners that were served, one entry a page operation.
    pub served: Vec<Owner>,
    /// Units that did not decode and may be made again from their stripes, with the reads that wanted them.
    pub lost: Vec<(u32, Pun)>,
    /// By LUN: in how many of its planes GC must get on.
    pub urgent: Vec<UrgentPlanes>,
}

state! {
    Outbox {
        values: txns, orders, served, lost, urgent;
    }
}

impl Outbox {
    /// An empty outbox for so many LUNs.
    #[must_use]
    pub fn new(luns: usize) -> Outbox {
        Outbox {
            txns: Txns::default(),
            orders: Vec::new(),
            served: Vec::new(),
            lost: Vec::new(),
            urgent: vec![UrgentPlanes::default(); luns],
        }
    }

    /// Asks the controller for a transaction that carries a unit; returns its name.
    #[inline(always)]
    pub fn order(&mut self, txn: Txn, carried: Carried) -> u32 {
        let id = self.txns.insert(txn, carried);
        self.orders.push(id);
        id
    }

    /// Asks for a program of a page, or of several at once, with so many units.
    pub fn order_page(&mut self, txn: Txn, units: &[Carried]) {
        let id = self.txns.insert_all(txn, units);
        self.orders.push(id);
    }

    /// Asks for a read of a unit. Where the order before is a read of the same page for the same purpose that has not
    /// come to this unit, one sense brings both. Units of one codeword cross the channel together.
    pub fn order_in_page(
        &mut self,
        txn: Txn,
        carried: Carried,
        bytes_max: u32,
        codeword_of: impl Fn(Pun) -> u64,
    ) -> u32 {
        if let Some(&id) = self.orders.last() {
            let last = &self.txns[id];
            let rest = bytes_max.saturating_sub(last.bytes);
            let is_same =
                (last.op, last.class, last.ppn, last.priority) == (txn.op, txn.class, txn.ppn, txn.priority);
            if is_same
                && let last_unit = self.txns.last_carried(id).unit
                && last_unit < carried.unit
            {
                // They are in order, and so are codewords: only the last one can share its own.
                let is_shared = codeword_of(last_unit) == codeword_of(carried.unit);
                let bytes = if is_shared { 0 } else { txn.bytes.min(rest) };
                self.txns.add(id, carried, bytes);
                return id;
            }
        }
        self.order(txn, carried)
    }

    /// The page of an order has further units, of each of which so many bytes at most cross the channel: those of one codeword
    /// cross it together.
    #[inline]
    pub fn add_units(
        &mut self,
        id: u32,
        units: impl Iterator<Item = Carried>,
        (bytes, bytes_max): (u32, u32),
        codeword_of: impl Fn(Pun) -> u64,
    ) {
        self.txns.add_all(id, units, |last, unit, so_far| {
            if codeword_of(last) == codeword_of(unit) {
                0
            } else {
                bytes.min(bytes_max.saturating_sub(so_far))
            }
        });
    }

    /// True when there is nothing to carry on.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.orders.is_empty() && self.served.is_empty()
    }

    /// Power is gone, and everything under way with it.
    pub fn clear(&mut self) {
        self.txns = Txns::default();
        self.orders.clear();
        self.served.clear();
        self.lost.clear();
        self.urgent.fill(UrgentPlanes::default());
    }
}
