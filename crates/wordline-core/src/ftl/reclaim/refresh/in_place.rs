//! IDA's refresh (Section III-C, Fig. 7b): read all valid pages, move those that gain nothing, adjust the voltages of the
//! wordlines of the others, read those back, write elsewhere what broke.
//!
//! From the moment when all valid pages have been read until the job is over the controller's memory, which is
//! power-protected, has a copy of each. Reads of the block are served from it, so that no half-adjusted wordline is
//! ever read, and no page of it is lost when an adjustment breaks it or the power fails meanwhile.

use serde::{Deserialize, Serialize};

use crate::error::SimError;
use crate::flash::{BlockState, Carried, Owner};
use crate::ftl::reclaim::LivePages;
use crate::ftl::reclaim::relocation::Mover;
use crate::ftl::{Ftl, Step};
use crate::nand::{Lpn, PoolId, Pun};
use crate::policy::coding::Action;

/// How far a reclaim job has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::ftl) enum JobStage {
    /// Each live page is read and programmed elsewhere, then the block is erased: every job but IDA's refresh.
    Empty,
    /// The live pages are read and decoded; the controller keeps a copy of each.
    Gather,
    /// The pages that do not stay are programmed elsewhere.
    Move,
    /// The wordlines of those that stay are adjusted.
    Adjust,
    /// What stayed is read back; what broke is programmed elsewhere.
    ReadBack,
}

impl Ftl {
    /// Continues an IDA refresh: asks for as much of its stage as may be in flight, or begins the next stage.
    pub(in crate::ftl) fn pump_in_place<M: Mover>(
        &mut self,
        pool: PoolId,
        medium: &mut M,
    ) -> Result<(), SimError> {
        while let Some(job) = self.reclaim.pools[pool].job {
            let stretch = medium.stretch(job.block, &self.pages);
            // Reads that were on their way before the copies were complete may want pages that adjusting gives up.
            if job.stage == JobStage::Adjust && self.pages.blocks.get(job.block).reads() > 0 {
                return Ok(());
            }
            match job.stage {
                JobStage::Gather | JobStage::ReadBack => self.ask_for_reads(pool, stretch.end, medium)?,
                JobStage::Move | JobStage::Adjust => self.ask_for_wordlines(pool, stretch.end, medium)?,
                JobStage::Empty => return Ok(()),
            }
            let Some(job) = &mut self.reclaim.pools[pool].job else { return Ok(()) };
            if job.at.cursor < stretch.end || job.in_flight > 0 {
                return Ok(());
            }
            job.at = LivePages::of(stretch.start);
            job.stage = match job.stage {
                JobStage::Gather => {
                    self.pages.blocks.get_mut(job.block).set_state(BlockState::Merging);
                    JobStage::Move
                }
                JobStage::Move => JobStage::Adjust,
                JobStage::Adjust => JobStage::ReadBack,
                JobStage::ReadBack if medium.next_stretch(job.block, &self.pages) => {
                    job.at = LivePages::of(stretch.end);
                    JobStage::Gather
                }
                JobStage::ReadBack | JobStage::Empty => return self.finish_in_place(pool, medium),
            };
        }
        Ok(())
    }

    /// Asks for as many reads of a job's pages as may be in flight.
    fn ask_for_reads<M: Mover>(&mut self, pool: PoolId, end: Pun, medium: &mut M) -> Result<(), SimError> {
        let limit = self.reclaim.moves_in_flight();
        while let Some(job) = &mut self.reclaim.pools[pool].job
            && job.in_flight < limit
        {
            let (stage, pages) = (job.stage, &mut self.pages);
            let Some(pun) = job.next_page(end, pages) else { return Ok(()) };
            let kept = &mut pages.counters.refresh_kept_pages;
            let valid = &mut pages.counters.refresh_valid_pages;
            *(if stage == JobStage::ReadBack { kept } else { valid }) += 1;
            let lpn = pages.mapping.lpn_of(pun);
            medium.read(Owner::Job(pool), lpn, pun, pages);
            if M::IS_AT_ONCE {
                self.save_broken(pool, stage, (lpn, pun), medium)?;
                self.step_is_over(pool);
            }
        }
        Ok(())
    }

