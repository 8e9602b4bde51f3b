//! Free groups that are kept: for GC, and for what goes on after a loss of power.

use super::{Blocks, GC_RESERVE};
use crate::nand::PoolId;

impl Blocks {
    /// Blocks may go bad as they are erased: one more is left to GC, since a job may then win none.
    pub fn let_go_bad(&mut self) {
        self.reserve = GC_RESERVE + 1;
        self.reserves.fill(self.reserve);
    }

    /// No group is kept for pages that move: none do.
    pub fn keep_none_for_gc(&mut self) {
        self.reserve = 0;
        self.reserves.fill(0);
    }

    /// True while the host leaves a pool to GC: it has opened the last free group, into which the host would write, too.
    #[inline]
    pub(super) fn is_left_to_gc(&self, pool: PoolId) -> bool {
        self.shared && self.free_count(pool) < self.reserves[pool]
    }

    /// A job begins in a pool that takes pages and may empty no group: pages for the host leave one free group more,
    /// so that GC has its own when the job is over.
    pub(in crate::ftl) fn begin_job_without_gain(&mut self, pool: PoolId) {
        self.reserves[pool] = self.reserve + 1;
    }

    /// The job is over.
    pub(in crate::ftl) fn end_job_without_gain(&mut self, pool: PoolId) {
        self.reserves[pool] = self.reserve;
    }

    /// Power is gone, and with it all jobs.
    pub(in crate::ftl) fn power_cut(&mut self) {
        self.lost_power = true;
        self.reserves.fill(self.reserve);
    }

    /// True where fewer groups are free than would have to be opened in the place of those that are open now, beside those that
    /// are kept for live pages: without them, GC and what is done again would have nowhere to go on.
    pub(in crate::ftl) fn needs_its_open_groups(&self, pool: PoolId) -> bool {
        self.free_count(pool) < self.reserve + self.open_count(pool)
    }

    /// The same if the next loss of power wastes a group.
    pub(in crate::ftl) fn lacks_room_for_a_cut(&self, pool: PoolId) -> bool {
        self.free_count(pool) < self.reserve + self.open_count(pool) + 1
    }

    fn open_count(&self, pool: PoolId) -> usize {
        self.frontiers.of_pool(pool).filter(|frontier| frontier.is_open()).count()
    }

    /// True where only what is kept for live pages may be free when units arrive that are read now: meanwhile each frontier may open a
    /// group.
    pub(in crate::ftl) fn may_soon_be_left_to_gc(&self, pool: PoolId) -> bool {
        self.free_count(pool) <= self.reserves[pool] + self.frontiers.of_pool(pool).count()
    }

    /// Free groups that pages for the host leave.
    pub(in crate::ftl) fn kept_groups(&self, pool: PoolId) -> usize {
        self.reserves[pool]
    }

    /// True where a pool has a free group beside those that it leaves to GC.
    pub(in crate::ftl) fn has_group_to_spare(&self, pool: PoolId) -> bool {
        self.free_count(pool) > self.reserves[pool]
    }

    /// True while pages that move may have to go behind pages of the host in a pool: no other group is left for them.
    pub(in crate::ftl) fn needs_groups_of_host(&self, pool: PoolId) -> bool {
        (self.shared || self.lost_power) && self.free_count(pool) < self.reserves[pool]
    }

    /// True where power was lost before.
    pub(in crate::ftl) fn has_lost_power(&self) -> bool {
        self.lost_power
    }
}
