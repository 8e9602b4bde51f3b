//! A job, step by step: its group's live pages move away, then the group is erased.

use super::refresh::JobStage;
use super::{Job, LivePages, Reason, Reclaim};
use crate::error::SimError;
use crate::flash::{BlockState, Class, Outbox, Owner, Txn, TxnOp};
use crate::ftl::pages::Pages;
use crate::ftl::{Ftl, Step};
use crate::nand::{BlockId, Lpn, NONE, Nand, PlaneId, Ppn};
use wordline_cells::variation::{Purpose, unit};

/// How far ahead of a page that moves the logical numbers of the next ones are fetched: a cache line.
const PREFETCH_PAGES: u32 = 16;

impl Reclaim {
    /// Asks for as many moves as may be in flight, or for the erase when all are done.
    fn move_pages(&mut self, pool: PlaneId, pages: &mut Pages, step: &mut Step<'_>) -> Result<(), SimError> {
        let Some(mut job) = self.jobs[pool as usize] else { return Ok(()) };
        let end = pages.end_of(job.block);
        while job.in_flight < self.config.moves_in_flight {
            let Some(ppn) = job.next_page(end, pages) else { break };
            self.jobs[pool as usize] = Some(job);
            pages.counters.refresh_valid_pages += u64::from(job.reason == Reason::Refresh);
            if self.config.copyback {
                self.copy_back(pool, ppn, pages, step)?;
            } else {
                let lpn = pages.mapping.lpn_of(ppn);
                pages.mapping.prefetch(lpn);
                pages.mapping.prefetch_lpn_of(ppn + PREFETCH_PAGES);
                pages.read_whole(Class::InternalRead, Owner::Job(pool), ppn, lpn, step.out);
            }
        }
        self.jobs[pool as usize] = Some(job);
        if job.at.has_come_to(end) && job.in_flight == 0 {
            self.try_erase(pool, pages, step.out);
        }
        Ok(())
    }

    /// Asks for the erase of a job's group, unless somebody still reads it.
    fn try_erase(&mut self, pool: PlaneId, pages: &Pages, out: &mut Outbox) {
        let Some(job) = &mut self.jobs[pool as usize] else { return };
        if job.erasing || pages.blocks.group(job.block).reads > 0 {
            return;
        }
        job.erasing = true;
        for block in pages.blocks.written_members(job.block) {
            job.in_flight += 1;
            let first = pages.geometry.first_page(block);
            out.order(Txn::new(TxnOp::Erase, Class::Erase, Owner::Job(pool), first, NONE, 0));
        }
    }

    /// A pool's job has moved a page: counts on whose account.
    fn count_moved(&self, pool: PlaneId, pages: &mut Pages) {
        match self.jobs[pool as usize].map(|job| job.reason) {
            Some(Reason::Wear) => pages.counters.wear_moved += 1,
            Some(Reason::Refresh) => pages.counters.refresh_moved += 1,
            Some(Reason::Gc | Reason::Rewrite) | None => {}
        }
    }

    /// A page for a page that a pool's job moves.
    fn destination(&self, pool: PlaneId, lpn: Lpn, from: Ppn, pages: &mut Pages) -> Result<Ppn, SimError> {
        let reason = self.jobs[pool as usize].map_or(Reason::Gc, |job| job.reason);
        let stream = pages.stream_for_moved(lpn, from, reason);
        pages.blocks.allocate_to_move(pool, stream).map(|to| to.ppn).ok_or_else(|| {
            SimError::OutOfSpace(format!(
                "plane {pool} has no free block left to move live pages into; raise ssd.overprovisioning or gc.threshold"
            ))
        })
    }

    fn copy_back(
        &mut self,
        pool: PlaneId,
        source: Ppn,
        pages: &mut Pages,
        step: &mut Step<'_>,
    ) -> Result<(), SimError> {
        let lpn = pages.mapping.lpn_of(source);
        let ppn = self.destination(pool, lpn, source, pages)?;
        // The data never reaches the controller, so the page stays where it is until the copy is there.
        pages.allocator.began(pool);
        pages.blocks.get_mut(pages.geometry.block_of(source)).reads += 1;
        let mut txn = Txn::new(TxnOp::Copyback, self.moved_class(), Owner::Job(pool), ppn, lpn, 0);
        txn.source = source;
        step.out.order(txn);
        Ok(())
    }

