//! Drives without backup power: a job has no more units on their way than its pool can lose.
//!
//! A loss of power undoes moves: what was on its way is back in the group that it left, and the places that it was given are wasted.
//! If these were in the last group that takes pages, the rest of the victim may fit nowhere, and GC never wins a group again. A pool
//! can lose as many places as are left to GC beside those that the victim needs.

use super::{Job, Reclaim};
use crate::ftl::write::pages::Pages;
use crate::nand::{BlockId, PoolId};

/// Programs that are not full: one at the loss of power, and the last one of the job.
const OPEN_PROGRAMS: u32 = 2;

impl Reclaim {
    /// Places that are left to GC in a pool beside those that a victim needs; any number where a loss of power undoes nothing.
    pub(super) fn spare_places(&self, pool: PoolId, victim: BlockId, pages: &Pages) -> u32 {
        if pages.journal.as_ref().is_none_or(|journal| journal.is_protected) {
            return u32::MAX;
        }
        // Units whose newer copies are on their way hold the victim as reads do: they may be live in it again.
        let may_be_live = pages.live_in(victim) + pages.blocks.group(victim).reads;
        let padding = OPEN_PROGRAMS * (self.config.units_per_program - 1);
        pages.room_for_moves(pool).saturating_sub(may_be_live + padding)
    }

    /// Units of a job that may be on their way at once.
    #[inline]
    pub(super) fn moves_at_once(&self, pool: PoolId, job: &Job, pages: &Pages) -> u32 {
        let most = self.config.moves_in_flight;
        let is_bound = job.spare < most && pages.blocks.may_soon_be_left_to_gc(pool);
        if is_bound { job.spare.max(1) } else { most }
    }
}
