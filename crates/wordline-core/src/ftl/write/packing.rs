//! Programs that take several mapping units: of a page (`ftl.unit_bytes`), or of all pages of a wordline in all blocks of a
//! group (`program.unit`).
//!
//! Units of any addresses that go to the same open group, one after the other, share a program, which begins when it is
//! full. Until then, and until it ends, the controller has them: they are read from there, and outlive a power cut as
//! every page does that is on its way to flash. So a unit that moves has moved when it is here, whether its program is full or
//! not: what the host waits for and what moves never wait for each other here, since each stream has a program of its own.
//!
//! A program with units that somebody waits for does not stay open for long: after `ftl.unit_wait_us` it is filled up with
//! writes that wait for room, or else with padding; but not while writes wait for lines of the cache that others will free. Nobody waits for units that move: they wait for the next ones. Where a program takes one unit, nothing ever waits
//! here.

use std::collections::VecDeque;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::config::{CacheMode, Config};
use crate::engine::{Ns, TIME_MAX, state};
use crate::flash::{Carried, Outbox, Owner, Priority, StreamId, Txn};
use crate::ftl::map::format::Format;
use crate::nand::{BlockId, FrontierId, IdVec, Lpn, PoolId, Ppn, Pun, UnitGeometry};
use wordline_cells::ns_from_us;

/// A program that is not full yet.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct OpenProgram {
    units: Vec<Carried>,
    /// That of its first page, once it has a unit.
    txn: Option<Txn>,
    /// Somebody waits for one of its units.
    is_waited_for: bool,
}

/// A program that is filled up at a time, if it is still open.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Due {
    at: Ns,
    frontier: FrontierId,
    /// Its first page.
    page: Ppn,
    /// A flush of the host waits for it.
    is_urgent: bool,
}

/// The programs that are being filled.
#[derive(Debug)]
pub(in crate::ftl) struct Packing {
    format: Format,
    /// A program takes several units.
    packs: bool,
    /// How long a program with units that somebody waits for may stay open.
    wait: Ns,
    /// By frontier; empty where a program takes one unit.
    open: IdVec<FrontierId, OpenProgram>,
    /// The pool where each stream of the host has put its last unit.
    last_pool: Vec<PoolId>,
    /// Programs that each stream of the host has begun, which go to one plane after the other in the order of allocation.
    turns: Vec<u32>,
    due: VecDeque<Due>,
    /// An event is wanted for the first of them.
    pub wants_alarm: bool,
    alarm: Ns,
    /// The host waits for all that is there.
    is_hurried: bool,
    /// Room for the units of a block, while a program is asked for.
    of_block: Vec<Carried>,
}

state! {
    Packing {
        values: open, last_pool, turns, due, wants_alarm, alarm, is_hurried;
        derived: format, packs, wait, of_block;
    }
}

impl Packing {
    /// No program is open.
    pub fn new(config: &Config, format: Format, streams: usize) -> Packing {
        let packs = format.units_per_page() > 1 || config.programs_wordlines();
        let frontiers = if packs { config.geometry().planes() as usize * streams } else { 0 };
        let is_buffered =
            config.cache.write_back && matches!(config.cache.mode, CacheMode::Write | CacheMode::ReadWrite);
        Packing {
            format,
            packs,
            wait: if is_buffered { ns_from_us(config.ftl.unit_wait_us) } else { 0 },
            open: IdVec::filled(frontiers, OpenProgram::default()),
            last_pool: vec![PoolId::new(0); streams],
            turns: vec![0; streams],
            due: VecDeque::new(),
            wants_alarm: false,
            alarm: TIME_MAX,
            is_hurried: false,
            of_block: Vec::new(),
        }
    }

    /// Owners of the units that wait for their program to be full.
    pub fn owners(&self) -> impl Iterator<Item = Owner> {
        self.open.iter().flat_map(|open| &open.units).map(|unit| unit.owner)
    }

    /// True where a program takes several units.
    #[inline(always)]
    pub fn packs(&self) -> bool {
        self.packs
    }

    /// A unit is placed in an open group; all is programmed when it `is_full` with it. The first one of a program makes its
    /// transaction.
    #[inline(always)]
    pub fn join(
        &mut self,
        frontier: FrontierId,
        (unit, priority): (Carried, Priority),
        txn: impl FnOnce() -> Txn,
        (is_full, now): (bool, Ns),
    ) {
        let open = &mut self.open[frontier];
        let first = open.txn.get_or_insert_with(txn);
        if unit.lpn != Lpn::NONE {
            first.priority = first.priority.min(priority);
        }
        open.units.push(unit);
        if is_full {
            return;
        }
        match unit.owner {
            Owner::Nobody | Owner::Moved => {}
            // The job goes on: the unit is safe.
            Owner::Job(_) => open.units.last_mut().into_iter().for_each(|unit| unit.owner = Owner::Moved),
            _ if open.is_waited_for => {}
            _ => {
                open.is_waited_for = true;
                let page = first.ppn;
                self.is_due_later(frontier, page, now);
            }
        }
    }

