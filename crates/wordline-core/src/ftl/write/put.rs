//! One way to a place: whatever goes to flash is a [`Placing`], and [`Pages::put`] gives it its place.
//!
//! It hands out a unit of an open group, notes in the mapping table, the sector map, the journal and the shadow where the data are
//! now, counts, and has the unit programmed, and the parity whose turn has come. A [`Medium`] programs: the flash, which takes
//! time, or, where there is no time, nothing but the books.

use std::cmp::Reverse;

use serde::{Deserialize, Serialize};

use super::pages::Pages;
use crate::error::SimError;
use crate::flash::{
    Carried, Class, Owner, Priority, Purpose, SectorMask, Speed, StreamId, Txn, TxnOp, Writer,
};
use crate::ftl::Step;
use crate::ftl::blocks::{Blocks, Use};
use crate::nand::{FrontierId, Lpn, Nand, PoolId, Pun, UnitAddress};
use crate::policy::placement::Reason;

/// What a unit is programmed for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::ftl) enum Why {
    /// It is new: data of the host, or of the mapping table.
    Written,
    /// A loss of power cut its program off. There is nothing new.
    Redone,
    /// It leaves its place.
    Moved { from: Pun, reason: Reason },
    /// It fills a program or a group up, and holds nothing.
    Padding,
    /// It was there before the run, and is read for the first time.
    Preload,
}

/// Where a unit goes in its pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::ftl) enum To {
    /// To the open group of a stream.
    Stream(StreamId),
    /// To this open group, whatever its stream opens meanwhile: a frontier of the pool that has it.
    Group(FrontierId),
}

/// A unit that is to have a place.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(in crate::ftl) struct Placing {
    pub lpn: Lpn,
    /// Those that are new.
    pub sectors: SectorMask,
    pub why: Why,
    pub pool: PoolId,
    /// Where it goes in its pool.
    pub to: To,
    /// It goes to this stream instead, of fast blocks or of the SLC cache, where that has room which suits it.
    pub rather: Option<StreamId>,
    /// The queue of its program.
    pub class: Class,
    pub owner: Owner,
    /// The request that wrote it.
    pub writer: Writer,
    pub priority: Priority,
}

impl Placing {
    /// A unit of padding.
    pub fn padding(pool: PoolId, to: To, class: Class) -> Placing {
        Placing {
            lpn: Lpn::NONE,
            sectors: 0,
            why: Why::Padding,
            pool,
            to,
            rather: None,
            class,
            owner: Owner::Nobody,
            writer: Writer::default(),
            priority: Priority::High,
        }
    }

    /// A unit that moves to a stream, whose data the controller has, or gets.
    pub fn moved(
        (lpn, from): (Lpn, Pun),
        reason: Reason,
        (pool, stream): (PoolId, StreamId),
        (class, owner): (Class, Owner),
    ) -> Placing {
        let why = Why::Moved { from, reason };
        Placing { lpn, why, class, owner, ..Placing::padding(pool, To::Stream(stream), class) }
    }
}

/// Where a unit was put.
#[derive(Clone, Copy, Debug)]
pub(in crate::ftl) struct Placed {
    pub at: UnitAddress,
    /// All that is programmed with it is there, too, and its program is under way.
    pub is_under_way: bool,
}

/// Programs what has its place.
pub(in crate::ftl) trait Medium {
    /// Every program is over when it was asked for. Otherwise its transaction comes back when it is.
    const IS_AT_ONCE: bool;
    /// Padding and parity are programmed, and count.
    const PROGRAMS: bool;

    /// Programs a unit, which holds some sectors, at its place, which a frontier gave it. True when that is under way: otherwise it
    /// waits for other units.
    fn program(
        &mut self,
        placing: &Placing,
        at: (UnitAddress, FrontierId),
        held: SectorMask,
        pages: &mut Pages,
    ) -> bool;

    /// Programs a page of parity, by its first unit, in the open group of a frontier.
    fn program_parity(&mut self, first: UnitAddress, frontier: FrontierId, pages: &mut Pages);
}

impl Pages {
    /// Gives a unit its place, and has it programmed there. None where its pool has no room for it.
    ///
    /// # Errors
    /// [`SimError::Check`] in checked mode, for data that the controller does not have.
    #[inline(always)]
    pub fn put<M: Medium>(&mut self, placing: &Placing, medium: &mut M) -> Result<Option<Placed>, SimError> {
        let Some((at, frontier)) = self.place_for(placing) else { return Ok(None) };
        let held = self.note::<M>(placing, at)?;
        self.count::<M>(placing, at);
        let is_under_way = medium.program(placing, (at, frontier), held, self);
        if self.blocks.have_parity() {
            self.put_parity(frontier, medium);
        }
        Ok(Some(Placed { at, is_under_way }))
    }

