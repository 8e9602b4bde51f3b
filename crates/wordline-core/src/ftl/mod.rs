//! The flash translation layer: turns operations on the host's pages into flash transactions.
//!
//! All numbers here are in mapping units (`ftl.unit_bytes`): a page of the FTL is a unit, its `Lpn` a logical one and its
//! `Pun` a physical one, which is the page of the flash times the units of a page, plus the place in the page. The tables, the
//! blocks' counts and the counters follow. A page of the flash, `Ppn`, is a number only in a [`Txn`], and what the flash array
//! is told; [`Format`](map::format::Format) turns one into the other. Where units are pages, both are one.
//!
//! A [`PageOp`] comes in; [`Txn`]s and finished owners go out through the [`Outbox`]. The FTL is made of parts, each
//! with its own state and file: [`Pages`] (the mapping, the blocks, the places of new pages), [`Merges`] (partial writes),
//! [`Parking`] (writes that wait for room), [`TwoSpeed`] (a write queue and rewrites), [`Reclaim`] (GC, wear
//! levelling and, in [`Refresh`](reclaim::refresh::Refresh), refresh), [`Translation`] (a mapping table that does not fit in DRAM),
//! [`Journal`] (what of the table is written to flash).
//!
//! What a part does with [`Pages`] alone is a function of the part. What involves several parts is a function of
//! [`Ftl`]: a write may need room, then a block is reclaimed, then pages move, then the mapping table is written.

mod blocks;
mod check;
mod handles;
mod map;
mod power;
mod precondition;
mod rebuild;
mod reclaim;
mod sound;
mod step;
mod table;
mod two_speed;
mod user;
mod verify;
mod write;
mod zoned;

pub use blocks::Blocks;
pub use power::Remains;
pub use precondition::FullGroup;
pub use step::Step;

use std::io;

use crate::config::{Config, MappingKind};
use crate::engine::{LoadError, Loader, Saver, State, state};
use crate::error::SimError;
use crate::flash::{Carried, Handling, Owner, PageOp, PageOpKind, SectorMask, Txn, TxnOp, UrgentPlanes};
use crate::metrics::{FtlCounters, HandleEvents, JobEntry};
use crate::nand::{Lpn, Nand, UnitGeometry};
use crate::options::RunOptions;
use crate::policy::Counted;
use crate::policy::placement::Reason;
use map::journal::Journal;
use rebuild::Rebuilds;
use reclaim::Reclaim;
use table::translation::Translation;
use two_speed::TwoSpeed;
use write::closing::{Asked, Ending, Leaving};
use write::merge::Merges;
use write::open_timeout::OpenTimeout;
use write::pages::Pages;
use write::parking::Parking;
use zoned::Zoned;

/// The translation layer.
#[derive(Debug)]
pub struct Ftl {
    pages: Pages,
    merges: Merges,
    rebuilds: Rebuilds,
    parking: Parking,
    two_speed: Option<TwoSpeed>,
    reclaim: Reclaim,
    translation: Option<Translation>,
    open_timeout: OpenTimeout,
    /// Groups that the host has asked to close and GC may still need, by request.
    asked: Vec<Asked>,
    /// Requests to close before which the write cache has taken in data that have yet to leave.
    leaving: Vec<Leaving>,
    closes: u8,
    /// What becomes of the rest of a group that the host closes.
    ending: Ending,
    /// Events of handles, where there is Flexible Data Placement.
    handle_events: Option<Box<HandleEvents>>,
    /// There on a drive of zones.
    zoned: Option<Box<Zoned>>,
}

state! {
    Ftl {
        parts: pages, merges, rebuilds, parking, two_speed, reclaim, translation, open_timeout, zoned;
        values: asked, leaving, closes, handle_events;
        derived: ending;
        checked: is_sound;
    }
}

impl Ftl {
    /// True for a logical unit of the host, the journal or the mapping table.
    pub(crate) fn has_page(&self, lpn: Lpn) -> bool {
        self.pages.mapping.has(lpn)
    }

