//! A job, step by step: its group's live pages move away, then the group is erased.

use super::refresh::JobStage;
use super::relocation::Mover;
use super::{Job, LivePages, Reclaim, ReclaimConfig};
use crate::error::SimError;
use crate::flash::{BlockState, Carried, Owner};
use crate::ftl::write::pages::Pages;
use crate::ftl::write::put::{AtOnce, Placed, Placing, To};
use crate::ftl::{Ftl, Step};
use crate::nand::{BlockId, Lpn, Nand, PoolId, Ppn, Pun};
use crate::policy::placement::Reason;
use wordline_cells::variation::{Purpose, unit};

/// How far ahead of a page that moves the logical numbers of the next ones are fetched: a cache line.
const PREFETCH_PAGES: u32 = 16;

impl Reclaim {
    /// A pool's job begins: the pages of a group move, for a reason; all of them where it `empties` the group.
    pub(in crate::ftl) fn begin_job(
        &mut self,
        pool: PoolId,
        (block, reason): (BlockId, Reason),
        empties: bool,
        pages: &mut Pages,
        medium: &impl Mover,
    ) {
        pages.set_state(block, BlockState::Reclaiming);
        let at = LivePages::of(pages.geometry.first_page(block));
        let stage = if empties { JobStage::Empty } else { self.refresh.first_stage(block, medium.nand()) };
        let live = pages.pages_per_group() - pages.gain(block);
        let has_gain = pages.gain(block) > 0;
        // A static group of the SLC cache is no room for other data.
        let is_fixed = pages.blocks.group(block).is_fixed;
        if stage != JobStage::Empty || is_fixed || !has_gain && reason == Reason::Gc {
            pages.blocks.begin_job_without_gain(pool);
        }
        let wins_room =
            reason == Reason::Gc || reason == Reason::Fold && self.is_below_threshold(pool, pages);
        if wins_room
            && !is_fixed
            && let Some(pacing) = &mut self.pacing
        {
            let gain = pages.gain(block);
            pacing.begin(pool, pages.pages_per_group() - gain, gain, pages.blocks.free_count(pool));
        }
        let (in_vain, began) = (pages.is_almost_live(block), medium.now());
        let spare = self.spare_places(pool, block, pages);
        self.pools[pool].job = Some(Job {
            block,
            at,
            in_flight: 0,
            programs: 0,
            stage,
            reason,
            in_vain,
            began,
            live,
            spare,
            erasing: false,
        });
        let blocks = pages.blocks.written_members(block).count() as u64;
        match reason {
            Reason::Gc => pages.counters.gc_jobs += blocks,
            Reason::Wear => {
                pages.counters.wear_jobs += blocks;
                pages.blocks.open_most_worn(pool, pages.placement.cold, medium.nand());
            }
            Reason::Refresh => pages.counters.refresh_jobs += blocks,
            Reason::Fold => pages.counters.fold_jobs += blocks,
            Reason::Rewrite | Reason::Reset => {}
        }
    }

    /// Asks for the erase of a job's group, unless somebody still reads it.
    fn try_erase(
        &mut self,
        pool: PoolId,
        pages: &mut Pages,
        medium: &mut impl Mover,
    ) -> Result<(), SimError> {
        let Some(job) = &mut self.pools[pool].job else { return Ok(()) };
        if job.erasing {
            return Ok(());
        }
        if pages.blocks.group(job.block).reads > 0 {
            medium.hurry_moved_out_of(job.block, pages);
            return Ok(());
        }
        job.erasing = true;
        for block in pages.blocks.grouping().members(job.block) {
            if pages.blocks.is_written(block) {
                job.in_flight += 1;
                medium.erase(Owner::Job(pool), block, pages)?;
            }
        }
        Ok(())
    }

    /// Pages that move for a reason do so inside their plane.
    fn copies_back(&self, reason: Reason) -> bool {
        match (reason, &self.folding) {
            (Reason::Fold, Some(folding)) => folding.copyback,
            _ => self.config.copyback,
        }
    }

