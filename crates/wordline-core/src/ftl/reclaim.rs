//! Reclaiming blocks: garbage collection, static wear levelling and refresh are one job with three
//! reasons. A job moves its block's live pages away, a few at a time, then erases the block.

use super::Ftl;
use super::refresh::Step;
use super::two_speed::TwoSpeed;
use crate::config::{Config, FastFirst};
use crate::engine::Ns;
use crate::engine::variation::{Purpose, unit};
use crate::error::SimError;
use crate::flash::{BlockState, Class, Outbox, Owner, Txn, TxnOp};
use crate::nand::{BlockId, Lpn, Nand, PlaneId, Ppn};
use crate::policy::gc::{Gc, GcView};

/// Why a block is reclaimed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The plane is short of free blocks.
    Gc,
    /// Its data is cold and its cells are the least worn.
    Wear,
    /// Its data is old.
    Refresh,
}

/// The reclaiming of one block. Each plane has at most one under way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Job {
    pub(super) block: BlockId,
    pub(super) cursor: Ppn,
    pub(super) in_flight: u32,
    pub(super) step: Step,
    reason: Reason,
    erasing: bool,
}

/// When and how to reclaim.
#[derive(Clone, Debug)]
pub(super) struct ReclaimConfig {
    policy: Gc,
    threshold_blocks: usize,
    hard_threshold_blocks: usize,
    preemptible: bool,
    copyback: bool,
    pub(super) moves_in_flight: u32,
    static_threshold: u32,
    grown_bad: f64,
    draws: u64,
}

/// Fewest free blocks at which a plane starts to collect: one for GC to write into, one for the user.
const THRESHOLD_MIN_BLOCKS: usize = 3;

impl ReclaimConfig {
    pub fn new(config: &Config) -> ReclaimConfig {
        let blocks = f64::from(config.ssd.blocks_per_plane);
        let gc = &config.gc;
        ReclaimConfig {
            policy: Gc::new(gc.policy, config),
            threshold_blocks: ((gc.threshold * blocks) as usize).max(THRESHOLD_MIN_BLOCKS),
            hard_threshold_blocks: ((gc.hard_threshold * blocks) as usize).max(THRESHOLD_MIN_BLOCKS - 1),
            preemptible: gc.preemptible,
            copyback: gc.copyback,
            moves_in_flight: gc.moves_in_flight,
            static_threshold: config.wear.static_threshold,
            grown_bad: config.reliability.grown_bad,
            draws: 0,
        }
    }
}

/// Jobs that a plane may begin without any step of the host, by block of the plane.
const JOBS_ALONE_MAX: u32 = 16;

impl Ftl {
    /// True when a plane is short of free blocks.
    #[inline]
    pub(super) fn is_below_threshold(&self, plane: PlaneId) -> bool {
        self.blocks.free_count(plane) < self.reclaim.threshold_blocks
    }

    /// True when a plane should reclaim a block.
    #[inline]
    pub(super) fn wants_reclaim(&self, plane: PlaneId) -> bool {
        self.is_below_threshold(plane) || self.refreshes && !self.refresh_due[plane as usize].is_empty()
    }

    /// Starts a job in a plane, if a block is worth it.
    pub(super) fn reclaim(
        &mut self,
        plane: PlaneId,
        nand: &mut Nand,
        now: Ns,
        out: &mut Outbox,
    ) -> Result<(), SimError> {
        debug_assert!(self.jobs[plane as usize].is_none());
        if !self.may_begin_job(plane)? {
            return Ok(());
        }
        let Some((block, reason)) = self.choose_victim(plane, nand, now) else { return Ok(()) };
        self.jobs_alone[plane as usize].1 += 1;
        self.blocks.get_mut(block).state = BlockState::Reclaiming;
        let cursor = self.geometry.first_page(block);
        let step = if reason == Reason::Refresh { self.first_step(block, nand) } else { Step::Empty };
        self.jobs[plane as usize] = Some(Job { block, cursor, in_flight: 0, step, reason, erasing: false });
        match reason {
            Reason::Gc => self.counters.gc_jobs += 1,
            Reason::Wear => {
                self.counters.wear_jobs += 1;
                self.blocks.open_most_worn(plane, self.cold_stream(), nand);
            }
            Reason::Refresh => self.counters.refresh_jobs += 1,
        }
        self.update_urgency(plane, out);
        self.pump(plane, nand, now, out)
    }

