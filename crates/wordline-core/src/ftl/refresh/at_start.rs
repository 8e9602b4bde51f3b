//! Refreshing all data once: before a run and without time, or as work that is due when the run starts.

use super::super::{Ftl, Preconditioned};
use super::{Due, RefreshAtStart, Step};
use crate::engine::Ns;
use crate::error::SimError;
use crate::flash::{Block, BlockState, Outbox};
use crate::metrics::FtlCounters;
use crate::nand::{BlockId, Nand, PlaneId, Ppn};

impl Ftl {
    /// Refreshes all full blocks with old data once, as `refresh.at_start` asks for: `before` without time, by the same choices as in
    /// a run; `during` by making them due now. Returns what was moved without time.
    ///
    /// # Errors
    /// [`SimError::OutOfSpace`] when there is no room to move pages into.
    pub fn refresh_at_start(
        &mut self,
        nand: &mut Nand,
        now: Ns,
        out: &mut Outbox,
    ) -> Result<Preconditioned, SimError> {
        match self.refresh.at_start {
            RefreshAtStart::Never => {}
            RefreshAtStart::Before => {
                for plane in 0..self.geometry.planes() {
                    self.refresh_untimed(plane, nand)?;
                }
                let all = std::mem::take(&mut self.counters);
                // What refresh did stays in the counters of the run; what GC moved meanwhile does not.
                self.counters = FtlCounters {
                    refresh_jobs: all.refresh_jobs,
                    refresh_valid_pages: all.refresh_valid_pages,
                    refresh_kept_pages: all.refresh_kept_pages,
                    refresh_written_back: all.refresh_written_back,
                    adjusted_wordlines: all.adjusted_wordlines,
                    ..FtlCounters::default()
                };
                return Ok(Preconditioned { host_pages: 0, moved_pages: all.moved, erases: all.erases });
            }
            RefreshAtStart::During => {
                self.refreshes = true;
                for plane in 0..self.geometry.planes() {
                    let all = self.data_blocks(plane).into_iter();
                    self.refresh_due[plane as usize].extend(all.map(|block| Due { block, at_start: true }));
                    self.reclaim_if_due(plane, nand, now, out)?;
                }
            }
        }
        Ok(Preconditioned::default())
    }

    /// All that has been written so far is old when a run starts; what is written before it from now on is young.
    pub fn age_data(&mut self) {
        self.aged_upto = self.blocks.filled();
    }

    /// The full blocks of a plane with old data.
    fn data_blocks(&self, plane: PlaneId) -> Vec<BlockId> {
        let is_old = |block: &Block| {
            block.state == BlockState::Full && block.valid > 0 && block.filled_seq <= self.aged_upto
        };
        self.blocks.of_plane(plane).filter(|(_, block)| is_old(block)).map(|(id, _)| id).collect()
    }

    fn refresh_untimed(&mut self, plane: PlaneId, nand: &mut Nand) -> Result<(), SimError> {
        let begun = self.blocks.filled();
        for block in self.data_blocks(plane) {
            while self.is_below_threshold(plane) && self.collect_and_unmerge(plane, nand)? {}
            let info = self.blocks.get(block);
            // GC may have got there first.
            if info.state != BlockState::Full || info.filled_seq > begun || info.valid == 0 {
                continue;
            }
            self.counters.refresh_jobs += 1;
            self.counters.refresh_valid_pages += u64::from(info.valid);
            let step = self.first_step(block, nand);
            self.blocks.get_mut(block).state = BlockState::Reclaiming;
            let first = self.geometry.first_page(block);
            match step {
                Step::Empty => self.move_untimed(plane, first, self.geometry.pages_per_block, nand)?,
                _ => self.merge_untimed(plane, first, nand)?,
            }
            if self.blocks.get(block).valid == 0 {
                self.finish_erase(block, false)?;
                nand.forget_merging(block);
            } else {
                self.blocks.get_mut(block).state = BlockState::Full;
            }
        }
        Ok(())
    }

    fn collect_and_unmerge(&mut self, plane: PlaneId, nand: &mut Nand) -> Result<bool, SimError> {
        let victim = self.collect_untimed_if_any(plane, nand)?;
        if let Some(victim) = victim {
            nand.forget_merging(victim);
        }
        Ok(victim.is_some())
    }

    /// Moves the valid ones of some pages elsewhere.
    fn move_untimed(&mut self, plane: PlaneId, first: Ppn, pages: u32, nand: &Nand) -> Result<(), SimError> {
        let mut at = first;
        while let Some(from) = self.mapping.next_valid(at, first + pages) {
            let to = self
                .blocks
                .allocate(plane, self.gc_stream(), 0, nand)
                .ok_or_else(|| SimError::OutOfSpace(format!("refresh: {}", self.no_room(plane))))?;
            self.rebind(self.mapping.lpn_of(from), from, to.ppn);
            self.blocks.programmed(to);
            at = from + 1;
        }
        Ok(())
    }

    fn merge_untimed(&mut self, plane: PlaneId, block_first: Ppn, nand: &mut Nand) -> Result<(), SimError> {
        let end = block_first + self.geometry.pages_per_block;
        let mut first = block_first;
        while first < end {
            let pages = self.pages_of_wordline(first);
            let action = self.action_for(first);
            for page in 0..pages {
                let is_kept = action.stays >> page & 1 == 1;
                let is_broken = is_kept && self.is_broken(first + page, nand);
                self.counters.refresh_kept_pages += u64::from(is_kept);
                self.counters.refresh_written_back += u64::from(is_broken);
                if !is_kept || is_broken {
                    self.move_untimed(plane, first + page, 1, nand)?;
                }
            }
            if action.adjusts() {
                self.counters.adjusted_wordlines += 1;
                nand.adjusted(first, action.invalid(self.geometry.bits_per_cell as usize));
            }
            first += pages;
        }
        Ok(())
    }
}