    /// How a live page of a pool's job goes to another group.
    #[inline]
    fn placing(&self, pool: PoolId, page: (Lpn, Pun), pages: &mut Pages) -> Placing {
        let reason = self.pools[pool].job.map_or(Reason::Gc, |job| job.reason);
        let stream = pages.stream_for_moved(page, reason);
        Placing::moved(page, reason, (pool, stream), (self.moved_class(), Owner::Job(pool)))
    }

    /// Nobody reads a block any more: its pool's job may have waited for that with its erase.
    fn unread(&mut self, id: BlockId, pages: &mut Pages, step: &mut Step<'_>) -> Result<(), SimError> {
        let head = pages.blocks.grouping().head_of(id);
        let pool = pages.blocks.pool_of_block(head);
        let end = pages.end_of(head);
        let waits = |job: Job| {
            job.block == head && job.stage == JobStage::Empty && job.at.has_come_to(end) && job.in_flight == 0
        };
        if self.pools[pool].job.is_some_and(waits) { self.try_erase(pool, pages, step) } else { Ok(()) }
    }

    /// Whether a block goes bad with the erase that has just ended.
    fn goes_bad(&self, block: BlockId, nand: &Nand) -> bool {
        let place = u64::from(block) << 24 | u64::from(nand.health(block).pec);
        let chance = self.config.grown_bad;
        chance > 0.0 && unit(self.config.seed, place, Purpose::GrownBad) < chance
    }
}

impl Ftl {
    /// Starts a job in a pool, if a group is worth it.
    pub(in crate::ftl) fn reclaim(&mut self, pool: PoolId, step: &mut Step<'_>) -> Result<(), SimError> {
        let Ftl { reclaim, pages, parking, .. } = self;
        debug_assert!(!reclaim.is_busy(pool));
        if !reclaim.may_begin(pool, pages, parking)? {
            return Ok(());
        }
        let victim = reclaim.choose_victim(pool, pages, parking, step.nand, step.now);
        let Some((block, reason)) = victim else { return Ok(()) };
        reclaim.pools[pool].jobs_alone += 1;
        let is_read_reclaim =
            reason == Reason::Refresh && reclaim.refresh.is_read_reclaim(block, pages, step.nand, step.now);
        reclaim.begin_job(pool, (block, reason), reason != Reason::Refresh || is_read_reclaim, pages, step);
        if is_read_reclaim {
            pages.counters.read_reclaim_jobs += pages.blocks.written_members(block).count() as u64;
            pages.counters.read_reclaim_pages += u64::from(pages.pages_per_group() - pages.gain(block));
        }
        reclaim.update_urgency(pool, pages, parking, step.now, step.out);
        self.note_reallocation(block, step);
        self.pump(pool, step)
    }

    /// Starts a job in a pool that wants one and has none.
    pub(in crate::ftl) fn reclaim_if_due(
        &mut self,
        pool: PoolId,
        step: &mut Step<'_>,
    ) -> Result<(), SimError> {
        if !self.reclaim.is_busy(pool) && self.reclaim.is_wanted(pool, &self.pages) {
            self.reclaim(pool, step)?;
        }
        Ok(())
    }

    /// A pool has won room: pools that have had none since a loss of power may move pages there.
    #[cold]
    pub(in crate::ftl) fn reclaim_where_cut_off(&mut self, step: &mut Step<'_>) -> Result<(), SimError> {
        for pool in self.pages.blocks.pools() {
            if self.reclaim.pools[pool].unfinished.is_some() {
                self.reclaim_if_due(pool, step)?;
            }
        }
        Ok(())
    }

    /// Continues a pool's job.
    pub(in crate::ftl) fn pump<M: Mover>(&mut self, pool: PoolId, medium: &mut M) -> Result<(), SimError> {
        match self.reclaim.pools[pool].job {
            None => Ok(()),
            Some(Job { stage: JobStage::Empty, .. }) => self.move_pages(pool, medium),
            Some(_) => self.pump_in_place(pool, medium),
        }
    }

