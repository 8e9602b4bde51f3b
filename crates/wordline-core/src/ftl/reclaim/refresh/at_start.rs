//! Refreshing all data once: before a run and without time, or as work that is due when the run starts.

use super::{Due, JobStage, Refresh, RefreshAtStart};
use crate::error::SimError;
use crate::flash::{Block, BlockState};
use crate::ftl::pages::Pages;
use crate::ftl::reclaim::{LivePages, Reclaim};
use crate::ftl::{Ftl, Preconditioned, Step};
use crate::metrics::FtlCounters;
use crate::nand::{BlockId, Nand, PlaneId, Ppn};
use crate::policy::placement::Reason;

impl Ftl {
    /// Refreshes all full blocks with old data once, as `refresh.at_start` asks for: `before` without time, by the same choices as in
    /// a run; `during` by making them due now. Returns what was moved without time.
    ///
    /// # Errors
    /// [`SimError::OutOfSpace`] when there is no room to move pages into.
    pub fn refresh_at_start(&mut self, step: &mut Step<'_>) -> Result<Preconditioned, SimError> {
        let pools = self.pages.blocks.pools();
        match self.reclaim.refresh.config.at_start {
            RefreshAtStart::Never => {}
            RefreshAtStart::Before => {
                for pool in pools {
                    self.reclaim.refresh_untimed(pool, &mut self.pages, step.nand)?;
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
                for pool in pools {
                    self.reclaim.refresh.make_all_due(pool, &self.pages);
                    self.reclaim_if_due(pool, step)?;
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
    /// The full groups of a pool with old data.
    fn old_groups(&self, pool: PlaneId, pages: &Pages) -> Vec<BlockId> {
        let is_old = |block: &Block| {
            block.state == BlockState::Full && block.valid > 0 && block.filled_seq <= self.aged_upto
        };
        pages.blocks.groups_of(pool).filter(|(_, group)| is_old(group)).map(|(head, _)| head).collect()
    }

    fn make_all_due(&mut self, pool: PlaneId, pages: &Pages) {
        let all = self.old_groups(pool, pages).into_iter();
        self.due[pool as usize].extend(all.map(|block| Due { block, at_start: true }));
    }
}

impl Reclaim {
    fn refresh_untimed(&mut self, pool: PlaneId, pages: &mut Pages, nand: &mut Nand) -> Result<(), SimError> {
        let begun = pages.blocks.filled();
        for block in self.refresh.old_groups(pool, pages) {
            while self.is_below_threshold(pool, pages) && self.collect_and_unmerge(pool, pages, nand)? {}
            let info = pages.blocks.group(block);
            // GC may have got there first.
            if info.state != BlockState::Full || info.filled_seq > begun || info.valid == 0 {
                continue;
            }
            let members: Vec<_> = pages.blocks.written_members(block).collect();
            let live: u32 = members.iter().map(|&id| u32::from(pages.blocks.get(id).valid)).sum();
            pages.counters.refresh_jobs += members.len() as u64;
            pages.counters.refresh_valid_pages += u64::from(live);
            let stage = self.refresh.first_stage(block, nand);
            pages.begin_reclaiming(block);
            let first = pages.geometry.first_page(block);
            match stage {
                JobStage::Empty => self.move_all_untimed(pool, first, pages)?,
                _ => self.merge_untimed(pool, first, pages, nand)?,
            }
            for id in members {
                if pages.blocks.get(id).valid == 0 {
                    pages.erased(id, false, nand)?;
                    nand.forget_merging(id);
                } else {
                    pages.blocks.get_mut(id).state = BlockState::Full;
                }
            }
        }
        Ok(())
    }

    fn collect_and_unmerge(
        &mut self,
        pool: PlaneId,
        pages: &mut Pages,
        nand: &mut Nand,
    ) -> Result<bool, SimError> {
        let victim = self.collect_untimed(pool, pages, nand)?;
        for block in victim.into_iter().flat_map(|victim| pages.blocks.grouping().members(victim)) {
            nand.forget_merging(block);
        }
        Ok(victim.is_some())
    }

    /// Moves all valid pages of a group elsewhere.
    fn move_all_untimed(&self, pool: PlaneId, first: Ppn, pages: &mut Pages) -> Result<(), SimError> {
        let head = pages.geometry.block_of(first);
        let end = pages.end_of(head);
        let mut live = LivePages::of(first);
        while let Some(from) = live.next(end, pages) {
            move_untimed(pool, from, pages)?;
        }
        Ok(())
    }

    fn merge_untimed(
        &mut self,
        pool: PlaneId,
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
                if (!is_kept || is_broken) && pages.mapping.is_valid(first + page) {
                    move_untimed(pool, first + page, pages)?;
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

/// Moves a valid page elsewhere.
fn move_untimed(pool: PlaneId, from: Ppn, pages: &mut Pages) -> Result<(), SimError> {
    let lpn = pages.mapping.lpn_of(from);
    let stream = pages.stream_for_moved(lpn, from, Reason::Refresh);
    let to = pages.blocks.allocate_to_move(pool, stream);
    let to = to.ok_or_else(|| SimError::OutOfSpace(format!("refresh: {}", pages.no_room(pool))))?;
    pages.rebind(lpn, from, to.ppn);
    pages.blocks.programmed(to);
    Ok(())
}
