//! A LUN (a die, or a chip that serves one command at a time) and its queues.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::{Index, IndexMut};

use serde::{Deserialize, Serialize};

use super::command::{Command, PLACES, Place};
use crate::engine::{Ns, state};
use crate::flash::{CLASSES, Class, PRIORITIES, Priority, TxnOp, Txns, UrgentPlanes};
use crate::nand::{BlockId, ChannelId, IdVec, LunId, NONE, PLANES_MAX, Ppn};
use crate::policy::schedule::{LunView, ScheduleKeys, Turn};
use wordline_cells::Divider;

/// A queue of transactions, linked through them.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Queue {
    pub head: u32,
    pub tail: u32,
    /// Planes in their dies, a bit each, of all that was added since the queue was empty: no other plane has anything in it.
    pub planes: u8,
}

impl Queue {
    /// Whether the links of one that has something lead from its head to its tail, over what `is_queued` nowhere else.
    fn is_sound(&self, txns: &Txns, is_queued: &mut impl FnMut(u32) -> bool) -> bool {
        let mut at = self.head;
        while is_queued(at) {
            match txns[at].handling.next {
                NONE => return at == self.tail,
                next => at = next,
            }
        }
        false
    }

    /// Its transactions, from the first to the last.
    fn names<'a>(&self, txns: &'a Txns) -> impl Iterator<Item = u32> + use<'a> {
        let named = |id: u32| Some(id).filter(|&id| id != NONE);
        std::iter::successors(named(self.head), move |&id| named(txns[id].handling.next))
    }
}

impl Default for Queue {
    fn default() -> Self {
        Queue { head: NONE, tail: NONE, planes: 0 }
    }
}

/// Queues of a LUN. The first are those of the classes. Where a scheduling policy looks at priorities, user reads wait
/// by priority in the next ones instead, and user writes in the last.
const QUEUES: usize = CLASSES + 2 * PRIORITIES;

/// The queue of user I/O by its priority, else that of its class.
#[inline]
pub(super) fn queue_by_priority(class: Class, priority: Priority) -> usize {
    match class {
        Class::UserRead => CLASSES + priority as usize,
        Class::UserWrite => CLASSES + PRIORITIES + priority as usize,
        class => class as usize,
    }
}

/// A LUN.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Lun {
    /// Its channel, and its place among the channel's LUNs.
    pub(super) channel: ChannelId,
    pub(super) local: u32,
    pub(super) queues: [Queue; QUEUES],
    /// When the first of each class was asked for, where there is one.
    pub(super) heads: [Ns; CLASSES],
    /// Queues that have something, a bit each; the bit of a class also stands for those by priority.
    pub(super) waiting: u32,
    /// Whose turn it is among user reads by priority, and among user writes.
    turns: [Turn; 2],
    /// Places that hold a command, a bit each.
    pub(super) occupied: u32,
    /// By place.
    pub(super) commands: [Command; PLACES],
    pub(super) reads_in_a_row: u32,
    /// Commands in a row that were sent although something older waited.
    pub(super) overtaken: u32,
    /// Array time spent on reads, programs and erases, ns.
    pub(super) busy: [Ns; 3],
}

impl Lun {
    /// An idle LUN, by its place on a channel.
    pub(super) fn new(channel: ChannelId, local: u32) -> Lun {
        Lun {
            channel,
            local,
            queues: [Queue::default(); QUEUES],
            heads: [0; CLASSES],
            waiting: 0,
            turns: [Turn::default(); 2],
            occupied: 0,
            commands: [Command::default(); PLACES],
            reads_in_a_row: 0,
            overtaken: 0,
            busy: [0; 3],
        }
    }

    /// The queues that have something.
    fn queues(&self) -> impl Iterator<Item = &Queue> {
        let is_own = |at: usize| match at {
            at if at == Class::UserRead as usize => self.by_priority(Class::UserRead) == 0,
            at if at == Class::UserWrite as usize => self.by_priority(Class::UserWrite) == 0,
            _ => true,
        };
        let has_any = move |&(at, _): &(usize, &Queue)| self.waiting >> at & 1 == 1 && is_own(at);
        self.queues.iter().enumerate().filter(has_any).map(|(_, queue)| queue)
    }