    /// Somebody waits for a program that is not full.
    #[inline(never)]
    fn is_due_later(&mut self, frontier: FrontierId, page: Ppn, now: Ns) {
        let is_urgent = self.is_hurried;
        let at = if is_urgent { now } else { now + self.wait };
        self.due.push_back(Due { at, frontier, page, is_urgent });
        self.wants_alarm |= at < self.alarm;
    }

    /// An open program is full: asks for it, by a transaction for each block, and calls `began` with the block.
    pub fn program(
        &mut self,
        frontier: FrontierId,
        geometry: &UnitGeometry,
        out: &mut Outbox,
        mut began: impl FnMut(BlockId),
    ) {
        let format = self.format;
        let open = &mut self.open[frontier];
        open.is_waited_for = false;
        let Some(txn) = open.txn.take() else { return };
        // They were placed row by row over the blocks of the group, and in order in each block.
        let mut from = Pun::new(0);
        while let Some(first) =
            open.units.iter().map(|carried| carried.unit).filter(|&unit| unit >= from).min()
        {
            let block = geometry.block_of(first);
            let of_block = geometry.pages_of(block);
            from = of_block.end;
            self.of_block.clear();
            self.of_block.extend(open.units.iter().filter(|carried| of_block.contains(&carried.unit)));
            debug_assert!(self.of_block.is_sorted_by_key(|carried| carried.unit));
            let pages = self.of_block.len() as u32 / format.units_per_page();
            let (ppn, bytes) = (format.page_of(first), pages * format.page());
            out.order_page(Txn { ppn, pages: pages as u8, bytes, ..txn }, &self.of_block);
            began(block);
        }
        open.units.clear();
    }

    /// The time of the event that is wanted.
    pub fn take_alarm(&mut self, now: Ns) -> Option<Ns> {
        self.wants_alarm = false;
        let due = self.due.front()?;
        self.alarm = due.at.max(now);
        Some(self.alarm)
    }

    /// The group of an open program that has waited long enough, and whether it can wait no longer.
    pub fn next_due(&mut self, now: Ns) -> Option<(FrontierId, bool)> {
        while let Some(&due) = self.due.front() {
            let program = &self.open[due.frontier];
            let is_open = program.is_waited_for && program.txn.is_some_and(|txn| txn.ppn == due.page);
            if is_open && due.at > now {
                break;
            }
            self.due.pop_front();
            if is_open {
                return Some((due.frontier, due.is_urgent || self.wait == 0));
            }
        }
        if now >= self.alarm {
            self.alarm = TIME_MAX;
        }
        self.wants_alarm = self.due.front().is_some_and(|due| due.at < self.alarm);
        None
    }

    /// An open program whose time is over waits as long again.
    pub fn postpone(&mut self, frontier: FrontierId, now: Ns) {
        if let Some(Txn { ppn: page, .. }) = self.open[frontier].txn {
            self.due.push_back(Due { at: now + self.wait, frontier, page, is_urgent: false });
        }
    }

    /// Units of the cache that wait for their program to be full.
    pub fn waiting_of_cache(&self) -> usize {
        let is_of_cache = |unit: &&Carried| matches!(unit.owner, Owner::Slot(_));
        self.open.iter().map(|program| program.units.iter().filter(is_of_cache).count()).sum()
    }

    /// The host waits for all units that are there, or does so no more.
    pub fn hurry(&mut self, is_hurried: bool, now: Ns) {
        if is_hurried && !self.due.is_empty() {
            for due in &mut self.due {
                (due.at, due.is_urgent) = (due.at.min(now), true);
            }
            self.wants_alarm = true;
        }
        self.is_hurried = is_hurried;
    }

    /// The host waits for a unit of an open program.
    pub fn hurry_program(&mut self, frontier: FrontierId, now: Ns) {
        let Some(Txn { ppn, .. }) = self.open[frontier].txn else { return };
        self.open[frontier].is_waited_for = true;
        self.due.push_front(Due { at: now, frontier, page: ppn, is_urgent: true });
        self.wants_alarm = true;
    }