    /// Asks for as many moves as may be in flight, or for the erase when all are done.
    fn move_pages<M: Mover>(&mut self, pool: PoolId, medium: &mut M) -> Result<(), SimError> {
        let Some(job) = self.reclaim.pools[pool].job else { return Ok(()) };
        let end = self.pages.end_of(job.block);
        if M::IS_AT_ONCE || self.reclaim.copies_back(job.reason) {
            self.move_units(pool, job, end, medium)?;
        } else {
            self.read_pages(pool, job, end, medium);
        }
        if self.reclaim.pools[pool].job.is_some_and(|job| job.at.has_come_to(end) && job.in_flight == 0) {
            self.reclaim.try_erase(pool, &mut self.pages, medium)?;
            if M::IS_AT_ONCE {
                return self.job_done(pool, medium);
            }
        }
        Ok(())
    }

    /// Has pages read, each with all its live units, as long as the job holds less than it may.
    #[inline]
    fn read_pages<M: Mover>(&mut self, pool: PoolId, mut job: Job, end: Pun, medium: &mut M) {
        let moves_at_once = self.reclaim.moves_at_once(pool, &job, &self.pages);
        let units_per_program = self.reclaim.config.units_per_program;
        while job.held(units_per_program) < moves_at_once
            && let Some(first) = job.next_page(end, &self.pages)
        {
            self.pages.mapping.prefetch_lpn_of(first + PREFETCH_PAGES);
            let units = medium.read_live(Owner::Job(pool), first, &mut self.pages);
            job.in_flight += units - 1;
            if job.reason == Reason::Refresh {
                self.pages.counters.refresh_valid_pages += u64::from(units);
            }
        }
        self.reclaim.pools[pool].job = Some(job);
    }

    /// Moves units without the controller, as long as fewer move than may: inside their plane, or at once.
    fn move_units<M: Mover>(
        &mut self,
        pool: PoolId,
        mut job: Job,
        end: Pun,
        medium: &mut M,
    ) -> Result<(), SimError> {
        let moves_at_once = self.reclaim.moves_at_once(pool, &job, &self.pages);
        let units_per_program = self.reclaim.config.units_per_program;
        let mut next = None;
        while next.is_some() || job.held(units_per_program) < moves_at_once {
            let Some(pun) = next.or_else(|| job.next_page(end, &self.pages)) else { break };
            next = self.pages.next_in_page(pun);
            job.in_flight += u32::from(next.is_some());
            self.reclaim.pools[pool].job = Some(job);
            self.pages.counters.refresh_valid_pages += u64::from(job.reason == Reason::Refresh);
            let lpn = self.pages.mapping.lpn_of(pun);
            if !M::IS_AT_ONCE {
                self.copy_back(pool, lpn, pun, medium)?;
                continue;
            }
            self.pages.mapping.prefetch(lpn);
            self.pages.mapping.prefetch_lpn_of(pun + PREFETCH_PAGES);
            self.program_elsewhere(pool, lpn, pun, medium)?;
            job.in_flight -= 1;
        }
        self.reclaim.pools[pool].job = Some(job);
        Ok(())
    }

    /// A read of a block is done; an erase, or an adjustment of its wordlines, may have waited for it.
    #[inline(always)]
    pub(in crate::ftl) fn release_read(&mut self, pun: Pun, step: &mut Step<'_>) -> Result<(), SimError> {
        self.release_reads(pun, 1, step)
    }

    /// The same for so many reads of a page.
    #[inline(always)]
    fn release_reads(&mut self, pun: Pun, count: u32, step: &mut Step<'_>) -> Result<(), SimError> {
        let id = self.pages.geometry.block_of(pun);
        let block = self.pages.blocks.get_mut(id);
        block.end_reads(count);
        let is_waited_for = matches!(block.state(), BlockState::Reclaiming | BlockState::Merging);
        // Checked first, since few blocks are waited for; whether another read is under way is harder for the
        // processor to predict.
        if is_waited_for { self.go_on_if_unread(id, step) } else { Ok(()) }
    }

    /// Perhaps nobody reads a block any more that is being reclaimed or merged.
    #[inline(never)]
    fn go_on_if_unread(&mut self, id: BlockId, step: &mut Step<'_>) -> Result<(), SimError> {
        let block = self.pages.blocks.get(id);
        if block.reads() > 0 {
            return Ok(());
        }
        if block.state() == BlockState::Reclaiming {
            return self.reclaim.unread(id, &mut self.pages, step);
        }
        self.pump(self.pages.blocks.pool_of_block(id), step)
    }