    /// Moves pages and adjusts wordlines, one wordline after the other. Which pages are valid is looked up anew each time:
    /// the host may have overwritten some, so that a page that was to stay now has to move.
    fn ask_for_wordlines<M: Mover>(
        &mut self,
        pool: PoolId,
        end: Pun,
        medium: &mut M,
    ) -> Result<(), SimError> {
        let limit = self.reclaim.moves_in_flight();
        while let Some(job) = &mut self.reclaim.pools[pool].job
            && job.at.cursor < end
            && job.in_flight < limit
        {
            let (first, stage) = (job.at.cursor, job.stage);
            let pages = self.pages.pages_of_wordline(first);
            let action = self.pages.action_for(first, &self.reclaim.refresh.config);
            job.at.cursor = first + pages;
            if stage == JobStage::Adjust && action.adjusts() {
                job.in_flight += 1;
                self.adjust(pool, first, action, medium)?;
                continue;
            }
            for from in (0..pages).filter(|page| action.moves >> page & 1 == 1).map(|page| first + page) {
                // The controller has a copy.
                if let Some(job) = &mut self.reclaim.pools[pool].job {
                    job.in_flight += 1;
                }
                self.program_elsewhere(pool, self.pages.mapping.lpn_of(from), from, medium)?;
                if M::IS_AT_ONCE {
                    self.step_is_over(pool);
                }
            }
        }
        Ok(())
    }

    /// Asks for the adjustment of a wordline; its pages that stay have a copy in the controller.
    fn adjust<M: Mover>(
        &mut self,
        pool: PoolId,
        first: Pun,
        action: Action,
        medium: &mut M,
    ) -> Result<(), SimError> {
        debug_assert_eq!(action.moves, 0, "a valid LSB has moved before its wordline is adjusted");
        let pages = &mut self.pages;
        let invalid = action.invalid(pages.geometry.bits_per_cell as usize);
        pages.counters.adjusted_wordlines += 1;
        let wordline = pages.pages_of_wordline(first);
        if let Some(shadow) = &mut pages.shadow {
            let is_dropped = |page: &u32| invalid >> page & 1 == 1;
            if let Some(page) =
                (0..wordline).filter(is_dropped).find(|&page| pages.mapping.is_valid(first + page))
            {
                return Err(SimError::Check(format!(
                    "physical page {} is given up by merging its wordline, and its data are nowhere else",
                    first + page
                )));
            }
            if !M::IS_AT_ONCE {
                shadow.adjusting(first, wordline, action.stays)?;
            }
        }
        medium.adjust(Owner::Job(pool), first, invalid, pages);
        if M::IS_AT_ONCE {
            self.step_is_over(pool);
        }
        Ok(())
    }

    /// One of a job's steps is over.
    fn step_is_over(&mut self, pool: PoolId) {
        if let Some(job) = &mut self.reclaim.pools[pool].job {
            job.in_flight -= 1;
        }
    }

    /// A wordline is adjusted.
    pub(in crate::ftl) fn adjust_done(
        &mut self,
        first: Pun,
        invalid: u8,
        step: &mut Step<'_>,
    ) -> Result<(), SimError> {
        let broken = self.reclaim.refresh.broken_of(first, &self.pages, step.nand);
        let bits_per_cell = self.pages.geometry.bits_per_cell;
        if let Some(shadow) = &mut self.pages.shadow {
            shadow.adjusted(first, bits_per_cell, !invalid & !broken)?;
        }
        self.move_done(self.pages.pool_of_page(first), step)
    }

    /// A page that the job asked for is in the controller.
    pub(in crate::ftl) fn in_place_read_done(
        &mut self,
        pool: PoolId,
        stage: JobStage,
        read: &Carried,
        step: &mut Step<'_>,
    ) -> Result<(), SimError> {
        if self.save_broken(pool, stage, (read.lpn, read.unit), step)? {
            return Ok(());
        }
        self.move_done(pool, step)
    }

    /// A page is in the controller. When it was read back and is broken, its copy is programmed elsewhere, unless it has been
    /// overwritten; true if so.
    fn save_broken<M: Mover>(
        &mut self,
        pool: PoolId,
        stage: JobStage,
        (lpn, pun): (Lpn, Pun),
        medium: &mut M,
    ) -> Result<bool, SimError> {
        let is_broken =
            stage == JobStage::ReadBack && self.reclaim.refresh.is_broken(pun, &self.pages, medium.nand());
        let goes = is_broken && self.pages.mapping.is_valid(pun);
        if goes {
            self.pages.counters.refresh_written_back += 1;
            self.program_elsewhere(pool, lpn, pun, medium)?;
        }
        Ok(goes)
    }

    /// The block is an IDA block from now on, or empty.
    fn finish_in_place<M: Mover>(&mut self, pool: PoolId, medium: &mut M) -> Result<(), SimError> {
        let Some(job) = &mut self.reclaim.pools[pool].job else { return Ok(()) };
        let block = job.block;
        if let Some(shadow) = &mut self.pages.shadow {
            shadow.drop_copies(block);
        }
        let info = self.pages.blocks.get_mut(block);
        if info.valid == 0 {
            job.stage = JobStage::Empty;
            info.set_state(BlockState::Reclaiming);
            return self.pump(pool, medium);
        }
        info.set_state(BlockState::Full);
        medium.refreshed_in_place(block, &mut self.pages);
        self.job_done(pool, medium)
    }
}