    /// The transactions of its commands.
    fn under_way(&self) -> impl Iterator<Item = u32> {
        let commands = self.commands.iter().enumerate().filter(|(place, _)| self.occupied >> place & 1 == 1);
        commands.flat_map(|(_, command)| command.txns()).copied().filter(|&id| id != NONE)
    }

    /// Whether all transactions of its commands are there.
    fn are_commands_sound(&self, txns: &Txns) -> bool {
        let holds_any = |place: usize| self.occupied >> place & 1 == 1;
        self.commands.iter().enumerate().all(|(place, command)| {
            usize::from(command.planes) <= PLANES_MAX
                && (!holds_any(place) || command.txns().iter().all(|&txn| txn == NONE || txns.has(txn)))
        })
    }

    /// Adds a transaction for a plane of a die to the end of a queue.
    #[inline]
    pub(super) fn push(
        &mut self,
        txns: &mut Txns,
        (class, queue): (Class, usize),
        id: u32,
        plane: u8,
        now: Ns,
    ) {
        let is_empty = self.waiting >> queue & 1 == 0;
        let queue_bit = 1 << queue;
        let queue = &mut self.queues[queue];
        let plane = 1 << plane;
        if is_empty {
            *queue = Queue { head: id, tail: id, planes: plane };
            if self.waiting >> class as u32 & 1 == 0 {
                self.heads[class as usize] = now;
            }
            self.waiting |= queue_bit | 1 << class as u32;
        } else {
            txns.handling(queue.tail).next = id;
            queue.tail = id;
            queue.planes |= plane;
        }
    }

    /// Takes a transaction out of a queue, given the one before it, or [`NONE`].
    #[inline]
    pub(super) fn take(&mut self, at: usize, txns: &mut Txns, id: u32, before: u32) {
        let next = std::mem::replace(&mut txns.handling(id).next, NONE);
        let queue = &mut self.queues[at];
        if queue.tail == id {
            queue.tail = before;
        }
        if before != NONE {
            txns.handling(before).next = next;
            return;
        }
        queue.head = next;
        if next == NONE {
            self.waiting &= !(1 << at);
        }
        if at >= CLASSES {
            let class = if at < CLASSES + PRIORITIES { Class::UserRead } else { Class::UserWrite };
            self.note_class(class, txns);
        } else if next != NONE {
            self.heads[at] = txns[next].handling.created;
        }
    }

    /// Something has left a queue by priority: whether its class has anything else, and since when.
    #[inline(never)]
    fn note_class(&mut self, class: Class, txns: &Txns) {
        if self.by_priority(class) == 0 {
            self.waiting &= !(1 << class as u32);
        } else if let Some(oldest) = self.heads_of(class).map(|id| txns[id].handling.created).min() {
            self.heads[class as usize] = oldest;
        }
    }

    /// The queues by priority of user reads or writes that have something, a bit each.
    fn by_priority(&self, class: Class) -> u8 {
        let first = if class == Class::UserRead { CLASSES } else { CLASSES + PRIORITIES };
        (self.waiting >> first) as u8 & ((1 << PRIORITIES) - 1)
    }

    /// What may be the next of a class, which has something.
    pub(super) fn heads_of(&self, class: Class) -> impl Iterator<Item = u32> {
        let waiting = match class {
            Class::UserRead | Class::UserWrite => self.by_priority(class),
            _ => 0,
        };
        let by_priority =
            Priority::ALL.into_iter().filter(move |&priority| waiting >> priority as u8 & 1 == 1);
        let queues = by_priority.map(move |priority| queue_by_priority(class, priority));
        let own = (waiting == 0).then_some(class as usize);
        queues.chain(own).map(|queue| self.queues[queue].head)
    }

    /// The queue of a class that is served next.
    #[inline]
    pub(super) fn next_queue(&mut self, class: Class) -> usize {
        let waiting = match class {
            Class::UserRead | Class::UserWrite => self.by_priority(class),
            _ => 0,
        };
        if waiting == 0 {
            return class as usize;
        }
        let priority = self.turns[usize::from(class == Class::UserWrite)].next(waiting);
        queue_by_priority(class, priority)
    }