    /// The frontier that something goes to in a pool.
    #[inline]
    pub fn frontier_to(&self, pool: PoolId, to: To) -> FrontierId {
        match to {
            To::Stream(stream) => self.blocks.frontier(pool, stream),
            To::Group(frontier) => frontier,
        }
    }

    /// The stream of what goes there.
    #[inline]
    pub fn stream_to(&self, to: To) -> StreamId {
        match to {
            To::Stream(stream) => stream,
            To::Group(frontier) => self.blocks.of_frontier(frontier).1,
        }
    }

    /// The next unit of the group that something goes to, and the frontier that has the group.
    #[inline(always)]
    pub fn place_for(&mut self, placing: &Placing) -> Option<(UnitAddress, FrontierId)> {
        let &Placing { pool, to, why, .. } = placing;
        let taken_for = match why {
            Why::Written | Why::Redone | Why::Preload | Why::Moved { reason: Reason::Rewrite, .. } => {
                Use::Host
            }
            Why::Moved { .. } | Why::Padding => Use::Reclaim,
        };
        let mut stream = match to {
            To::Stream(stream) => stream,
            To::Group(frontier) => {
                return self.blocks.allocate(pool, frontier, taken_for).map(|at| (at, frontier));
            }
        };
        loop {
            let frontier = self.blocks.frontier(pool, stream);
            if let Some(at) = self.blocks.allocate(pool, frontier, taken_for) {
                if matches!(why, Why::Written | Why::Redone) {
                    self.packing.note_pool(pool, stream);
                }
                return Some((at, frontier));
            }
            let moves = matches!(why, Why::Moved { .. }) && taken_for == Use::Reclaim;
            stream = if moves { self.open_for_others(pool, stream)? } else { return None };
        }
    }

    /// A stream with an open group in a pool whose last free group is used up, for what moves: a loss of power may have cost pages
    /// of the group that live ones were moving into. What is written fast is rewritten by its entry, so it stays apart, and so
    /// does what is older than the run as long as there is another.
    #[cold]
    #[inline(never)]
    fn open_for_others(&self, pool: PoolId, full: StreamId) -> Option<StreamId> {
        if !self.blocks.has_lost_power() {
            return None;
        }
        let placement = &self.placement;
        let is_old = |id: StreamId| placement.streams.get(id).purpose == Purpose::Preload;
        let may = |id: StreamId| ![placement.fast, placement.cache, Some(full)].contains(&Some(id));
        let others = placement.streams.ids().filter(|&id| may(id) && self.blocks.has_open(pool, id));
        others.min_by_key(|&id| is_old(id))
    }

    /// The pool that has the most room for what moves out of one that has none: after a loss of power without backup, what had moved is
    /// where it was, and the places that it took are wasted.
    #[cold]
    #[inline(never)]
    pub fn pool_with_room(&self, stream: StreamId) -> Option<PoolId> {
        let pools = self.blocks.pools().filter(|&pool| self.blocks.has_room(pool, stream));
        let most = pools.max_by_key(|&pool| (self.blocks.free_count(pool), Reverse(pool)));
        most.filter(|_| self.blocks.has_lost_power())
    }