    /// The host waits for all units that are there.
    pub fn is_hurried(&self) -> bool {
        self.is_hurried
    }

    /// The frontiers whose open programs have such a unit.
    pub fn frontiers_with(&self, is_such: impl Fn(&Carried) -> bool) -> Vec<FrontierId> {
        let have_such = self.open.entries().filter(|(_, open)| open.units.iter().any(&is_such));
        have_such.map(|(frontier, _)| frontier).collect()
    }

    /// Units of a frontier that wait for their program to be full.
    pub fn units_in(&self, frontier: FrontierId) -> u32 {
        self.open.get(frontier.index()).map_or(0, |program| program.units.len() as u32)
    }

    /// Units that wait for their program to be full.
    pub fn waiting(&self) -> usize {
        self.open.iter().map(|program| program.units.len()).sum()
    }

    /// All of these.
    pub fn waiting_units(&self) -> impl Iterator<Item = Pun> {
        self.open.iter().flat_map(|program| &program.units).map(|carried| carried.unit)
    }

    /// Power is gone.
    pub fn power_cut(&mut self) {
        self.open.fill(OpenProgram::default());
        self.due.clear();
        (self.wants_alarm, self.alarm, self.is_hurried) = (false, TIME_MAX, false);
    }

    /// The pool where a stream has put its last unit.
    #[inline]
    pub fn last_pool(&self, stream: StreamId) -> PoolId {
        self.last_pool[usize::from(stream)]
    }

    /// The number of the program that a stream of the host begins next.
    #[inline]
    pub fn turn(&self, stream: StreamId) -> u32 {
        self.turns[usize::from(stream)]
    }

    /// It has begun the program of this number.
    #[inline]
    pub fn took_turn(&mut self, stream: StreamId, turn: u32) {
        self.turns[usize::from(stream)] = turn.wrapping_add(1);
    }

    /// A stream of the host has put a unit into a pool.
    #[inline]
    pub fn note_pool(&mut self, pool: PoolId, stream: StreamId) {
        if self.packs {
            self.last_pool[usize::from(stream)] = pool;
        }
    }

    /// Adds a page of parity to an open program, or opens one with it.
    pub fn add_page(&mut self, frontier: FrontierId, txn: Txn, units: Range<Pun>) {
        let open = &mut self.open[frontier];
        open.txn.get_or_insert(txn);
        open.units.extend(units.start.to(units.end).map(|unit| Carried::new(Owner::Nobody, Lpn::NONE, unit)));
    }

    /// There is a frontier more, perhaps.
    pub fn make_room_for(&mut self, frontier: FrontierId) {
        while self.packs && self.open.len() <= frontier.index() {
            self.open.push(OpenProgram::default());
        }
    }

    /// The open program of a frontier goes with its group to another one.
    pub fn move_program(&mut self, from: FrontierId, to: FrontierId) {
        if !self.packs {
            return;
        }
        debug_assert!(self.open[to].units.is_empty());
        self.open[to] = std::mem::take(&mut self.open[from]);
        self.due.iter_mut().filter(|due| due.frontier == from).for_each(|due| due.frontier = to);
    }

    /// The units of an open program, which is closed.
    pub fn take_units(&mut self, frontier: FrontierId) -> Vec<Carried> {
        std::mem::take(&mut self.open[frontier]).units
    }

    /// Whether open programs name only what there is.
    pub fn is_sound(
        &self,
        pools: usize,
        geometry: &UnitGeometry,
        is_unit: impl Fn(&Carried) -> bool,
    ) -> bool {
        let streams = self.turns.len();
        let frontiers = if self.packs { pools * streams } else { 0 };
        let is_page = |page: Ppn| u64::from(page) < u64::from(self.format.page_of(geometry.end()));
        // Behind those of streams are the seats.
        self.open.len() >= frontiers
            && self.last_pool.len() == streams
            && self.last_pool.iter().all(|pool| pool.index() < pools)
            && self.due.iter().all(|due| due.frontier.index() < self.open.len() && is_page(due.page))
            && self.open.iter().filter_map(|program| program.txn).all(|txn| is_page(txn.ppn))
            && self.open.iter().flat_map(|program| &program.units).all(is_unit)
    }

    /// Whether it has an account of so many streams.
    pub fn has_streams(&self, streams: usize) -> bool {
        self.turns.len() == streams
    }

    /// All frontiers that may have an open program.
    pub fn frontiers(&self) -> impl Iterator<Item = FrontierId> + use<> {
        (0..self.open.len()).map(FrontierId::from_index)
    }
}