    /// Nobody reads a block any more: its pool's job may have waited for that with its erase.
    fn unread(&mut self, id: BlockId, pages: &Pages, out: &mut Outbox) {
        let head = pages.blocks.grouping().head_of(id);
        let pool = pages.geometry.plane_of(head);
        let end = pages.end_of(head);
        let waits = |job: Job| {
            job.block == head && job.stage == JobStage::Empty && job.at.has_come_to(end) && job.in_flight == 0
        };
        if self.jobs[pool as usize].is_some_and(waits) {
            self.try_erase(pool, pages, out);
        }
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
    pub(in crate::ftl) fn reclaim(&mut self, pool: PlaneId, step: &mut Step<'_>) -> Result<(), SimError> {
        let Ftl { reclaim, pages, parking, .. } = self;
        debug_assert!(!reclaim.is_busy(pool));
        if !reclaim.may_begin(pool, pages, parking)? {
            return Ok(());
        }
        let victim = reclaim.choose_victim(pool, pages, parking, step.nand, step.now);
        let Some((block, reason)) = victim else { return Ok(()) };
        reclaim.jobs_alone[pool as usize].1 += 1;
        let is_read_reclaim =
            reason == Reason::Refresh && reclaim.refresh.is_read_reclaim(block, pages, step.nand, step.now);
        pages.begin_reclaiming(block);
        let at = LivePages::of(pages.geometry.first_page(block));
        let stage = match reason {
            Reason::Refresh if !is_read_reclaim => reclaim.refresh.first_stage(block, step.nand),
            _ => JobStage::Empty,
        };
        let has_gain = pages.gain(block) > 0;
        if stage != JobStage::Empty || !has_gain && reason == Reason::Gc {
            pages.blocks.begin_job_without_gain(pool);
        }
        let in_vain = pages.is_almost_live(block);
        reclaim.jobs[pool as usize] =
            Some(Job { block, at, in_flight: 0, stage, reason, in_vain, began: step.now, erasing: false });
        let blocks = pages.blocks.written_members(block).count() as u64;
        match reason {
            Reason::Gc => pages.counters.gc_jobs += blocks,
            Reason::Wear => {
                pages.counters.wear_jobs += blocks;
                pages.blocks.open_most_worn(pool, pages.placement.cold, step.nand);
            }
            Reason::Refresh => pages.counters.refresh_jobs += blocks,
            Reason::Rewrite => {}
        }
        if is_read_reclaim {
            pages.counters.read_reclaim_jobs += blocks;
            pages.counters.read_reclaim_pages += u64::from(pages.pages_per_group() - pages.gain(block));
        }
        reclaim.update_urgency(pool, pages, parking, step.now, step.out);
        self.pump(pool, step)
    }

    /// Starts a job in a pool that wants one and has none.
    pub(in crate::ftl) fn reclaim_if_due(
        &mut self,
        pool: PlaneId,
        step: &mut Step<'_>,
    ) -> Result<(), SimError> {
        if !self.reclaim.is_busy(pool) && self.reclaim.is_wanted(pool, &self.pages) {
            self.reclaim(pool, step)?;
        }
        Ok(())
    }

    /// Continues a pool's job.
    pub(in crate::ftl) fn pump(&mut self, pool: PlaneId, step: &mut Step<'_>) -> Result<(), SimError> {
        match self.reclaim.jobs[pool as usize] {
            None => Ok(()),
            Some(Job { stage: JobStage::Empty, .. }) => self.reclaim.move_pages(pool, &mut self.pages, step),
            Some(_) => self.pump_in_place(pool, step),
        }
    }

    /// A read of a block is done; an erase, or an adjustment of its wordlines, may have waited for it.
    #[inline(always)]
    pub(in crate::ftl) fn release_read(&mut self, ppn: Ppn, step: &mut Step<'_>) -> Result<(), SimError> {
        let id = self.pages.geometry.block_of(ppn);
        let block = self.pages.blocks.get_mut(id);
        block.reads -= 1;
        let is_waited_for = matches!(block.state, BlockState::Reclaiming | BlockState::Merging);
        // Checked first, since few blocks are waited for; whether another read is under way is harder for the
        // processor to predict.
        if is_waited_for { self.go_on_if_unread(id, step) } else { Ok(()) }
    }

    /// Perhaps nobody reads a block any more that is being reclaimed or merged.
    #[inline(never)]
    fn go_on_if_unread(&mut self, id: BlockId, step: &mut Step<'_>) -> Result<(), SimError> {
        let block = self.pages.blocks.get(id);
        if block.reads > 0 {
            return Ok(());
        }
        if block.state == BlockState::Reclaiming {
            self.reclaim.unread(id, &self.pages, step.out);
            return Ok(());
        }
        self.pump(self.pages.blocks.pool_of(self.pages.geometry.plane_of(id)), step)
    }

    /// A page of the block is in the controller: program it elsewhere, unless it has been overwritten.
    pub(in crate::ftl) fn move_read_done(
        &mut self,
        pool: PlaneId,
        txn: &Txn,
        step: &mut Step<'_>,
    ) -> Result<(), SimError> {
        let stage = self.reclaim.jobs[pool as usize].map_or(JobStage::Empty, |job| job.stage);
        if stage != JobStage::Empty {
            return self.in_place_read_done(pool, stage, txn, step);
        }
        if !self.pages.mapping.is_valid(txn.ppn) {
            return self.move_done(pool, step);
        }
        self.program_elsewhere(pool, txn.lpn, txn.ppn, step)
    }

    /// Asks for the program of a page whose data the controller has, in another group of the pool.
    pub(in crate::ftl) fn program_elsewhere(
        &mut self,
        pool: PlaneId,
        lpn: Lpn,
        from: Ppn,
        step: &mut Step<'_>,
    ) -> Result<(), SimError> {
        let pages = &mut self.pages;
        let ppn = self.reclaim.destination(pool, lpn, from, pages)?;
        pages.check_program_elsewhere(lpn, from, ppn)?;
        pages.rebind(lpn, from, ppn);
        self.reclaim.count_moved(pool, pages);
        pages.allocator.began(pool);
        let bytes = pages.format.page();
        let class = self.reclaim.moved_class();
        step.out.order(Txn::new(TxnOp::Program, class, Owner::Job(pool), ppn, lpn, bytes));
        self.note_moved(lpn, step)
    }

    /// A copy inside the plane is there: it takes the page's place, unless that has been overwritten.
    pub(in crate::ftl) fn copied_back(&mut self, txn: &Txn, step: &mut Step<'_>) -> Result<(), SimError> {
        let pool = self.pages.pool_of_page(txn.ppn);
        self.reclaim.count_moved(pool, &mut self.pages);
        if self.pages.mapping.is_valid(txn.source) {
            self.pages.rebind(txn.lpn, txn.source, txn.ppn);
            self.note_moved(txn.lpn, step)?;
        } else {
            // In vain, but programmed all the same.
            self.pages.blocks.invalidate(txn.ppn);
            self.pages.counters.moved += 1;
        }
        self.release_read(txn.source, step)
    }

    /// One move is over.
    pub(in crate::ftl) fn move_done(&mut self, pool: PlaneId, step: &mut Step<'_>) -> Result<(), SimError> {
        if let Some(job) = &mut self.reclaim.jobs[pool as usize] {
            job.in_flight -= 1;
        }
        self.reclaim.update_urgency(pool, &self.pages, &self.parking, step.now, step.out);
        self.pump(pool, step)
    }

    /// A block is erased: with the others of its group back to the pool, and on with whatever waited for room.
    pub(in crate::ftl) fn erase_done(&mut self, txn: &Txn, step: &mut Step<'_>) -> Result<(), SimError> {
        let block = self.pages.geometry.block_of(txn.ppn);
        let pool = self.pages.pool_of_page(txn.ppn);
        if self.pages.shadow.is_some() {
            step.nand.check_erased(block)?;
        }
        self.pages.erased(block, self.reclaim.goes_bad(block, step.nand), step.nand)?;
        if let Some(job) = &mut self.reclaim.jobs[pool as usize] {
            job.in_flight -= 1;
            if job.in_flight > 0 {
                return Ok(());
            }
        }
        self.job_done(pool, step)
    }

    /// A pool's job is over, and there may be room for what waited.
    pub(in crate::ftl) fn job_done(&mut self, pool: PlaneId, step: &mut Step<'_>) -> Result<(), SimError> {
        self.reclaim.jobs[pool as usize] = None;
        self.pages.blocks.end_job_without_gain(pool);
        self.unpark(pool, step)?;
        self.reclaim.update_urgency(pool, &self.pages, &self.parking, step.now, step.out);
        self.reclaim_if_due(pool, step)
    }
}
