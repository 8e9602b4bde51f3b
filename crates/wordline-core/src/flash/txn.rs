//! A flash transaction: everything that touches flash is one.

use std::ops::Index;

use serde::{Deserialize, Serialize};

use super::{ModeId, Priority, Speed};
use crate::engine::{Ns, Slab};
use wordline_cells::geometry::{Lpn, NONE, PLANES_MAX, PoolId, Ppn, Pun};

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

/// The queue of a LUN that a transaction waits in, by what it is for.
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
    Slot(Lpn),
    /// A partial write that waits for the rest of its page.
    Merge(u32),
    /// The reclaim job of a pool.
    Job(PoolId),
    /// Nobody any more: the reclaim job that moved the unit has gone on, while its program waits for others.
    Moved,
    /// Page operations that wait for a page of the mapping table.
    Map(u32),
    /// The rewrite of a page that was programmed fast.
    Rewrite(u32),
    /// A page that is made again from the others of its stripe, of which this is one.
    Parity(u32),
    /// Nobody.
    Nobody,
}

/// One mapping unit of the page of a transaction, and the owner that the FTL tells. It lies beside the [`Txn`], which
/// names places only.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Carried {
    /// The owner that is told when it is done.
    pub owner: Owner,
    /// The logical unit, or none.
    pub lpn: Lpn,
    /// The physical unit.
    pub unit: Pun,
    /// The next unit of the same page, or [`NONE`].
    next: u32,
}

impl Carried {
    /// A unit, alone in its transaction so far.
    #[inline(always)]
    #[must_use]
    pub fn new(owner: Owner, lpn: Lpn, unit: Pun) -> Carried {
        Carried { owner, lpn, unit, next: NONE }
    }

    /// True where no further unit of its page follows.
    #[inline]
    #[must_use]
    pub fn is_last(&self) -> bool {
        self.next == NONE
    }
}

/// One transaction, from the FTL to the die and back: what the FTL ordered, and how far the controller has come.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Txn {
    /// What to do.
    pub op: TxnOp,
    /// Which queue to wait in.
    pub class: Class,
    /// The page; for an erase the first page of the block, for an adjustment that of the wordline.
    pub ppn: Ppn,
    /// Where a copyback comes from, or none.
    pub source: Ppn,
    /// Pages of the wordline that an adjustment gives up, a bit each.
    pub invalid: u8,
    /// How fast to program it.
    pub speed: Speed,
    /// How urgent it is to the host.
    pub priority: Priority,
    /// How the cells of its block store bits.
    pub mode: ModeId,
    /// Those of the block where a copyback comes from.
    pub source_mode: ModeId,
    /// Pages of a program that follow each other in their block: one, or those of a wordline.
    pub pages: u8,
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
    /// It did not decode, and may be made again from its stripe.
    pub is_lost: bool,
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
    /// A transaction that has not met the controller yet, in a block of the chip's own mode.
    #[must_use]
    pub fn new(op: TxnOp, class: Class, ppn: Ppn, bytes: u32) -> Txn {
        Txn {
            op,
            class,
            ppn,
            source: Ppn::NONE,
            invalid: 0,
            speed: Speed::Normal,
            priority: Priority::High,
            mode: ModeId::NATIVE,
            source_mode: ModeId::NATIVE,
            pages: 1,
            bytes,
            handling: Handling {
                die: 0,
                page: 0,
                plane: 0,
                is_lost: false,
                next: NONE,
                created: 0,
                started: 0,
                sensed: 0,
                shipped: 0,
            },
        }
    }
}

/// A transaction with the first unit that it carries: all of them where units are pages.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Order {
    txn: Txn,
    carried: Carried,
}

/// All transactions, from the FTL's order until they are done. Orders never change once the controller has them: only its
/// notes can be changed here.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Txns {
    orders: Slab<Order>,
    /// The second and further units of a page.
    more: Slab<Carried>,
}

impl Txns {
    /// A new order.
    #[inline(always)]
    pub(super) fn insert(&mut self, txn: Txn, carried: Carried) -> u32 {
        self.orders.insert(Order { txn, carried })
    }

    /// A new order with several units, in their order.
    pub(super) fn insert_all(&mut self, txn: Txn, units: &[Carried]) -> u32 {
        let mut carried = units[0];
        for &unit in units[1..].iter().rev() {
            carried.next = self.more.insert(Carried { next: carried.next, ..unit });
        }
        self.insert(txn, carried)
    }