    /// A page of a job's group is in the controller: what is still live of it is programmed elsewhere. The job goes on behind each
    /// unit.
    pub(in crate::ftl) fn moved_page_read(
        &mut self,
        pool: PoolId,
        id: u32,
        step: &mut Step<'_>,
    ) -> Result<(), SimError> {
        let first = *step.out.txns.carried(id);
        let (mut next, mut units, mut was_pressed) = (Some(first), 0, None);
        while let Some(moved) = next {
            self.check_read(id, &moved, step)?;
            next = step.out.txns.after(&moved);
            units += 1;
            self.moved_unit_read(pool, &moved, &mut was_pressed, step)?;
        }
        self.release_reads(first.unit, units, step)
    }

    /// The same of one unit. How urgent GC is follows from whether its pool `was_pressed` when that was asked for the unit before it.
    #[inline]
    pub(in crate::ftl) fn moved_unit_read(
        &mut self,
        pool: PoolId,
        moved: &Carried,
        was_pressed: &mut Option<bool>,
        step: &mut Step<'_>,
    ) -> Result<(), SimError> {
        let stage = self.reclaim.pools[pool].job.map_or(JobStage::Empty, |job| job.stage);
        if stage != JobStage::Empty {
            return self.in_place_read_done(pool, stage, moved, step);
        }
        if !self.pages.mapping.is_valid(moved.unit) {
            self.host_may_take(pool, 1, step)?;
        } else if self.program_elsewhere(pool, moved.lpn, moved.unit, step)? {
            return Ok(());
        }
        let is_pressed = self.reclaim.is_pressed(pool, &self.pages, &self.parking);
        if was_pressed.replace(is_pressed) == Some(is_pressed) {
            self.unit_moved(pool, step)
        } else {
            self.move_done(pool, step)
        }
    }

    /// Asks for a copy of a page in another group of the pool, which has one plane.
    fn copy_back<M: Mover>(
        &mut self,
        pool: PoolId,
        lpn: Lpn,
        from: Pun,
        medium: &mut M,
    ) -> Result<(), SimError> {
        let Ftl { reclaim, pages, .. } = self;
        let placing = reclaim.placing(pool, (lpn, from), pages);
        let (to, _) = pages.place_for(&placing).ok_or_else(|| medium.no_room(pool, pages))?;
        medium.copy_back(&placing, from, to, pages);
        Ok(())
    }

    /// Asks for the program of a page whose data the controller has, in another group of the pool; true while that is
    /// under way.
    #[inline]
    pub(in crate::ftl) fn program_elsewhere<M: Mover>(
        &mut self,
        pool: PoolId,
        lpn: Lpn,
        from: Pun,
        medium: &mut M,
    ) -> Result<bool, SimError> {
        let Ftl { reclaim, pages, .. } = self;
        let placing = reclaim.placing(pool, (lpn, from), pages);
        let mut placed = pages.put(&placing, medium)?;
        let mut goes_to = pool;
        if placed.is_none()
            && let To::Stream(stream) = placing.to
            && let Some(other) = pages.pool_with_room(stream)
        {
            goes_to = other;
            placed = pages.put(&Placing { pool: other, ..placing }, medium)?;
        }
        let Some(Placed { is_under_way, .. }) = placed else {
            return Err(medium.no_room(pool, pages));
        };
        if let Some(job) = &mut reclaim.pools[pool].job {
            job.programs += u32::from(is_under_way && !M::IS_AT_ONCE);
        }
        medium.entry_changed(lpn, self)?;
        if goes_to != pool {
            medium.took_room(goes_to, self)?;
        }
        Ok(is_under_way)
    }

