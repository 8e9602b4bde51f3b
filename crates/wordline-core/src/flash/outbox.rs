//! What leaves the FTL.

use serde::{Deserialize, Serialize};

use super::{Owner, Txn, Txns};
use crate::engine::state;

/// The planes of a scheduling unit in which GC must get on, since free blocks are few.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
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
    /// By scheduling unit: in how many of its planes GC must get on.
    pub urgent: Vec<UrgentPlanes>,
}

state! {
    Outbox {
        values: txns, orders, served, urgent;
    }
}

impl Outbox {
    /// An empty outbox for so many scheduling units.
    #[must_use]
    pub fn new(units: usize) -> Outbox {
        Outbox {
            txns: Txns::default(),
            orders: Vec::new(),
            served: Vec::new(),
            urgent: vec![UrgentPlanes::default(); units],
        }
    }

    /// Asks the controller for a transaction; returns its name.
    #[inline(always)]
    pub fn order(&mut self, txn: Txn) -> u32 {
        let id = self.txns.insert(txn);
        self.orders.push(id);
        id
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
        self.urgent.fill(UrgentPlanes::default());
    }
}
