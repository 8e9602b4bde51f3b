//! IDA's refresh (Section III-C, Fig. 7b): read all valid pages, move those that gain nothing, adjust the voltages of the
//! wordlines of the others, read those back, write elsewhere what broke.
//!
//! From the moment when all valid pages have been read until the job is over the controller's memory, which is
//! power-protected, has a copy of each. Reads of the block are served from it, so that no half-adjusted wordline is
//! ever read, and no page of it is lost when an adjustment breaks it or the power fails meanwhile.

use serde::{Deserialize, Serialize};

use crate::error::SimError;
use crate::flash::{BlockState, Class, Owner, Txn, TxnOp};
use crate::ftl::pages::Pages;
use crate::ftl::reclaim::{LivePages, Reclaim};
use crate::ftl::{Ftl, Step};
use crate::nand::{NONE, PlaneId, Ppn};

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

impl Reclaim {
    /// Asks for as many reads of a job's pages as may be in flight.
    fn ask_for_reads(&mut self, plane: PlaneId, end: Ppn, pages: &mut Pages, step: &mut Step<'_>) {
        let limit = self.moves_in_flight();
        while let Some(job) = &mut self.jobs[plane as usize]
            && job.in_flight < limit
        {
            let Some(ppn) = job.next_page(end, pages) else { return };
            let is_read_back = job.stage == JobStage::ReadBack;
            let kept = &mut pages.counters.refresh_kept_pages;
            let valid = &mut pages.counters.refresh_valid_pages;
            *(if is_read_back { kept } else { valid }) += 1;
            let lpn = pages.mapping.lpn_of(ppn);
            pages.read_whole(Class::InternalRead, Owner::Job(plane), ppn, lpn, step.out);
        }
    }

    /// Asks for the adjustment of a wordline; its pages that stay have a copy in the controller.
    fn ask_for_adjustment(
        &mut self,
        plane: PlaneId,
        first: Ppn,
        pages: &mut Pages,
        step: &mut Step<'_>,
    ) -> Result<(), SimError> {
        let action = pages.action_for(first, &self.refresh.config);
        debug_assert_eq!(action.moves, 0, "a valid LSB has moved before its wordline is adjusted");
        if let Some(job) = &mut self.jobs[plane as usize] {
            job.in_flight += 1;
        }
        let mut txn = Txn::new(TxnOp::Adjust, Class::InternalWrite, Owner::Job(plane), first, NONE, 0);
        txn.invalid = action.invalid(pages.geometry.bits_per_cell as usize);
        pages.counters.adjusted_wordlines += 1;
        let wordline = pages.pages_of_wordline(first);
        if let Some(shadow) = &mut pages.shadow {
            let is_dropped = |page: &u32| txn.invalid >> page & 1 == 1;
            if let Some(page) =
                (0..wordline).filter(is_dropped).find(|page| pages.mapping.is_valid(first + page))
            {
                return Err(SimError::Check(format!(
                    "physical page {} is given up by merging its wordline, and its data are nowhere else",
                    first + page
                )));
            }
            shadow.adjusting(first, wordline, action.stays)?;
        }
        step.out.order(txn);
        Ok(())
    }
}

impl Ftl {
    /// Continues an IDA refresh: asks for as much of its stage as may be in flight, or begins the next stage.
    pub(in crate::ftl) fn pump_in_place(
        &mut self,
        plane: PlaneId,
        step: &mut Step<'_>,
    ) -> Result<(), SimError> {
        while let Some(job) = self.reclaim.jobs[plane as usize] {
            let first = self.pages.geometry.first_page(job.block);
            let end = self.pages.end_of(job.block);
            // Reads that were on their way before the copies were complete may want pages that adjusting gives up.
            if job.stage == JobStage::Adjust && self.pages.blocks.get(job.block).reads > 0 {
                return Ok(());
            }
            match job.stage {
                JobStage::Gather | JobStage::ReadBack => {
                    self.reclaim.ask_for_reads(plane, end, &mut self.pages, step);
                }
                JobStage::Move | JobStage::Adjust => self.ask_for_wordlines(plane, end, step)?,
                JobStage::Empty => return Ok(()),
            }
            let Some(job) = &mut self.reclaim.jobs[plane as usize] else { return Ok(()) };
            if job.at.cursor < end || job.in_flight > 0 {
                return Ok(());
            }
            job.at = LivePages::of(first);
            job.stage = match job.stage {
                JobStage::Gather => {
                    self.pages.blocks.get_mut(job.block).state = BlockState::Merging;
                    JobStage::Move
                }
                JobStage::Move => JobStage::Adjust,
                JobStage::Adjust => JobStage::ReadBack,
                JobStage::ReadBack | JobStage::Empty => return self.finish_in_place(plane, step),
            };
        }
        Ok(())
    }