    /// A copy inside the plane is there: it takes the page's place, unless that has been overwritten.
    pub(in crate::ftl) fn copied_back(
        &mut self,
        source: Ppn,
        &Carried { lpn, unit: to, .. }: &Carried,
        step: &mut Step<'_>,
    ) -> Result<(), SimError> {
        let Ftl { reclaim, pages, .. } = self;
        let (from, to) = (pages.format.first_unit_of(source), pages.geometry.address(to));
        let pool = pages.blocks.pool_of_block(to.block);
        let reason = reclaim.pools[pool].job.map_or(Reason::Gc, |job| job.reason);
        let stream = pages.blocks.get(to.block).stream;
        let (class, owner) = (reclaim.moved_class(), Owner::Job(pool));
        let placing = Placing::moved((lpn, from), reason, (pool, stream), (class, owner));
        // It may have been in vain, but is programmed all the same.
        pages.count::<AtOnce>(&placing, to);
        if pages.mapping.is_valid(from) {
            pages.note::<AtOnce>(&placing, to)?;
            self.note_moved(lpn, step)?;
        } else {
            pages.blocks.invalidate(to.place);
        }
        self.release_read(from, step)
    }

    /// A program with the last unit that it takes is over, and so is that unit's move.
    #[inline]
    pub(in crate::ftl) fn move_programmed(
        &mut self,
        pool: PoolId,
        step: &mut Step<'_>,
    ) -> Result<(), SimError> {
        if let Some(job) = &mut self.reclaim.pools[pool].job {
            job.programs -= 1;
        }
        let units_per_program = self.reclaim.config.units_per_program;
        self.host_may_take(pool, units_per_program, step)?;
        self.move_done(pool, step)
    }

    /// Units have left a pool's victim: where the host is held back, writes may have waited for that.
    #[inline]
    pub(in crate::ftl) fn host_may_take(
        &mut self,
        pool: PoolId,
        units: u32,
        step: &mut Step<'_>,
    ) -> Result<(), SimError> {
        if !self.reclaim.moved(pool, units) {
            return Ok(());
        }
        if self.may_unpark(pool) { self.unpark(pool, step) } else { Ok(()) }
    }

    /// One move is over.
    pub(in crate::ftl) fn move_done(&mut self, pool: PoolId, step: &mut Step<'_>) -> Result<(), SimError> {
        let Ftl { reclaim, pages, parking, .. } = self;
        reclaim.update_urgency(pool, pages, parking, step.now, step.out);
        self.unit_moved(pool, step)
    }

    /// One move is over, and GC is as urgent as before.
    #[inline]
    fn unit_moved(&mut self, pool: PoolId, step: &mut Step<'_>) -> Result<(), SimError> {
        let ReclaimConfig { moves_in_flight, units_per_program, .. } = self.reclaim.config;
        let Some(job) = &mut self.reclaim.pools[pool].job else { return Ok(()) };
        job.in_flight -= 1;
        // It has enough to do, until more moves are over.
        let is_at_work = job.stage == JobStage::Empty
            && job.in_flight > 0
            && job.held(units_per_program) >= moves_in_flight;
        if is_at_work { Ok(()) } else { self.pump(pool, step) }
    }

    /// A block is erased: with the others of its group back to the pool, and on with whatever waited for room.
    pub(in crate::ftl) fn erase_done(&mut self, id: u32, step: &mut Step<'_>) -> Result<(), SimError> {
        let block = step.nand.geometry.block_of(step.out.txns[id].ppn);
        let pool = self.pages.blocks.pool_of_block(block);
        if self.pages.shadow.is_some() {
            step.nand.check_erased(block)?;
        }
        self.pages.erased(block, self.reclaim.goes_bad(block, step.nand), step.nand)?;
        if let Some(job) = &mut self.reclaim.pools[pool].job {
            job.in_flight -= 1;
            if job.in_flight > 0 {
                return Ok(());
            }
        }
        self.job_done(pool, step)
    }

    /// A pool's job is over, and there may be room for what waited.
    pub(in crate::ftl) fn job_done<M: Mover>(
        &mut self,
        pool: PoolId,
        medium: &mut M,
    ) -> Result<(), SimError> {
        if !M::IS_AT_ONCE {
            self.reclaim.log_job(pool, medium.now());
        }
        self.reclaim.job_over(pool);
        self.pages.blocks.end_job_without_gain(pool);
        self.reclaim.ends_emptying(&self.pages);
        medium.job_is_over(pool, self)
    }
}