    /// A unit has a new place: notes it in all tables. Returns the sectors that it holds there.
    #[inline(always)]
    pub fn note<M: Medium>(&mut self, placing: &Placing, at: UnitAddress) -> Result<SectorMask, SimError> {
        let &Placing { lpn, sectors, why, .. } = placing;
        let (pun, full) = (at.place, self.format.full_page);
        let (from, held) = match why {
            Why::Padding => {
                self.blocks.invalidate(pun);
                return Ok(0);
            }
            Why::Preload => {
                if let Some(shadow) = &mut self.shadow {
                    shadow.commit(lpn, pun, 0, None);
                }
                (None, sectors)
            }
            Why::Moved { from, .. } => {
                if self.shadow.is_some() {
                    self.check_isolation(from, at)?;
                }
                if let Some(shadow) = &mut self.shadow {
                    shadow.moved(lpn, (from, pun), M::IS_AT_ONCE)?;
                }
                (Some(from), self.held(from))
            }
            Why::Written | Why::Redone => {
                if self.shadow.is_some() && self.placement.streams.are_divided() {
                    self.check_reclaim_group(at)?;
                }
                let old = self.mapping.get(lpn);
                // Sectors that the write does not cover are carried along from where the unit is now: while it waited for room
                // it may have been moved, or written for the first time.
                let carried = if sectors == full { None } else { old };
                let kept = carried.map_or(0, |old| self.held(old) & !sectors);
                if let Some(shadow) = &mut self.shadow {
                    shadow.written(lpn, pun, (sectors, carried, kept), M::IS_AT_ONCE)?;
                }
                (old, sectors | kept)
            }
        };
        if let Some(map) = &mut self.sector_map {
            // A changed sector of the mapping table stands for its whole unit.
            let is_whole = matches!(why, Why::Written | Why::Redone) && self.format.is_of_table(lpn);
            map.set(pun, if is_whole { full } else { held });
        }
        self.mapping.bind(lpn, from, pun);
        if let Some(from) = from {
            self.retire(from);
        }
        if why != Why::Preload {
            let is_new = !matches!(why, Why::Moved { .. });
            if M::IS_AT_ONCE {
                self.entry_has_changed(lpn, pun, is_new);
            } else {
                self.entry_changes(lpn, from, pun, is_new);
            }
        }
        Ok(held)
    }

    /// Checked mode: data of a persistently isolated handle stay with it. Where a loss of power has taken the room that was kept for
    /// them, they may go anywhere.
    fn check_isolation(&self, from: Pun, to: UnitAddress) -> Result<(), SimError> {
        let streams = &self.placement.streams;
        let grouping = self.blocks.grouping();
        let groups = [self.plane_of(from), self.geometry.plane_of(to.block)]
            .map(|plane| grouping.reclaim_group_of(plane));
        if groups[0] != groups[1] && !self.blocks.has_lost_power() {
            let [before, after] = groups;
            return Err(SimError::Check(format!(
                "unit {from} of reclaim group {before} moves to group {after}"
            )));
        }
        let handle_of = |stream| streams.kept_apart(stream).map(|number| number + 1);
        let (before, after) = (handle_of(self.stream_of(from)), handle_of(self.blocks.get(to.block).stream));
        if before == after || self.blocks.has_lost_power() {
            return Ok(());
        }
        let name =
            |handle: Option<u16>| handle.map_or("no handle".to_owned(), |number| format!("handle {number}"));
        Err(SimError::Check(format!(
            "unit {from} of {} moves to blocks of {}, which are persistently isolated",
            name(before),
            name(after)
        )))
    }

    /// Checked mode: what the host writes is in the reclaim group that it names.
    #[cold]
    fn check_reclaim_group(&self, at: UnitAddress) -> Result<(), SimError> {
        let stream = self.blocks.get(at.block).stream;
        let is = self.blocks.grouping().reclaim_group_of(self.geometry.plane_of(at.block));
        match self.placement.streams.group_of(stream) {
            Some(group) if group != is => Err(SimError::Check(format!(
                "a write to reclaim group {group} goes to group {is}, in unit {}",
                at.place
            ))),
            _ => Ok(()),
        }
    }

    /// Counts what is programmed, by what it is for.
    #[inline(always)]
    pub fn count<M: Medium>(&mut self, placing: &Placing, at: UnitAddress) {
        let is_of_table = u64::from(self.format.is_of_table(placing.lpn));
        if !self.by_handle.is_empty() {
            self.count_by_handle::<M>(placing, at);
        }
        match placing.why {
            Why::Written | Why::Redone => {
                let is_slc = !self.blocks.get(at.block).mode().is_native();
                self.counters.user_writes += 1;
                self.counters.slc_writes += u64::from(is_slc);
                // Not when it is asked for: write-backs of a page of the mapping table that wait for it together share a program.
                self.counters.map_writes += is_of_table;
                self.counters.journal_writes += u64::from(self.is_of_journal(placing.lpn));
            }
            Why::Moved { reason, .. } => {
                let counters = &mut self.counters;
                counters.moved += u64::from(reason != Reason::Rewrite);
                match reason {
                    Reason::Gc | Reason::Reset => {}
                    Reason::Wear => counters.wear_moved += 1,
                    Reason::Refresh => counters.refresh_moved += 1,
                    Reason::Fold => counters.fold_moved += 1,
                    Reason::Rewrite => counters.rewrites += 1,
                }
            }
            Why::Padding => self.counters.padding += u64::from(M::PROGRAMS),
            Why::Preload => self.counters.preloaded += 1,
        }
    }