    /// True for a logical unit that is somewhere.
    #[inline]
    #[must_use]
    pub fn has_place(&self, lpn: Lpn) -> bool {
        self.pages.mapping.get(lpn).is_some()
    }

    /// By LUN: in how many of its planes GC must get on.
    pub(crate) fn urgent(&self, luns: usize) -> Vec<UrgentPlanes> {
        self.reclaim.urgent(luns)
    }

    /// An empty device.
    #[must_use]
    pub fn new(config: &Config, planes_per_lun: u32, options: &RunOptions) -> Ftl {
        let geometry = config.geometry();
        let host_pages = config.host_units();
        let translation =
            (config.ftl.mapping == MappingKind::Dftl).then(|| Translation::new(config, host_pages));
        let allocator = config.ftl.allocation.begin(&config.ftl.policies, &config.device_view());
        let goes_anywhere = allocator.goes_anywhere();
        let journal = Journal::new(config);
        let more = translation.as_ref().map_or(0, Translation::pages)
            + journal.as_ref().map_or(0, |journal| journal.units());
        let pages = Pages::new(config, allocator, journal, host_pages + u64::from(more), options);
        let two_speed = TwoSpeed::new(config, &pages.geometry, goes_anywhere, pages.placement.fast);
        let preferred = two_speed.as_ref().and_then(TwoSpeed::preferred_stream);
        let frontiers = geometry.planes() as usize * pages.placement.streams.len();
        Ftl {
            pages,
            merges: Merges::new(config.ftl.coalesce, config.schedule.policy.reads_for_the_cache()),
            rebuilds: Rebuilds::default(),
            parking: Parking::new(geometry.planes() as usize, goes_anywhere),
            two_speed,
            reclaim: Reclaim::new(config, planes_per_lun, preferred, options),
            translation,
            open_timeout: OpenTimeout::new(config, frontiers),
            asked: Vec::new(),
            leaving: Vec::new(),
            closes: 0,
            ending: config.ftl.closing,
            handle_events: config.fdp.is_on().then(Box::default),
            zoned: Zoned::new(config).map(Box::new),
        }
    }

    /// The jobs that are over, since the last call, where the run keeps them.
    pub fn take_jobs(&mut self) -> Vec<JobEntry> {
        self.reclaim.take_jobs()
    }

    /// True where more than the write queue is in DRAM when power goes: a part of the mapping table.
    #[must_use]
    pub fn has_state_in_dram(&self) -> bool {
        self.translation.is_some()
    }

    /// Pages that the host sees.
    #[must_use]
    pub fn host_pages(&self) -> u64 {
        self.pages.format.host_end.into()
    }

    /// The flash array as the FTL counts it: a page for each mapping unit.
    #[must_use]
    pub fn geometry(&self) -> &UnitGeometry {
        &self.pages.geometry
    }

    /// All blocks, to look at.
    #[must_use]
    pub fn blocks(&self) -> &Blocks {
        &self.pages.blocks
    }

    /// What its policies have counted of their own.
    #[must_use]
    pub fn counted(&self) -> Vec<Counted> {
        [vec![self.pages.allocator.counted()], self.reclaim.counted()].concat()
    }

    /// What happened, for the results.
    #[must_use]
    pub fn counters(&self) -> &FtlCounters {
        &self.pages.counters
    }

    /// The window of what is measured begins: the largest values of what waits are those from now on.
    pub fn begin_window(&mut self) {
        if let Some(path) = &self.two_speed {
            let (queued, rewrites) = path.waiting(&self.pages);
            self.pages.counters.queued_max = queued;
            self.pages.counters.rewrite_queue_max = rewrites;
        }
    }

    /// True in checked mode.
    #[inline]
    #[must_use]
    pub fn is_checked(&self) -> bool {
        self.pages.shadow.is_some()
    }

    /// Writes the account of checked mode.
    ///
    /// # Errors
    /// What is written to fails.
    pub fn save_shadow(&self, to: &mut Saver<'_>) -> io::Result<()> {
        self.pages.shadow.save(to)
    }