    /// The page of an order has a further unit, of which so many bytes cross the channel.
    pub(super) fn add(&mut self, id: u32, carried: Carried, bytes: u32) {
        let new = self.more.insert(carried);
        self.orders[id].txn.bytes += bytes;
        self.last_carried(id).next = new;
    }

    /// The page of an order, which has one unit, has more; `bytes` of each cross the channel, by the unit before it and what crosses
    /// already.
    #[inline]
    pub(super) fn add_all(
        &mut self,
        id: u32,
        units: impl Iterator<Item = Carried>,
        bytes: impl Fn(Pun, Pun, u32) -> u32,
    ) {
        let Order { txn, carried } = &mut self.orders[id];
        let (mut last, mut last_unit) = (None::<u32>, carried.unit);
        for unit in units {
            txn.bytes += bytes(last_unit, unit.unit, txn.bytes);
            last_unit = unit.unit;
            let new = self.more.insert(unit);
            match last {
                None => carried.next = new,
                Some(last) => self.more[last].next = new,
            }
            last = Some(new);
        }
    }

    /// The last unit of an order.
    #[inline]
    pub(super) fn last_carried(&mut self, id: u32) -> &mut Carried {
        let first = &mut self.orders[id].carried;
        let mut last = first.next;
        if last == NONE {
            return first;
        }
        while !self.more[last].is_last() {
            last = self.more[last].next;
        }
        &mut self.more[last]
    }

    /// Whether all pages and units of a state are there, and all that they are linked to.
    pub(crate) fn are_sound(
        &self,
        is_page: impl Fn(Ppn) -> bool,
        is_mode: impl Fn(ModeId) -> bool,
        is_unit: impl Fn(&Carried) -> bool,
    ) -> bool {
        let all = || self.orders.iter().map(|order| &order.carried).chain(self.more.iter());
        let is_linked = |carried: &Carried| carried.is_last() || self.more.has(carried.next);
        // Each is linked to once at most, so no way leads back.
        let mut links: Vec<u32> =
            all().filter(|carried| !carried.is_last()).map(|carried| carried.next).collect();
        links.sort_unstable();
        let is_sound = |Txn { ppn, source, mode, source_mode, handling, .. }: &Txn| {
            is_page(*ppn)
                && (*source == Ppn::NONE || is_page(*source))
                && is_mode(*mode)
                && is_mode(*source_mode)
                && usize::from(handling.plane) < PLANES_MAX
        };
        self.orders.iter().all(|order| is_sound(&order.txn))
            && all().all(|carried| is_unit(carried) && is_linked(carried))
            && links.windows(2).all(|pair| pair[0] != pair[1])
    }

    /// Owners of all units.
    pub(crate) fn owners(&self) -> impl Iterator<Item = Owner> {
        self.orders
            .iter()
            .map(|order| order.carried.owner)
            .chain(self.more.iter().map(|carried| carried.owner))
    }

    /// The names of all transactions.
    pub(crate) fn names(&self) -> impl Iterator<Item = u32> + use<> {
        self.orders.names()
    }

    /// True where there is a transaction of this name.
    pub(crate) fn has(&self, id: u32) -> bool {
        self.orders.has(id)
    }

    /// The first unit of a transaction.
    #[inline(always)]
    #[must_use]
    pub fn carried(&self, id: u32) -> &Carried {
        &self.orders[id].carried
    }

    /// The unit after another one in the same transaction.
    #[inline]
    #[must_use]
    pub fn after(&self, carried: &Carried) -> Option<Carried> {
        if carried.is_last() { None } else { Some(self.more[carried.next]) }
    }

    /// All units of a transaction.
    pub fn all_carried(&self, id: u32) -> impl Iterator<Item = Carried> {
        std::iter::successors(Some(*self.carried(id)), |carried| self.after(carried))
    }

    /// What the controller notes of a transaction.
    #[inline(always)]
    pub fn handling(&mut self, id: u32) -> &mut Handling {
        &mut self.orders[id].txn.handling
    }

    /// A transaction is done, and all its owners have been told.
    #[inline(always)]
    pub fn remove(&mut self, id: u32) {
        let mut carried = self.orders.remove(id).carried;
        while !carried.is_last() {
            carried = self.more.remove(carried.next);
        }
    }

    /// True when nothing is under way.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.orders.is_empty()
    }

    /// Transactions under way.
    #[must_use]
    pub fn len(&self) -> usize {
        self.orders.len()
    }
}

impl Index<u32> for Txns {
    type Output = Txn;

    #[inline(always)]
    fn index(&self, id: u32) -> &Txn {
        &self.orders[id].txn
    }
}