    /// Whether a plane may begin a job. Jobs can feed themselves: where the mapping table is cached, a
    /// page that is moved may cost another write, so that a threshold that is out of reach keeps a
    /// plane collecting for ever. After many jobs without any step of the host the rest can wait for
    /// the host, or, where the host waits for them, there is no way on.
    fn may_begin_job(&mut self, plane: PlaneId) -> Result<bool, SimError> {
        let limit = JOBS_ALONE_MAX * self.geometry.blocks_per_plane;
        let (steps, jobs) = &mut self.jobs_alone[plane as usize];
        if *steps != self.host_steps {
            (*steps, *jobs) = (self.host_steps, 0);
        }
        if *jobs < limit {
            return Ok(true);
        }
        if !self.is_pressed(plane) {
            return Ok(false);
        }
        Err(SimError::OutOfSpace(format!(
            "plane {plane} reclaimed {limit} blocks while the host got nowhere: moving pages takes the room that it wins; \
             raise ssd.overprovisioning or ftl.cmt_bytes, or lower gc.threshold"
        )))
    }

    fn choose_victim(&mut self, plane: PlaneId, nand: &Nand, now: Ns) -> Option<(BlockId, Reason)> {
        if self.is_below_threshold(plane) {
            if let Some(block) = self.wear_victim(plane, nand) {
                return Some((block, Reason::Wear));
            }
            if let Some(block) = self.gc_victim(plane) {
                return Some((block, Reason::Gc));
            }
        }
        // A refresh wins no room: it waits where room is what everybody waits for.
        if self.is_pressed(plane) {
            return None;
        }
        self.refresh_victim(plane, nand, now).map(|block| (block, Reason::Refresh))
    }

    pub(super) fn gc_victim(&mut self, plane: PlaneId) -> Option<BlockId> {
        self.reclaim.draws += 1;
        let preferred = self.two_speed.as_ref().and_then(TwoSpeed::preferred_stream);
        let Some((stream, first)) = preferred else { return self.gc_victim_among(plane, None) };
        let fast = self.gc_victim_among(plane, Some(stream));
        if fast.is_some() && first == FastFirst::Always {
            return fast;
        }
        let any = self.gc_victim_among(plane, None)?;
        let live = |block| self.blocks.get(block).valid;
        Some(fast.filter(|&block| live(block) <= live(any)).unwrap_or(any))
    }

    /// A victim among the blocks of a stream, or among all.
    fn gc_victim_among(&mut self, plane: PlaneId, stream: Option<u8>) -> Option<BlockId> {
        let view = GcView {
            blocks: self.blocks.table(),
            plane,
            pages_per_block: self.geometry.pages_per_block,
            blocks_per_plane: self.geometry.blocks_per_plane,
            seed: self.seed,
            draw: self.reclaim.draws,
            stream,
        };
        self.reclaim.policy.choose(&view)
    }

    /// The least worn full block, where the plane's wear is too uneven. A free block is needed beside
    /// the one that GC keeps: a cold block brings no room.
    fn wear_victim(&self, plane: PlaneId, nand: &Nand) -> Option<BlockId> {
        if self.reclaim.static_threshold == 0 || self.blocks.free_count(plane) < THRESHOLD_MIN_BLOCKS - 1 {
            return None;
        }
        let in_use = || self.blocks.of_plane(plane).filter(|(_, b)| b.state != BlockState::Bad);
        let most = in_use().map(|(id, _)| nand.health(id).pec).max()?;
        let pages = self.geometry.pages_per_block;
        let (least, block) = in_use()
            .filter(|(_, b)| b.state == BlockState::Full && u32::from(b.programmed) == pages)
            .map(|(id, _)| (nand.health(id).pec, id))
            .min()?;
        (most - least > self.reclaim.static_threshold).then_some(block)
    }

    /// Moves on: asks for as many moves as may be in flight, or for the erase when all are done.
    pub(super) fn pump(
        &mut self,
        plane: PlaneId,
        nand: &mut Nand,
        now: Ns,
        out: &mut Outbox,
    ) -> Result<(), SimError> {
        let Some(mut job) = self.jobs[plane as usize] else { return Ok(()) };
        if job.step != Step::Empty {
            return self.pump_in_place(plane, nand, now, out);
        }
        let end = self.geometry.first_page(job.block) + self.geometry.pages_per_block;
        while job.in_flight < self.reclaim.moves_in_flight {
            let Some(ppn) = self.mapping.next_valid(job.cursor, end) else {
                job.cursor = end;
                break;
            };
            job.cursor = ppn + 1;
            job.in_flight += 1;
            self.jobs[plane as usize] = Some(job);
            self.counters.refresh_valid_pages += u64::from(job.reason == Reason::Refresh);
            if self.reclaim.copyback {
                self.copy_back(plane, ppn, nand, out)?;
            } else {
                let lpn = self.mapping.lpn_of(ppn);
                self.mapping.prefetch(lpn);
                let address = self.geometry.address(ppn);
                let bytes = self.page_bytes + self.spare_bytes;
                let all = self.full_page;
                self.read_page(Class::InternalRead, Owner::Job(plane), address, lpn, bytes, all, out);
            }
        }
        self.jobs[plane as usize] = Some(job);
        if job.cursor == end && job.in_flight == 0 {
            self.try_erase(plane, now, out);
        }
        Ok(())
    }