    /// The same by handle: what moves counts for the handle whose blocks it leaves.
    #[cold]
    fn count_by_handle<M: Medium>(&mut self, placing: &Placing, at: UnitAddress) {
        let is_of_table = self.format.is_of_table(placing.lpn);
        let stream = match placing.why {
            Why::Moved { from, .. } => self.stream_of(from),
            _ => self.blocks.get(at.block).stream,
        };
        let opened_by = self.blocks.opened_by(placing.pool);
        let Some(counters) = self.of_handle(stream) else { return };
        match placing.why {
            Why::Written | Why::Redone if is_of_table => counters.table += 1,
            Why::Written => counters.host += 1,
            Why::Redone => counters.redone += 1,
            Why::Moved { reason: Reason::Gc, .. } => counters.gc += 1,
            Why::Moved { .. } => counters.other_moves += 1,
            Why::Padding => counters.padding += u64::from(M::PROGRAMS),
            Why::Preload => {}
        }
        if let Why::Moved { reason: Reason::Gc, .. } = placing.why
            && let Some(counters) = opened_by.and_then(|stream| self.of_handle(stream))
        {
            counters.gc_caused += 1;
        }
    }

    /// Pages of parity whose turn has come in an open group are programmed.
    #[inline(never)]
    fn put_parity<M: Medium>(&mut self, frontier: FrontierId, medium: &mut M) {
        while let Some(first) = self.blocks.take_parity(frontier) {
            if M::PROGRAMS {
                let units = u64::from(self.format.units_per_page());
                self.counters.parity += units;
                let stream = self.blocks.get(first.block).stream;
                self.of_handle(stream).into_iter().for_each(|counters| counters.parity += units);
            }
            medium.program_parity(first, frontier, self);
        }
    }

    /// Fills the open group of a frontier up with padding as long as `goes_on` says so, by programs of a class.
    pub fn pad_while<M: Medium>(
        &mut self,
        frontier: FrontierId,
        class: Class,
        medium: &mut M,
        goes_on: impl Fn(&Blocks) -> bool,
    ) {
        let (pool, _) = self.blocks.of_frontier(frontier);
        let padding = Placing::padding(pool, To::Group(frontier), class);
        // There are no data of it that could be wrong.
        while goes_on(&self.blocks) && matches!(self.put(&padding, medium), Ok(Some(_))) {}
    }
}

/// The flash.
impl Medium for Step<'_> {
    const IS_AT_ONCE: bool = false;
    const PROGRAMS: bool = true;

    #[inline(always)]
    fn program(
        &mut self,
        placing: &Placing,
        (at, frontier): (UnitAddress, FrontierId),
        held: SectorMask,
        pages: &mut Pages,
    ) -> bool {
        let Pages { blocks, format, packing, allocator, geometry, placement, .. } = pages;
        let block = blocks.get(at.block);
        let (stream, mode) = (block.stream, block.mode());
        let is_written = matches!(placing.why, Why::Written | Why::Redone);
        let bytes = if is_written { format.bytes_of(held) } else { format.page() };
        let is_fast = is_written && placement.fast == Some(stream);
        let speed = if is_fast { Speed::Fast } else { Speed::Normal };
        let (priority, ppn) = (placing.priority, format.page_of(at.place));
        let txn = || Txn { priority, mode, speed, ..Txn::new(TxnOp::Program, placing.class, ppn, bytes) };
        let unit = Carried::new(placing.owner, placing.lpn, at.place);
        if !packing.packs() {
            let grouping = blocks.grouping();
            let is_alone = !grouping.joins();
            let plane =
                if is_alone { grouping.first_plane(placing.pool) } else { geometry.plane_of(at.block) };
            allocator.began(plane);
            self.out.order(txn(), unit);
            return true;
        }
        let is_full = blocks.completes_program(at);
        packing.join(frontier, (unit, priority), txn, (is_full, self.now));
        if placing.writer.fua && !is_full {
            packing.hurry_program(frontier, self.now);
        }
        if is_full {
            pages.program_open(frontier, self.out);
        }
        is_full
    }

    fn program_parity(&mut self, first: UnitAddress, frontier: FrontierId, pages: &mut Pages) {
        let units = pages.format.units_per_page();
        let (ppn, class) = (pages.format.page_of(first.place), pages.class_of(frontier));
        let mode = pages.blocks.get(first.block).mode();
        let txn = Txn { mode, ..Txn::new(TxnOp::Program, class, ppn, pages.format.page()) };
        if !pages.packing.packs() {
            pages.allocator.began(pages.geometry.plane_of(first.block));
            self.out.order(txn, Carried::new(Owner::Nobody, Lpn::NONE, first.place));
            return;
        }
        pages.packing.add_page(frontier, txn, first.place..first.place + units);
        if pages.blocks.completes_program(first.plus(units - 1)) {
            pages.program_open(frontier, self.out);
        }
    }
}