    /// Moves pages and adjusts wordlines, one wordline after the other. Which pages are valid is looked up anew each time:
    /// the host may have overwritten some, so that a page that was to stay now has to move.
    fn ask_for_wordlines(&mut self, plane: PlaneId, end: Ppn, step: &mut Step<'_>) -> Result<(), SimError> {
        let limit = self.reclaim.moves_in_flight();
        while let Some(job) = &mut self.reclaim.jobs[plane as usize]
            && job.at.cursor < end
            && job.in_flight < limit
        {
            let (first, stage) = (job.at.cursor, job.stage);
            let pages = self.pages.pages_of_wordline(first);
            let action = self.pages.action_for(first, &self.reclaim.refresh.config);
            job.at.cursor = first + pages;
            if stage == JobStage::Adjust && action.adjusts() {
                self.reclaim.ask_for_adjustment(plane, first, &mut self.pages, step)?;
                continue;
            }
            for page in (0..pages).filter(|page| action.moves >> page & 1 == 1) {
                self.move_copy(plane, first + page, step)?;
            }
        }
        Ok(())
    }

    /// Programs the controller's copy of a page elsewhere.
    fn move_copy(&mut self, plane: PlaneId, from: Ppn, step: &mut Step<'_>) -> Result<(), SimError> {
        if let Some(job) = &mut self.reclaim.jobs[plane as usize] {
            job.in_flight += 1;
        }
        let lpn = self.pages.mapping.lpn_of(from);
        self.program_elsewhere(plane, lpn, from, step)
    }

    /// A wordline is adjusted.
    pub(in crate::ftl) fn adjust_done(&mut self, txn: &Txn, step: &mut Step<'_>) -> Result<(), SimError> {
        let broken = self.reclaim.refresh.broken_of(txn.ppn, &self.pages, step.nand);
        let bits_per_cell = self.pages.geometry.bits_per_cell;
        if let Some(shadow) = &mut self.pages.shadow {
            shadow.adjusted(txn.ppn, bits_per_cell, !txn.invalid & !broken)?;
        }
        self.move_done(self.pages.plane_of(txn.ppn), step)
    }

    /// A page that the job asked for is in the controller. When it was read back and is broken, its copy is programmed
    /// elsewhere, unless it has been overwritten.
    pub(in crate::ftl) fn in_place_read_done(
        &mut self,
        plane: PlaneId,
        stage: JobStage,
        txn: &Txn,
        step: &mut Step<'_>,
    ) -> Result<(), SimError> {
        let is_broken =
            stage == JobStage::ReadBack && self.reclaim.refresh.is_broken(txn.ppn, &self.pages, step.nand);
        if is_broken && self.pages.mapping.is_valid(txn.ppn) {
            self.pages.counters.refresh_written_back += 1;
            return self.program_elsewhere(plane, txn.lpn, txn.ppn, step);
        }
        self.move_done(plane, step)
    }

    /// The block is an IDA block from now on, or empty.
    fn finish_in_place(&mut self, plane: PlaneId, step: &mut Step<'_>) -> Result<(), SimError> {
        let Some(job) = &mut self.reclaim.jobs[plane as usize] else { return Ok(()) };
        let block = job.block;
        if let Some(shadow) = &mut self.pages.shadow {
            shadow.drop_copies(block);
        }
        let info = self.pages.blocks.get_mut(block);
        if info.valid == 0 {
            job.stage = JobStage::Empty;
            info.state = BlockState::Reclaiming;
            return self.pump(plane, step);
        }
        info.state = BlockState::Full;
        step.nand.refreshed_in_place(block, step.now);
        if let Some(shadow) = &mut self.pages.shadow {
            shadow.refreshed_in_place(block, step.now);
        }
        self.job_done(plane, step)
    }
}