    /// Takes back what [`Ftl::save_shadow`] wrote.
    ///
    /// # Errors
    /// See [`LoadError`].
    pub fn load_shadow(&mut self, from: &mut Loader<'_>) -> Result<(), LoadError> {
        self.pages.shadow.load(from)
    }

    /// Another run begins on what is there. Counters begin anew; the account of checked mode goes on.
    pub fn begin_counters_anew(&mut self, nand: &Nand) {
        self.pages.close_pages();
        self.reclaim.forget_idle_alarm();
        self.forget_journal_alarm();
        self.pages.take_counters();
        self.handle_events.iter_mut().for_each(|events| events.begin_anew());
        let Pages { format, geometry, blocks, shadow: Some(shadow), .. } = &mut self.pages else { return };
        // What an earlier run programmed is as old as the drive says, and so is what is not valid: after a loss of power
        // a replay reads it, or a page falls back to it.
        for block in geometry.all_blocks() {
            let units = geometry.pages_of(block);
            let end = units.start + u32::from(blocks.get(block).next_page);
            for pun in units.start.to(end) {
                if let Some(since) = nand.page_since(format.page_of(pun)) {
                    shadow.times.programmed(pun, since);
                }
            }
        }
    }

    /// Where `is_held`, GC begins only where room is short.
    pub fn collect_no_further(&mut self, is_held: bool) {
        self.reclaim.hold(is_held);
    }

    /// Another run begins on what is there, of which the volatile cache holds `dirty` sectors by page. Counters begin
    /// anew, and so does the account of checked mode: what is there counts as one write.
    pub fn begin_anew(&mut self, nand: &Nand, dirty: impl Iterator<Item = (Lpn, SectorMask)>) {
        self.begin_counters_anew(nand);
        let Pages { mapping, shadow: Some(shadow), .. } = &mut self.pages else { return };
        for (lpn, pun) in mapping.mapped() {
            shadow.commit(lpn, pun, 0, None);
        }
        for (lpn, sectors) in dirty {
            shadow.accept(lpn, sectors);
        }
    }

    /// Reads that checked mode has compared with what was written.
    #[must_use]
    pub fn reads_checked(&self) -> u64 {
        self.pages.shadow.as_ref().map_or(0, |shadow| shadow.reads_checked)
    }

    /// Checked mode: the data of a write are the newest from now on, and what is trimmed may be forgotten.
    #[inline(never)]
    pub fn accept(&mut self, request: u32, kind: PageOpKind, lpn: Lpn, sectors: SectorMask) {
        let Some(shadow) = &mut self.pages.shadow else { return };
        match kind {
            PageOpKind::Read => {}
            PageOpKind::Write => {
                shadow.accept(lpn, sectors);
                shadow.promise(request, lpn, sectors);
            }
            PageOpKind::Trim => shadow.trim(lpn, sectors),
        }
    }

    /// Checked mode: the data of a write reach the FTL, from the host or from the cache.
    #[inline(never)]
    pub fn take_over(&mut self, op: &PageOp) {
        let Pages { mapping, shadow: Some(shadow), .. } = &mut self.pages else { return };
        if op.kind == PageOpKind::Write {
            shadow.at_hand.delivered(op.lpn, op.sectors, mapping.get(op.lpn).is_none());
        }
    }

    /// A transaction is done: settle it, tell its owner, and start what waited for it.
    ///
    /// # Errors
    /// [`SimError::OutOfSpace`] when a plane has no room left, [`SimError::Check`] in checked mode.
    #[inline(always)]
    pub fn done(&mut self, id: u32, step: &mut Step<'_>) -> Result<(), SimError> {
        let Txn { op, handling: Handling { is_lost, .. }, .. } = step.out.txns[id];
        let carried @ &Carried { owner, unit, .. } = step.out.txns.carried(id);
        let is_plain = matches!((op, owner), (TxnOp::Read, Owner::Request(_))) && carried.is_last();
        if is_lost {
            return self.rebuild(id, step);
        }
        if is_plain && self.pages.shadow.is_none() && self.two_speed.is_none() {
            self.reclaim.host_steps += 1;
            step.out.served.push(owner);
            return self.release_read(unit, step);
        }
        if op == TxnOp::Program && self.two_speed.is_none() {
            return self.program_done(id, step);
        }
        self.any_done(id, step)
    }

