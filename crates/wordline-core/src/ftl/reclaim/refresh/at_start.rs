//! Refreshing all data once: before a run and without time, or as work that is due when the run starts.

use super::{Due, Refresh, RefreshAtStart};
use crate::error::SimError;
use crate::flash::BlockState;
use crate::ftl::blocks::GroupOfBlocks;
use crate::ftl::reclaim::relocation::Untimed;
use crate::ftl::write::pages::Pages;
use crate::ftl::{Ftl, Step};
use crate::metrics::{FtlCounters, Preconditioned};
use crate::nand::{BlockId, Nand, PoolId};
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
                    self.refresh_untimed(pool, step.nand)?;
                }
                self.close_pages();
                let all = self.pages.take_counters();
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

    fn refresh_untimed(&mut self, pool: PoolId, nand: &mut Nand) -> Result<(), SimError> {
        let begun = self.pages.blocks.filled();
        let mut medium = Untimed::new(nand, "refresh");
        for block in self.reclaim.refresh.old_groups(pool, &self.pages) {
            while self.reclaim.is_below_threshold(pool, &self.pages)
                && self.collect_untimed(pool, &mut medium)?
            {}
            let group = self.pages.blocks.group(block);
            // GC may have got there first.
            if group.state != BlockState::Full || group.filled_seq > begun || group.valid == 0 {
                continue;
            }
            self.reclaim.begin_job(pool, (block, Reason::Refresh), false, &mut self.pages, &medium);
            self.pump(pool, &mut medium)?;
            self.journal_goes_on(&mut medium)?;
        }
        Ok(())
    }

    /// All that has been written so far is old when a run starts; what is written before it from now on is young.
    pub fn age_data(&mut self) {
        self.reclaim.refresh.aged_upto = self.pages.blocks.filled();
    }
}

impl Refresh {
    /// The full groups of a pool with old data.
    fn old_groups(&self, pool: PoolId, pages: &Pages) -> Vec<BlockId> {
        let is_old = |group: &GroupOfBlocks| {
            group.state == BlockState::Full && group.valid > 0 && group.filled_seq <= self.aged_upto
        };
        pages.blocks.groups_of(pool).filter(|(_, group)| is_old(group)).map(|(head, _)| head).collect()
    }

    fn make_all_due(&mut self, pool: PoolId, pages: &Pages) {
        let all = self.old_groups(pool, pages).into_iter();
        self.due[pool].extend(all.map(|block| Due { block, at_start: true }));
    }
}