    fn try_erase(&mut self, plane: PlaneId, _now: Ns, out: &mut Outbox) {
        let Some(job) = &mut self.jobs[plane as usize] else { return };
        if job.erasing || self.blocks.get(job.block).reads > 0 {
            return;
        }
        job.erasing = true;
        let first = self.geometry.first_page(job.block);
        let lpn = crate::nand::NONE;
        out.order(Txn::new(TxnOp::Erase, Class::Erase, Owner::Job(plane), first, lpn, 0));
    }

    /// A read of a block is done; an erase, or an adjustment of its wordlines, may have waited for it.
    #[inline(always)]
    pub(super) fn release_read(
        &mut self,
        ppn: Ppn,
        nand: &mut Nand,
        now: Ns,
        out: &mut Outbox,
    ) -> Result<(), SimError> {
        let id = self.geometry.block_of(ppn);
        let block = self.blocks.get_mut(id);
        block.reads -= 1;
        let is_waited_for = matches!(block.state, BlockState::Reclaiming | BlockState::Merging);
        // Few blocks are waited for, while it is anybody's guess whether another read is under way.
        if is_waited_for { self.go_on_if_unread(id, nand, now, out) } else { Ok(()) }
    }

    /// Perhaps nobody reads a block any more that is being reclaimed or merged.
    #[inline(never)]
    fn go_on_if_unread(
        &mut self,
        id: BlockId,
        nand: &mut Nand,
        now: Ns,
        out: &mut Outbox,
    ) -> Result<(), SimError> {
        let block = self.blocks.get(id);
        if block.reads > 0 {
            return Ok(());
        }
        if block.state == BlockState::Reclaiming {
            let plane = self.geometry.plane_of(id);
            let end = self.geometry.first_page(id) + self.geometry.pages_per_block;
            let waits = |job: Job| {
                job.block == id && job.step == Step::Empty && job.cursor == end && job.in_flight == 0
            };
            if self.jobs[plane as usize].is_some_and(waits) {
                self.try_erase(plane, now, out);
            }
            return Ok(());
        }
        self.pump(self.geometry.plane_of(id), nand, now, out)
    }

    fn destination(&mut self, plane: PlaneId, nand: &Nand) -> Result<Ppn, SimError> {
        let wear = self.jobs[plane as usize].is_some_and(|job| job.reason == Reason::Wear);
        let stream = if wear { self.cold_stream() } else { self.gc_stream() };
        self.blocks.allocate(plane, stream, 0, nand).map(|to| to.ppn).ok_or_else(|| {
            SimError::OutOfSpace(format!(
                "plane {plane} has no free block left to move live pages into; raise ssd.overprovisioning or gc.threshold"
            ))
        })
    }

    /// A page of the block is in the controller: program it elsewhere, unless it has been overwritten.
    pub(super) fn move_read_done(
        &mut self,
        plane: PlaneId,
        txn: &Txn,
        nand: &mut Nand,
        now: Ns,
        out: &mut Outbox,
    ) -> Result<(), SimError> {
        let step = self.jobs[plane as usize].map_or(Step::Empty, |job| job.step);
        if step != Step::Empty {
            return self.in_place_read_done(plane, step, txn, nand, now, out);
        }
        if !self.mapping.is_valid(txn.ppn) {
            return self.move_done(plane, nand, now, out);
        }
        self.program_elsewhere(plane, txn.lpn, txn.ppn, nand, now, out)
    }

    /// Asks for the program of a page whose data the controller has, in another block of the plane.
    pub(super) fn program_elsewhere(
        &mut self,
        plane: PlaneId,
        lpn: Lpn,
        from: Ppn,
        nand: &mut Nand,
        now: Ns,
        out: &mut Outbox,
    ) -> Result<(), SimError> {
        let ppn = self.destination(plane, nand)?;
        self.rebind(lpn, from, ppn);
        self.allocator.began(plane);
        let bytes = self.page_bytes + self.spare_bytes;
        out.order(Txn::new(TxnOp::Program, Class::InternalWrite, Owner::Job(plane), ppn, lpn, bytes));
        self.note_moved(lpn, nand, now, out)
    }