/// The books alone: what is put is there at once.
#[derive(Debug)]
pub(in crate::ftl) struct AtOnce;

impl Medium for AtOnce {
    const IS_AT_ONCE: bool = true;
    const PROGRAMS: bool = true;

    #[inline(always)]
    fn program(
        &mut self,
        placing: &Placing,
        (at, _): (UnitAddress, FrontierId),
        _: SectorMask,
        pages: &mut Pages,
    ) -> bool {
        pages.blocks.programmed(at);
        if let Some(journal) = &mut pages.journal {
            journal.is_durable(placing.lpn);
        }
        true
    }

    fn program_parity(&mut self, first: UnitAddress, _: FrontierId, pages: &mut Pages) {
        (0..pages.format.units_per_page()).for_each(|unit| pages.blocks.programmed_at_once(first.plus(unit)));
    }
}

/// What was in the flash before the run, wherever programs of the run are under way.
#[derive(Debug)]
pub(in crate::ftl) struct BeforeRun<'a>(pub &'a mut Nand);

impl Medium for BeforeRun<'_> {
    const IS_AT_ONCE: bool = true;
    const PROGRAMS: bool = false;

    #[inline(always)]
    fn program(
        &mut self,
        _: &Placing,
        (at, _): (UnitAddress, FrontierId),
        _: SectorMask,
        pages: &mut Pages,
    ) -> bool {
        pages.blocks.programmed_at_once(at);
        self.0.preloaded(pages.format.page_of(at.place));
        true
    }

    fn program_parity(&mut self, first: UnitAddress, frontier: FrontierId, pages: &mut Pages) {
        AtOnce.program_parity(first, frontier, pages);
        self.0.preloaded(pages.format.page_of(first.place));
    }
}

/// Power is gone: a place is passed over.
#[derive(Debug)]
pub(in crate::ftl) struct NoPower;

impl Medium for NoPower {
    const IS_AT_ONCE: bool = true;
    const PROGRAMS: bool = false;

    fn program(&mut self, _: &Placing, _: (UnitAddress, FrontierId), _: SectorMask, _: &mut Pages) -> bool {
        false
    }

    fn program_parity(&mut self, _: UnitAddress, _: FrontierId, _: &mut Pages) {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Layer, resolve};
    use crate::options::RunOptions;
    use crate::policy::allocation::Allocator;

    fn pages(text: &str) -> Pages {
        let config = resolve(&[Layer::file("test", text)]).unwrap().config;
        let allocator: Allocator = config.ftl.allocation.begin(&config.ftl.policies, &config.device_view());
        let options = RunOptions { check: true, ..RunOptions::default() };
        Pages::new(&config, allocator, None, 100, &options)
    }

    #[test]
    fn checked_mode_stops_where_data_of_isolated_handles_meet() {
        for (isolation, meets) in [("initially", true), ("persistently", false)] {
            let mut pages = pages(&format!("[fdp]\nisolation = \"{isolation}\"\nhandles = 2\n"));
            let (pool, hosts) = (PoolId::new(0), pages.placement.streams.hosts().to_vec());
            let lpn = Lpn::new(3);
            let sectors = pages.format.full_page;
            let padding = Placing::padding(pool, To::Stream(hosts[0]), Class::UserWrite);
            let write = Placing { lpn, sectors, why: Why::Written, ..padding };
            pages.take_in(&crate::flash::PageOp::unowned(lpn, sectors, Writer::default()), true);
            let from = pages.put(&write, &mut AtOnce).unwrap().unwrap().at.place;
            let to = (pool, hosts[1]);
            let moves = Placing::moved((lpn, from), Reason::Gc, to, (Class::InternalWrite, Owner::Nobody));
            let outcome = pages.put(&moves, &mut AtOnce).map(drop).map_err(|error| error.to_string());
            match meets {
                true => assert_eq!(outcome, Ok(())),
                false => assert!(outcome.unwrap_err().contains("of handle 1 moves to blocks of handle 2")),
            }
        }
    }
}
