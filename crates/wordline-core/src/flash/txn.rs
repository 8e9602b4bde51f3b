//! A flash transaction: everything that touches flash is one.

use std::ops::Index;

use serde::{Deserialize, Serialize};

use super::{Priority, Speed};
use crate::engine::{Ns, Slab};
use wordline_cells::geometry::{Lpn, NONE, Ppn};

/// What a transaction does to the flash.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum TxnOp {
    /// Sense a page and bring it to the controller.
    Read,
    /// Bring a page to the die and program it.
    Program,
    /// Sense a page and program it elsewhere in its plane, without the channel.
    Copyback,
    /// Erase a block.
    Erase,
    /// Adjust the voltages of a wordline so that its states merge (IDA).
    Adjust,
}

/// The queue of a scheduling unit that a transaction waits in, by what it is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[repr(u8)]
pub enum Class {
    /// Reads of the mapping table: a user request waits behind each.
    MapRead,
    /// Reads that a request waits for.
    UserRead,
    /// Reads of GC, wear levelling and refresh.
    InternalRead,
    /// Programs of user data.
    UserWrite,
    /// Programs of GC, wear levelling, refresh and the mapping table.
    InternalWrite,
    /// Erases.
    Erase,
}

impl Class {
    /// True for programs.
    #[inline]
    #[must_use]
    pub fn writes(self) -> bool {
        matches!(self, Class::UserWrite | Class::InternalWrite)
    }
}

/// Number of [`Class`]es.
pub const CLASSES: usize = 6;

/// The owner that the FTL tells when a transaction is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Owner {
    /// A host request.
    Request(u32),
    /// A slot of the write buffer that is being flushed.
    Slot(u32),
    /// A partial write that waits for the rest of its page.
    Merge(u32),
    /// The reclaim job of a plane.
    Job(u32),
    /// Page operations that wait for a page of the mapping table.
    Map(u32),
    /// The rewrite of a page that was programmed fast.
    Rewrite(u32),
    /// Nobody.
    Nobody,
}

/// One transaction, from the FTL to the die and back: what the FTL ordered, and how far the controller has come.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Txn {
    /// What to do.
    pub op: TxnOp,
    /// Which queue to wait in.
    pub class: Class,
    /// The owner that is told when it is done.
    pub owner: Owner,
    /// The page; for an erase the first page of the block, for an adjustment that of the wordline.
    pub ppn: Ppn,
    /// The logical page in it, or [`NONE`].
    pub lpn: Lpn,
    /// Where a copyback comes from, or [`NONE`].
    pub source: Ppn,
    /// Pages of the wordline that an adjustment gives up, a bit each.
    pub invalid: u8,
    /// How fast to program it.
    pub speed: Speed,
    /// How urgent it is to the host.
    pub priority: Priority,
    /// Bytes to move over the channel.
    pub bytes: u32,
    /// What the controller notes of it; the FTL never writes here.
    pub handling: Handling,
}

/// How far the controller has come with a transaction.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Handling {
    /// Its die.
    pub die: u32,
    /// Its page in the block.
    pub page: u32,
    /// Its plane in the die.
    pub plane: u8,
    /// Next in its queue, or [`NONE`].
    pub next: u32,
    /// When the FTL asked for it.
    pub created: Ns,
    /// When its command went out.
    pub started: Ns,
    /// When the array was done with it.
    pub sensed: Ns,
    /// When its data started over the channel, behind the command of the next retry sense where there was one.
    pub shipped: Ns,
}

impl Txn {
    /// A transaction that has not met the controller yet.
    #[must_use]
    pub fn new(op: TxnOp, class: Class, owner: Owner, ppn: Ppn, lpn: Lpn, bytes: u32) -> Txn {
        Txn {
            op,
            class,
            owner,
            ppn,
            lpn,
            source: NONE,
            invalid: 0,
            speed: Speed::Normal,
            priority: Priority::High,
            bytes,
            handling: Handling {
                die: 0,
                page: 0,
                plane: 0,
                next: NONE,
                created: 0,
                started: 0,
                sensed: 0,
                shipped: 0,
            },
        }
    }
}

/// All transactions, from the FTL's order until they are done. Orders never change: only the controller's notes can
/// be changed here.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Txns(Slab<Txn>);

impl Txns {
    /// A new order.
    #[inline(always)]
    pub(super) fn insert(&mut self, txn: Txn) -> u32 {
        self.0.insert(txn)
    }

    /// What the controller notes of a transaction.
    #[inline(always)]
    pub fn handling(&mut self, id: u32) -> &mut Handling {
        &mut self.0[id].handling
    }

    /// A transaction is done, and all its owners have been told.
    #[inline(always)]
    pub fn remove(&mut self, id: u32) {
        self.0.remove(id);
    }

    /// True when nothing is under way.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Transactions under way.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }
}

impl Index<u32> for Txns {
    type Output = Txn;

    #[inline(always)]
    fn index(&self, id: u32) -> &Txn {
        &self.0[id]
    }
}