    /// See [`Ftl::done`].
    #[inline(never)]
    fn any_done(&mut self, id: u32, step: &mut Step<'_>) -> Result<(), SimError> {
        let Txn { op, invalid, .. } = step.out.txns[id];
        let carried = *step.out.txns.carried(id);
        match op {
            TxnOp::Read if let Owner::Job(pool) = carried.owner => self.moved_page_read(pool, id, step)?,
            TxnOp::Read => {
                let mut read = Some(carried);
                while let Some(unit) = read {
                    self.read_done(id, &unit, step)?;
                    read = step.out.txns.after(&unit);
                }
            }
            TxnOp::Program | TxnOp::Copyback => self.program_done(id, step)?,
            TxnOp::Erase => self.erase_done(id, step)?,
            TxnOp::Adjust => self.adjust_done(carried.unit, invalid, step)?,
        }
        if let Some(path) = &mut self.two_speed {
            path.done(&step.out.txns[id], &carried);
            return self.write_path_goes_on(step);
        }
        Ok(())
    }

    fn read_done(&mut self, id: u32, read: &Carried, step: &mut Step<'_>) -> Result<(), SimError> {
        if let Owner::Parity(rebuild) = read.owner {
            return self.stripe_read(rebuild, *read, step);
        }
        self.check_read(id, read, step)?;
        match read.owner {
            Owner::Merge(id) => self.merge_read_done(id, step)?,
            Owner::Job(pool) => self.moved_unit_read(pool, read, &mut None, step)?,
            Owner::Map(page) => self.map_read_done(page, step)?,
            Owner::Rewrite(id) => self.rewrite_read_done(id, step)?,
            Owner::Parity(_) => {}
            owner => {
                self.reclaim.host_steps += 1;
                step.out.served.push(owner);
            }
        }
        self.release_read(read.unit, step)
    }

    /// Checked mode: what was read is what was written.
    #[inline(always)]
    fn check_read(&mut self, id: u32, read: &Carried, step: &Step<'_>) -> Result<(), SimError> {
        if self.is_checked() { self.compare_read(id, read, step) } else { Ok(()) }
    }

    #[cold]
    fn compare_read(&mut self, id: u32, read: &Carried, step: &Step<'_>) -> Result<(), SimError> {
        let Pages { shadow: Some(shadow), mapping, format, .. } = &mut self.pages else { return Ok(()) };
        shadow.read_done(id, read, mapping.is_valid(read.unit))?;
        shadow.times.check(read.unit, step.nand.page_since(format.page_of(read.unit)))
    }

    #[inline(never)]
    fn program_done(&mut self, id: u32, step: &mut Step<'_>) -> Result<(), SimError> {
        let Txn { ppn, speed, mode, pages: together, .. } = step.out.txns[id];
        let unit = *step.out.txns.carried(id);
        let pages = &mut self.pages;
        let address = pages.geometry.address(unit.unit);
        let page = pages.format.address_of_page(ppn, address);
        step.nand.programmed(page, (mode, speed), step.now);
        for more in 1..u32::from(together) {
            step.nand.programmed(page.plus(more), (mode, speed), step.now);
        }
        let plane = pages.geometry.plane_of(address.block);
        let pool = pages.blocks.pool_of(plane);
        pages.allocator.ended(plane);
        let units =
            if pages.packing.packs() { u32::from(together) * pages.format.units_per_page() } else { 1 };
        pages.blocks.programmed_run(address, units);
        let mut next = Some(unit);
        while let Some(unit) = next {
            self.unit_done(id, &unit, step)?;
            next = step.out.txns.after(&unit);
        }
        if self.zoned.is_some() {
            self.zone_programmed(id, step)?;
        }
        // The block may just have become a candidate that GC was waiting for.
        self.reclaim_if_due(pool, step)
    }