    /// True when a queue may have something that other planes than this one, of any die, can do.
    #[inline]
    pub(super) fn has_other_planes(&self, queue: usize, plane: u8) -> bool {
        self.waiting >> queue & 1 == 1 && self.queues[queue].planes != 1 << plane
    }

    /// True when a queue has something.
    #[inline]
    pub(super) fn has_waiting(&self, class: Class) -> bool {
        self.waiting >> class as u32 & 1 == 1
    }

    /// True when a place holds a command.
    #[inline]
    pub(super) fn has(&self, place: Place) -> bool {
        self.occupied >> place as u32 & 1 == 1
    }

    /// True when no place holds a command.
    #[inline]
    pub(super) fn is_idle(&self) -> bool {
        self.occupied == 0
    }

    /// Puts a command into a place.
    #[inline]
    pub(super) fn put(&mut self, place: Place, command: Command) -> &mut Command {
        self.occupied |= 1 << place as u32;
        let here = &mut self[place];
        *here = command;
        here
    }

    /// Takes the command out of a place, which is then as if there had never been one.
    #[inline]
    pub(super) fn lift(&mut self, place: Place) -> Command {
        self.occupied &= !(1 << place as u32);
        std::mem::take(&mut self[place])
    }

    /// The command in a place is over.
    #[inline]
    pub(super) fn free(&mut self, place: Place) {
        self.occupied &= !(1 << place as u32);
        self[place].read.end();
    }

    /// What the scheduling policy sees.
    #[inline]
    pub(super) fn view<'a>(&'a self, urgent: UrgentPlanes, keys: &'a ScheduleKeys) -> LunView<'a> {
        LunView {
            waiting: (self.waiting & ((1 << CLASSES) - 1)) as u8,
            heads: &self.heads,
            urgent: urgent.count > 0,
            in_vain: urgent.count > 0 && urgent.in_vain == urgent.count,
            reads_in_a_row: self.reads_in_a_row,
            overtaken: self.overtaken,
            keys,
        }
    }

    /// Notes that something of a queue is about to be sent.
    #[inline]
    pub(super) fn count_overtaken(&mut self, class: Class) {
        // What was asked for at the same time is not older.
        let head = self.heads[class as usize];
        let waiting = self.classes_waiting();
        let overtakes = !waiting.is_power_of_two()
            && (0..CLASSES).any(|other| waiting >> other & 1 == 1 && self.heads[other] < head);
        self.overtaken = if overtakes { self.overtaken + 1 } else { 0 };
    }

    /// The classes of which something waits, a bit each.
    #[inline]
    pub(super) fn classes_waiting(&self) -> u32 {
        self.waiting & ((1 << CLASSES) - 1)
    }

    /// True when reads of the host or of the mapping table wait.
    #[inline]
    pub(super) fn has_read_waiting(&self) -> bool {
        self.waiting & (1 << Class::UserRead as u32 | 1 << Class::MapRead as u32) != 0
    }

    /// True when the data of the program after the one in the array are in the page register, or on their way there.
    #[inline]
    pub(super) fn has_next_program(&self) -> bool {
        self.has(Place::Register) && self[Place::Register].op == TxnOp::Program
    }

    /// True when the LUN has something to dispatch, to resume or to load again.
    #[inline]
    pub(super) fn has_work(&self) -> bool {
        const HELD_UP: u32 = 1 << Place::Suspended as u32 | 1 << Place::Dropped as u32;
        self.waiting != 0 || self.occupied & HELD_UP != 0
    }

    /// Array time of this LUN spent on reads, programs and erases, ns.
    #[must_use]
    pub fn busy(&self) -> [Ns; 3] {
        self.busy
    }

    /// The same until now: what is booked of a phase that goes on is left out.
    #[must_use]
    pub fn busy_until(&self, now: Ns) -> [Ns; 3] {
        let mut busy = self.busy;
        if let Some(phase) = self.at_work() {
            busy[phase.kind] -= phase.to.saturating_sub(now.max(phase.from));
        }
        busy
    }
}

impl Index<Place> for Lun {
    type Output = Command;

