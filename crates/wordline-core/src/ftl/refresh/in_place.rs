//! IDA's refresh (Section III-C, Fig. 7b): read all valid pages, move those that gain nothing, adjust the voltages of the
//! wordlines of the others, read those back, write elsewhere what broke.
//!
//! From the moment when all valid pages have been read until the job is over the controller's memory, which is
//! power-protected, has a copy of each. Reads of the block are served from it, so that no half-adjusted wordline is
//! ever read, and no page of it is lost when an adjustment breaks it or the power fails meanwhile.

use super::super::Ftl;
use crate::engine::Ns;
use crate::error::SimError;
use crate::flash::{BlockState, Class, Outbox, Owner, Txn, TxnOp};
use crate::nand::{NONE, Nand, PlaneId, Ppn};

/// How far a reclaim job has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::ftl) enum Step {
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
    /// Takes an IDA refresh on: asks for as much of its step as may be in flight, or begins the next step.
    pub(in crate::ftl) fn pump_in_place(
        &mut self,
        plane: PlaneId,
        nand: &mut Nand,
        now: Ns,
        out: &mut Outbox,
    ) -> Result<(), SimError> {
        while let Some(job) = self.jobs[plane as usize] {
            let first = self.geometry.first_page(job.block);
            let end = first + self.geometry.pages_per_block;
            // Reads that were on their way before the copies were complete may want pages that adjusting gives up.
            if job.step == Step::Adjust && self.blocks.get(job.block).reads > 0 {
                return Ok(());
            }
            match job.step {
                Step::Gather | Step::ReadBack => self.ask_for_reads(plane, end, out),
                Step::Move | Step::Adjust => self.ask_for_wordlines(plane, end, nand, now, out)?,
                Step::Empty => return Ok(()),
            }
            let Some(job) = &mut self.jobs[plane as usize] else { return Ok(()) };
            if job.cursor < end || job.in_flight > 0 {
                return Ok(());
            }
            job.cursor = first;
            job.step = match job.step {
                Step::Gather => {
                    let block = job.block;
                    self.blocks.get_mut(block).state = BlockState::Merging;
                    Step::Move
                }
                Step::Move => Step::Adjust,
                Step::Adjust => Step::ReadBack,
                Step::ReadBack | Step::Empty => return self.finish_in_place(plane, nand, now, out),
            };
        }
        Ok(())
    }

    fn ask_for_reads(&mut self, plane: PlaneId, end: Ppn, out: &mut Outbox) {
        while let Some(job) = &mut self.jobs[plane as usize]
            && job.in_flight < self.reclaim.moves_in_flight
        {
            let Some(ppn) = self.mapping.next_valid(job.cursor, end) else {
                job.cursor = end;
                return;
            };
            job.cursor = ppn + 1;
            job.in_flight += 1;
            let is_read_back = job.step == Step::ReadBack;
            let kept = &mut self.counters.refresh_kept_pages;
            let valid = &mut self.counters.refresh_valid_pages;
            *(if is_read_back { kept } else { valid }) += 1;
            let lpn = self.mapping.lpn_of(ppn);
            let address = self.geometry.address(ppn);
            let (bytes, all) = (self.page_bytes + self.spare_bytes, self.full_page);
            self.read_page(Class::InternalRead, Owner::Job(plane), address, lpn, bytes, all, out);
        }
    }

    /// Moves pages and adjusts wordlines, one wordline after the other. Which pages are valid is looked up anew each time:
    /// the host may have overwritten some, so that a page that was to stay now has to move.
    fn ask_for_wordlines(
        &mut self,
        plane: PlaneId,
        end: Ppn,
        nand: &mut Nand,
        now: Ns,
        out: &mut Outbox,
    ) -> Result<(), SimError> {
        while let Some(job) = &mut self.jobs[plane as usize]
            && job.cursor < end
            && job.in_flight < self.reclaim.moves_in_flight
        {
            let (first, step) = (job.cursor, job.step);
            let pages = self.pages_of_wordline(first);
            let action = self.action_for(first);
            let Some(job) = &mut self.jobs[plane as usize] else { return Ok(()) };
            job.cursor = first + pages;
            if step == Step::Adjust && action.adjusts() {
                debug_assert_eq!(action.moves, 0, "a valid LSB has moved before its wordline is adjusted");
                job.in_flight += 1;
                let mut txn =
                    Txn::new(TxnOp::Adjust, Class::InternalWrite, Owner::Job(plane), first, NONE, 0);
                txn.invalid = action.invalid(self.geometry.bits_per_cell as usize);
                self.counters.adjusted_wordlines += 1;
                if let Some(shadow) = &mut self.shadow {
                    shadow.adjusting(first, pages, action.stays)?;
                }
                out.order(txn);
                continue;
            }
            for page in (0..pages).filter(|page| action.moves >> page & 1 == 1) {
                self.move_copy(plane, first + page, nand, now, out)?;
            }
        }
        Ok(())
    }

    /// Programs the controller's copy of a page elsewhere.
    fn move_copy(
        &mut self,
        plane: PlaneId,
        from: Ppn,
        nand: &mut Nand,
        now: Ns,
        out: &mut Outbox,
    ) -> Result<(), SimError> {
        if let Some(job) = &mut self.jobs[plane as usize] {
            job.in_flight += 1;
        }
        let lpn = self.mapping.lpn_of(from);
        self.program_elsewhere(plane, lpn, from, nand, now, out)
    }

    /// A wordline is adjusted.
    pub(in crate::ftl) fn adjust_done(
        &mut self,
        txn: &Txn,
        nand: &mut Nand,
        now: Ns,
        out: &mut Outbox,
    ) -> Result<(), SimError> {
        let broken = self.broken_of(txn.ppn, nand);
        if let Some(shadow) = &mut self.shadow {
            shadow.adjusted(txn.ppn, self.geometry.bits_per_cell, !txn.invalid & !broken)?;
        }
        let plane = self.geometry.plane_of(self.geometry.block_of(txn.ppn));
        self.move_done(plane, nand, now, out)
    }

    /// The pages of a wordline that adjusting breaks, a bit each.
    fn broken_of(&self, first: Ppn, nand: &Nand) -> u8 {
        (0..self.pages_of_wordline(first))
            .map(|page| u8::from(self.is_broken(first + page, nand)) << page)
            .sum()
    }

    /// A page that the job asked for is in the controller. When it was read back and is broken, its copy is programmed
    /// elsewhere, unless it has been overwritten.
    pub(in crate::ftl) fn in_place_read_done(
        &mut self,
        plane: PlaneId,
        step: Step,
        txn: &Txn,
        nand: &mut Nand,
        now: Ns,
        out: &mut Outbox,
    ) -> Result<(), SimError> {
        let is_broken = step == Step::ReadBack && self.is_broken(txn.ppn, nand);
        if is_broken && self.mapping.is_valid(txn.ppn) {
            self.counters.refresh_written_back += 1;
            return self.program_elsewhere(plane, txn.lpn, txn.ppn, nand, now, out);
        }
        self.move_done(plane, nand, now, out)
    }

    /// The block is an IDA block from now on, or empty.
    fn finish_in_place(
        &mut self,
        plane: PlaneId,
        nand: &mut Nand,
        now: Ns,
        out: &mut Outbox,
    ) -> Result<(), SimError> {
        let Some(job) = &mut self.jobs[plane as usize] else { return Ok(()) };
        let block = job.block;
        if let Some(shadow) = &mut self.shadow {
            shadow.drop_copies(block);
        }
        if self.blocks.get(block).valid == 0 {
            job.step = Step::Empty;
            self.blocks.get_mut(block).state = BlockState::Reclaiming;
            return self.pump(plane, nand, now, out);
        }
        self.blocks.get_mut(block).state = BlockState::Full;
        nand.refreshed_in_place(block, now);
        self.jobs[plane as usize] = None;
        self.unpark(plane, nand, now, out)?;
        self.update_urgency(plane, out);
        self.reclaim_if_due(plane, nand, now, out)
    }
}