    /// A unit of a page is programmed.
    #[inline(always)]
    fn unit_done(&mut self, id: u32, unit: &Carried, step: &mut Step<'_>) -> Result<(), SimError> {
        let pages = &mut self.pages;
        if let Some(shadow) = &mut pages.shadow {
            shadow.times.programmed(unit.unit, step.now);
            shadow.program_done(unit.unit, pages.mapping.is_valid(unit.unit));
        }
        let held = if pages.journal.is_some() { pages.entry_is_safe(unit.lpn, unit.unit) } else { None };
        match unit.owner {
            Owner::Merge(id) => self.merges.program_done(id, step.out),
            Owner::Job(pool) => {
                let txn = step.out.txns[id];
                if txn.op == TxnOp::Copyback {
                    self.copied_back(txn.source, unit, step)?;
                    self.host_may_take(pool, 1, step)?;
                    self.move_done(pool, step)?;
                } else {
                    self.move_programmed(pool, step)?;
                }
            }
            Owner::Rewrite(id) => {
                self.reclaim.host_steps += 1;
                if let Some(path) = &mut self.two_speed {
                    path.rewrite_done(id);
                }
            }
            Owner::Map(_) | Owner::Parity(_) | Owner::Moved => {}
            // What a loss of power left is the host's; a table that is cached in part writes for nobody, too, and so do a
            // journal, padding and parity.
            Owner::Nobody => {
                let is_of_table = pages.journal.is_some() && pages.format.is_of_table(unit.lpn);
                let is_data = unit.lpn != Lpn::NONE && !is_of_table;
                self.reclaim.host_steps += u64::from(self.translation.is_none() && is_data);
            }
            owner => {
                self.reclaim.host_steps += 1;
                step.out.served.push(owner);
            }
        }
        match held {
            Some(held) => self.release_read(held, step),
            None => Ok(()),
        }
    }

    /// Page operations of the host that were asked for, and those that were served by flash.
    #[must_use]
    pub fn host_steps(&self) -> u64 {
        self.reclaim.host_steps
    }

    /// Adds to `words` what goes on, and what would end it.
    #[cold]
    pub fn tell_what_works(&self, words: &mut String) {
        if let Some((pool, waiting)) = self.parking.waiting() {
            let free = self.pages.blocks.free_count(pool);
            let grouping = self.pages.blocks.grouping();
            let (name, groups) = (grouping.name(pool), grouping.groups());
            *words += &format!("; {waiting} writes wait for room in {name}, with {free} free {groups}");
        }
        let kinds = [
            (Reason::Gc, "GC", "raise ssd.overprovisioning or lower gc.threshold"),
            (Reason::Wear, "wear levelling", "raise wear.static_threshold"),
            (Reason::Refresh, "refresh", "raise refresh.period_days"),
            (Reason::Fold, "folding of the SLC cache", "raise slc.fold_above or slc.idle_ms"),
        ];
        for (reason, what, fix) in kinds {
            let jobs = self.reclaim.jobs_for(reason);
            if jobs > 0 {
                *words += &format!("; {what} goes on in {jobs} planes ({fix})");
            }
        }
        if self.is_rewriting() {
            *words += "; fast pages are written again (raise program.rewrite_threshold)";
        }
    }

    /// Says what waits for something that will never come; `None` if nothing does.
    #[must_use]
    pub fn stuck(&self) -> Option<String> {
        let queued = self.two_speed.as_ref().map_or(0, TwoSpeed::queued);
        let (pool, waiting) = self.parking.waiting().unwrap_or_default();
        let count = waiting + queued as usize;
        if count > 0 {
            return Some(format!("{count} writes wait for room: {}", self.pages.no_room(pool)));
        }
        let (pool, _) = self.pages.blocks.of_frontier(self.asked.first()?.first()?);
        Some(format!(
            "the host's open groups wait to be closed, and GC may need them: {}",
            self.pages.no_room(pool)
        ))
    }
}
