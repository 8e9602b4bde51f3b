//! Refreshing all data once: before a run and without time, or as work that is due when the run starts.

use super::{Due, JobStage, Refresh, RefreshAtStart};
use crate::error::SimError;
use crate::flash::{Block, BlockState};
use crate::ftl::pages::Pages;
use crate::ftl::reclaim::Reclaim;
use crate::ftl::{Ftl, Preconditioned, Step};
use crate::metrics::FtlCounters;
use crate::nand::{BlockId, Nand, PlaneId, Ppn};

impl Ftl {
    /// Refreshes all full blocks with old data once, as `refresh.at_start` asks for: `before` without time, by the same choices as in
    /// a run; `during` by making them due now. Returns what was moved without time.
    ///
    /// # Errors
    /// [`SimError::OutOfSpace`] when there is no room to move pages into.
    pub fn refresh_at_start(&mut self, step: &mut Step<'_>) -> Result<Preconditioned, SimError> {
        let planes = self.pages.geometry.planes();
        match self.reclaim.refresh.config.at_start {
            RefreshAtStart::Never => {}
            RefreshAtStart::Before => {
                for plane in 0..planes {
                    self.reclaim.refresh_untimed(plane, &mut self.pages, step.nand)?;
                }
                let all = std::mem::take(&mut self.pages.counters);
                // What refresh did stays in the counters of the run; what GC moved meanwhile does not.
                self.pages.counters = FtlCounters {
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
                self.reclaim.refresh.has_begun = true;
                for plane in 0..planes {
                    self.reclaim.refresh.make_all_due(plane, &self.pages);
                    self.reclaim_if_due(plane, step)?;
                }
            }
        }
        Ok(Preconditioned::default())
    }

    /// All that has been written so far is old when a run starts; what is written before it from now on is young.
    pub fn age_data(&mut self) {
        self.reclaim.refresh.aged_upto = self.pages.blocks.filled();
    }
}

impl Refresh {
    /// The full blocks of a plane with old data.
    fn old_blocks(&self, plane: PlaneId, pages: &Pages) -> Vec<BlockId> {
        let is_old = |block: &Block| {
            block.state == BlockState::Full && block.valid > 0 && block.filled_seq <= self.aged_upto
        };
        pages.blocks.of_plane(plane).filter(|(_, block)| is_old(block)).map(|(id, _)| id).collect()
    }

    fn make_all_due(&mut self, plane: PlaneId, pages: &Pages) {
        let all = self.old_blocks(plane, pages).into_iter();
        self.due[plane as usize].extend(all.map(|block| Due { block, at_start: true }));
    }
}

impl Reclaim {
    fn refresh_untimed(
        &mut self,
        plane: PlaneId,
        pages: &mut Pages,
        nand: &mut Nand,
    ) -> Result<(), SimError> {
        let begun = pages.blocks.filled();
        for block in self.refresh.old_blocks(plane, pages) {
            while self.is_below_threshold(plane, pages) && self.collect_and_unmerge(plane, pages, nand)? {}
            let info = pages.blocks.get(block);
            // GC may have got there first.
            if info.state != BlockState::Full || info.filled_seq > begun || info.valid == 0 {
                continue;
            }
            pages.counters.refresh_jobs += 1;
            pages.counters.refresh_valid_pages += u64::from(info.valid);
            let stage = self.refresh.first_stage(block, nand);
            pages.blocks.get_mut(block).state = BlockState::Reclaiming;
            let first = pages.geometry.first_page(block);
            match stage {
                JobStage::Empty => {
                    self.move_untimed(plane, first, pages.geometry.pages_per_block, pages)?;
                }
                _ => self.merge_untimed(plane, first, pages, nand)?,
            }
            if pages.blocks.get(block).valid == 0 {
                pages.erased(block, false, nand)?;
                nand.forget_merging(block);
            } else {
                pages.blocks.get_mut(block).state = BlockState::Full;
            }
        }
        Ok(())
    }

    fn collect_and_unmerge(
        &mut self,
        plane: PlaneId,
        pages: &mut Pages,
        nand: &mut Nand,
    ) -> Result<bool, SimError> {
        let victim = self.collect_untimed(plane, pages, nand)?;
        if let Some(victim) = victim {
            nand.forget_merging(victim);
        }
        Ok(victim.is_some())
    }

    /// Moves the valid ones of some pages elsewhere.
    fn move_untimed(
        &self,
        plane: PlaneId,
        first: Ppn,
        count: u32,
        pages: &mut Pages,
    ) -> Result<(), SimError> {
        let mut at = first;
        let stream = self.moved_stream(pages.geometry.block_of(first), pages);
        while let Some(from) = pages.mapping.next_valid(at, first + count) {
            let to = pages
                .blocks
                .allocate_to_move(plane, stream)
                .ok_or_else(|| SimError::OutOfSpace(format!("refresh: {}", pages.no_room(plane))))?;
            pages.rebind(pages.mapping.lpn_of(from), from, to.ppn);
            pages.blocks.programmed(to);
            at = from + 1;
        }
        Ok(())
    }

    fn merge_untimed(
        &mut self,
        plane: PlaneId,
        block_first: Ppn,
        pages: &mut Pages,
        nand: &mut Nand,
    ) -> Result<(), SimError> {
        let end = block_first + pages.geometry.pages_per_block;
        let mut first = block_first;
        while first < end {
            let wordline = pages.pages_of_wordline(first);
            let action = pages.action_for(first, &self.refresh.config);
            for page in 0..wordline {
                let is_kept = action.stays >> page & 1 == 1;
                let is_broken = is_kept && self.refresh.is_broken(first + page, pages, nand);
                pages.counters.refresh_kept_pages += u64::from(is_kept);
                pages.counters.refresh_written_back += u64::from(is_broken);
                if !is_kept || is_broken {
                    self.move_untimed(plane, first + page, 1, pages)?;
                }
            }
            if action.adjusts() {
                pages.counters.adjusted_wordlines += 1;
                nand.adjusted(first, action.invalid(pages.geometry.bits_per_cell as usize));
            }
            first += wordline;
        }
        Ok(())
    }
}