    fn copy_back(
        &mut self,
        plane: PlaneId,
        source: Ppn,
        nand: &Nand,
        out: &mut Outbox,
    ) -> Result<(), SimError> {
        let ppn = self.destination(plane, nand)?;
        let lpn = self.mapping.lpn_of(source);
        // The data never reaches the controller, so the page stays where it is until the copy is there.
        self.allocator.began(plane);
        self.blocks.get_mut(self.geometry.block_of(source)).reads += 1;
        let mut txn = Txn::new(TxnOp::Copyback, Class::InternalWrite, Owner::Job(plane), ppn, lpn, 0);
        txn.source = source;
        out.order(txn);
        Ok(())
    }

    pub(super) fn rebind(&mut self, lpn: u32, from: Ppn, to: Ppn) {
        if let Some(shadow) = &mut self.shadow {
            shadow.copied(from, to);
        }
        if let Some(map) = &mut self.sector_map {
            map.copy(from, to);
        }
        self.mapping.bind(lpn, to);
        self.retire(from);
        self.counters.moved += 1;
    }

    /// A copy inside the plane is there: it takes the page's place, unless that has been overwritten.
    pub(super) fn copied_back(
        &mut self,
        txn: &Txn,
        nand: &mut Nand,
        now: Ns,
        out: &mut Outbox,
    ) -> Result<(), SimError> {
        if self.mapping.is_valid(txn.source) {
            self.rebind(txn.lpn, txn.source, txn.ppn);
            self.note_moved(txn.lpn, nand, now, out)?;
        } else {
            self.blocks.invalidate(txn.ppn);
        }
        self.release_read(txn.source, nand, now, out)
    }

    /// One move is over.
    pub(super) fn move_done(
        &mut self,
        plane: PlaneId,
        nand: &mut Nand,
        now: Ns,
        out: &mut Outbox,
    ) -> Result<(), SimError> {
        if let Some(job) = &mut self.jobs[plane as usize] {
            job.in_flight -= 1;
        }
        self.pump(plane, nand, now, out)
    }

    /// The block is erased: back to the pool, and on with whatever waited for room.
    pub(super) fn erase_done(
        &mut self,
        txn: &Txn,
        nand: &mut Nand,
        now: Ns,
        out: &mut Outbox,
    ) -> Result<(), SimError> {
        let block = self.geometry.block_of(txn.ppn);
        let plane = self.geometry.plane_of(block);
        let place = u64::from(block) << 24 | u64::from(nand.health(block).pec);
        let chance = self.reclaim.grown_bad;
        let bad = chance > 0.0 && unit(self.seed, place, Purpose::GrownBad) < chance;
        self.finish_erase(block, bad)?;
        self.jobs[plane as usize] = None;
        self.unpark(plane, nand, now, out)?;
        self.update_urgency(plane, out);
        if self.wants_reclaim(plane) {
            self.reclaim(plane, nand, now, out)?;
        }
        Ok(())
    }

    pub(super) fn finish_erase(&mut self, block: BlockId, bad: bool) -> Result<(), SimError> {
        if let Some(shadow) = &mut self.shadow {
            shadow.erased(block)?;
        }
        self.blocks.erased(block, bad);
        self.counters.erases += 1;
        self.counters.grown_bad += u64::from(bad);
        Ok(())
    }

    /// True when a plane has hardly a free block, or a write waits for one.
    fn is_pressed(&self, plane: PlaneId) -> bool {
        self.blocks.free_count(plane) <= self.reclaim.hard_threshold_blocks
            || !self.parked[self.parked_queue(plane)].is_empty()
    }

    /// Counts the plane in or out of those where GC goes before user I/O.
    pub(super) fn update_urgency(&mut self, plane: PlaneId, out: &mut Outbox) {
        let pressed = self.is_pressed(plane);
        let urgent = self.jobs[plane as usize]
            .is_some_and(|job| pressed || job.reason == Reason::Gc && !self.reclaim.preemptible);
        let count = &mut out.urgent[(plane / self.planes_per_unit) as usize];
        let was = &mut self.is_urgent[plane as usize];
        if *was != urgent {
            *was = urgent;
            if urgent { *count += 1 } else { *count -= 1 }
        }
    }
}