    #[inline(always)]
    fn index(&self, place: Place) -> &Command {
        &self.commands[place as usize]
    }
}

impl IndexMut<Place> for Lun {
    #[inline(always)]
    fn index_mut(&mut self, place: Place) -> &mut Command {
        &mut self.commands[place as usize]
    }
}

/// All LUNs.
#[derive(Debug)]
pub(super) struct Luns {
    luns: IdVec<LunId, Lun>,
    per_channel: u32,
    /// By the pages of a LUN.
    by_pages: Divider,
    /// Of the command that was formed last.
    serial: u32,
}

state! {
    Luns {
        values: luns, serial;
        derived: per_channel, by_pages;
    }
}

impl Luns {
    /// Idle ones, each of so many pages.
    pub fn new(count: u32, per_channel: u32, pages: u32) -> Luns {
        let luns = (0..count).map(|lun| Lun::new(ChannelId::new(lun / per_channel), lun % per_channel));
        Luns { luns: luns.collect::<Vec<_>>().into(), per_channel, by_pages: Divider::new(pages), serial: 0 }
    }

    /// Whether there are so many, each at its channel, and each transaction waits there once, or is under way, or is `elsewhere`.
    pub fn are_sound(&self, count: usize, txns: &Txns, elsewhere: impl Iterator<Item = u32>) -> bool {
        let is_at = |(id, lun): (LunId, &Lun)| {
            (lun.channel.number(), lun.local)
                == (id.number() / self.per_channel, id.number() % self.per_channel)
        };
        let mut queued = BTreeSet::new();
        let is_sound = self.luns.len() == count
            && self.luns.entries().all(is_at)
            && self.luns.entries().all(|(id, lun)| {
                let mut is_queued =
                    |txn| txns.has(txn) && self.of_page(txns[txn].ppn) == id && queued.insert(txn);
                lun.queues().all(|queue| queue.is_sound(txns, &mut is_queued)) && lun.are_commands_sound(txns)
            });
        if !is_sound {
            return false;
        }
        queued.extend(elsewhere.chain(self.luns.iter().flat_map(Lun::under_way)));
        txns.names().all(|id| queued.contains(&id))
    }

    /// Whether the programs of a block that wait in a queue are in the order of its pages, behind those that are under way.
    pub fn are_programs_in_order(&self, txns: &Txns, block_of: impl Fn(Ppn) -> BlockId) -> bool {
        let is_program = |&id: &u32| matches!(txns[id].op, TxnOp::Program | TxnOp::Copyback);
        self.luns.iter().all(|lun| {
            // One that has begun may wait again, for its next step or its turn: its place is that in its queue.
            let waits: BTreeSet<u32> = lun.queues().flat_map(|queue| queue.names(txns)).collect();
            let mut under_way = BTreeMap::new();
            let is_ahead = |id: &u32| is_program(id) && !waits.contains(id);
            for ppn in lun.under_way().filter(is_ahead).map(|id| txns[id].ppn) {
                let last = under_way.entry(block_of(ppn)).or_insert(ppn);
                *last = ppn.max(*last);
            }
            lun.queues().all(|queue| {
                let mut last = under_way.clone();
                queue.names(txns).filter(is_program).all(|id| {
                    let ppn = txns[id].ppn;
                    last.insert(block_of(ppn), ppn).is_none_or(|before| before < ppn)
                })
            })
        })
    }

    /// Turns the order of each queue of programs alone; returns how many transactions these hold.
    #[cfg(test)]
    pub fn turn_programs(&mut self, txns: &mut Txns) -> usize {
        let mut turned = 0;
        for number in 0..self.luns.len() as u32 {
            let lun = &mut self.luns[LunId::new(number)];
            for (at, queue) in lun.queues.iter_mut().enumerate() {
                let is_used = lun.waiting >> at & 1 == 1;
                let ids: Vec<u32> = queue.names(txns).filter(|_| is_used).collect();
                if ids.len() < 2 || ids.iter().any(|&id| txns[id].op != TxnOp::Program) {
                    continue;
                }
                (queue.head, queue.tail) = (queue.tail, queue.head);
                txns.handling(queue.tail).next = NONE;
                for pair in ids.windows(2) {
                    txns.handling(pair[1]).next = pair[0];
                }
                turned += ids.len();
            }
        }
        turned
    }

    /// The LUNs, for their time accounts.
    pub fn all(&self) -> &[Lun] {
        &self.luns
    }

    /// Luns of a channel.
    #[inline(always)]
    pub fn per_channel(&self) -> u32 {
        self.per_channel
    }

    /// The first LUN of a channel.
    #[inline(always)]
    pub fn first_of(&self, channel: ChannelId) -> LunId {
        LunId::new(channel.number() * self.per_channel)
    }

    /// The LUN of a page.
    #[inline(always)]
    pub fn of_page(&self, ppn: Ppn) -> LunId {
        LunId::new(self.by_pages.quotient(ppn))
    }

    /// Tells the next command from all others.
    #[inline(always)]
    pub fn next_serial(&mut self) -> u32 {
        self.serial = self.serial.wrapping_add(1);
        self.serial
    }

    /// Power is gone: everything queued or under way is forgotten; the accounts stay, without what was cut off.
    pub fn power_cut(&mut self, now: Ns) {
        for lun in self.luns.iter_mut() {
            if let Some(phase) = lun.at_work() {
                lun.busy[phase.kind] -= phase.to.saturating_sub(now.max(phase.from));
            }
            *lun = Lun { busy: lun.busy, ..Lun::new(lun.channel, lun.local) };
        }
    }
}

impl Index<LunId> for Luns {
    type Output = Lun;

    #[inline(always)]
    fn index(&self, lun: LunId) -> &Lun {
        &self.luns[lun]
    }
}

impl IndexMut<LunId> for Luns {
    #[inline(always)]
    fn index_mut(&mut self, lun: LunId) -> &mut Lun {
        &mut self.luns[lun]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flash::{Carried, Outbox, Owner, Txn};
    use crate::nand::{Lpn, Pun};

    #[test]
    fn queues_that_lead_nowhere_or_back_are_refused() {
        let mut out = Outbox::new(1);
        let mut luns = Luns::new(1, 1, 64);
        let lun = LunId::new(0);
        for page in 0..3 {
            let txn = Txn::new(TxnOp::Read, Class::UserRead, Ppn::new(page), 4096);
            let id = out.order(txn, Carried::new(Owner::Request(0), Lpn::NONE, Pun::new(page)));
            luns[lun].push(&mut out.txns, (Class::UserRead, Class::UserRead as usize), id, 0, 0);
        }
        luns[lun].put(Place::Array, Command::of_one(TxnOp::Read, 1, 0));
        assert!(luns.are_sound(1, &out.txns, std::iter::empty()));
        type Forge<'a> = &'a dyn Fn(&mut Luns, &mut Txns);
        let forge: [Forge<'_>; 8] = [
            &|luns, _| luns[lun].queues[Class::UserRead as usize].head = 9,
            &|luns, _| luns[lun].queues[Class::UserRead as usize].tail = 1,
            &|luns, _| luns[lun].waiting |= 1 << Class::UserWrite as u32,
            &|luns, _| luns[lun].commands[Place::Array as usize].txns[0] = 9,
            &|luns, _| luns[lun].commands[Place::Array as usize].planes = PLANES_MAX as u8 + 1,
            &|_, txns| txns.handling(1).next = 0,
            &|_, txns| txns.handling(0).next = NONE,
            // One that waits nowhere.
            &|luns, txns| {
                txns.handling(1).next = NONE;
                luns[lun].queues[Class::UserRead as usize].tail = 1;
            },
        ];
        for (number, forge) in forge.iter().enumerate() {
            let (mut luns, mut txns) =
                (Luns { luns: luns.luns.clone(), ..Luns::new(1, 1, 64) }, clone(&out.txns));
            forge(&mut luns, &mut txns);
            assert!(!luns.are_sound(1, &txns, std::iter::empty()), "{number}");
        }
    }

    fn clone(txns: &Txns) -> Txns {
        postcard::from_bytes(&postcard::to_allocvec(txns).unwrap()).unwrap()
    }
}
