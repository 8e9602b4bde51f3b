//! Pacing: while GC collects a group, the host writes as fast as the job wins room. Otherwise it writes at full speed until
//! only the reserve is free, and then waits for a whole victim: with groups of gigabytes, for seconds.
//!
//! A job moves `live` pages and wins `gain`. The host may take `gain` pages, by and by as the live ones leave; more where
//! more groups are free than at the working point, fewer where fewer are, so that the free groups stay there. What it took
//! beyond that it owes to the next job.

use serde::{Deserialize, Serialize};

use crate::engine::state;
use crate::nand::{IdVec, PoolId};

/// What the host may take while one job is under way.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Budget {
    /// Live pages of the victim when the job began.
    live: u32,
    /// Those of them that have moved.
    moved: u32,
    /// Pages of the host until none of those is left.
    pages: u32,
    taken: u32,
}

/// The budgets of all pools.
#[derive(Debug)]
pub(super) struct Pacing {
    /// Free groups of a pool with which host and GC keep step.
    working_point: u32,
    /// Pages that the host may be ahead: while a victim is erased, no page of it moves.
    burst: u32,
    /// By pool; none while the host is free to write.
    budgets: IdVec<PoolId, Option<Budget>>,
    /// By pool: pages that the host took beyond the budget of its last job.
    debts: IdVec<PoolId, u32>,
}

state! {
    Pacing {
        values: budgets, debts;
        derived: working_point, burst;
    }
}

impl Pacing {
    /// The host is free to write.
    pub fn new(pools: usize, working_point: usize, burst: u32) -> Pacing {
        Pacing {
            working_point: working_point as u32,
            burst,
            budgets: IdVec::filled(pools, None),
            debts: IdVec::filled(pools, 0),
        }
    }

    /// GC begins to move `live` pages of a group and wins `gain`; `free` groups are there.
    pub fn begin(&mut self, pool: PoolId, live: u32, gain: u32, free: usize) {
        let pages = u64::from(gain) * (free as u64 + 1) / u64::from(self.working_point);
        let taken = std::mem::take(&mut self.debts[pool]);
        self.budgets[pool] = Some(Budget { live, moved: 0, pages: pages as u32, taken });
    }

    /// Pages have left the victim.
    #[inline]
    pub fn moved(&mut self, pool: PoolId, pages: u32) {
        if let Some(budget) = &mut self.budgets[pool] {
            budget.moved = budget.live.min(budget.moved + pages);
        }
    }

    /// A pool's job is over.
    #[inline]
    pub fn end(&mut self, pool: PoolId) {
        if let Some(Budget { pages, taken, .. }) = self.budgets[pool].take() {
            self.debts[pool] = taken.saturating_sub(pages);
        }
    }

    /// Power is gone, and with it all jobs.
    pub fn power_cut(&mut self) {
        self.budgets.fill(None);
        self.debts.fill(0);
    }

    /// True where the host's next page waits.
    #[inline]
    pub fn holds_back(&self, pool: PoolId) -> bool {
        let Some(Budget { live, moved, pages, taken }) = self.budgets[pool] else { return false };
        let ahead = taken.saturating_sub(self.burst);
        ahead > 0 && u64::from(ahead) * u64::from(live) > u64::from(pages) * u64::from(moved)
    }

    /// The host took a page.
    #[inline]
    pub fn took(&mut self, pool: PoolId) {
        if let Some(budget) = &mut self.budgets[pool] {
            budget.taken += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Pacing;
    use wordline_cells::ids::PoolId;

    /// Pages that a host takes which always has one more, at each number of pages that have moved.
    fn taken(free: usize) -> Vec<u32> {
        let mut pacing = Pacing::new(1, 5, 2);
        pacing.begin(PoolId::new(0), 100, 50, free);
        let mut taken = 0;
        (0..=100)
            .map(|_| {
                while !pacing.holds_back(PoolId::new(0)) && taken < 1_000 {
                    pacing.took(PoolId::new(0));
                    taken += 1;
                }
                pacing.moved(PoolId::new(0), 1);
                taken
            })
            .collect()
    }

    #[test]
    fn the_host_takes_what_the_job_wins_in_step_with_it() {
        let at = taken(4);
        let due = |moved: u32| moved / 2 + 3;
        assert!((0..=100).all(|moved| at[moved as usize] == due(moved)), "{at:?}");
    }

    #[test]
    fn more_free_groups_let_more_through_and_fewer_less() {
        let last = |free| taken(free).last().copied();
        assert_eq!([last(9), last(4), last(1)], [Some(103), Some(53), Some(23)]);
    }

    #[test]
    fn nobody_waits_without_a_job() {
        let mut pacing = Pacing::new(1, 5, 2);
        pacing.begin(PoolId::new(0), 100, 50, 4);
        (0..9).for_each(|_| pacing.took(PoolId::new(0)));
        assert!(pacing.holds_back(PoolId::new(0)));
        pacing.end(PoolId::new(0));
        assert!(!pacing.holds_back(PoolId::new(0)));
    }

    #[test]
    fn what_the_host_took_too_early_it_waits_for_in_the_next_job() {
        let mut pacing = Pacing::new(1, 5, 20);
        let mut taken = [0; 3];
        for taken in &mut taken {
            pacing.begin(PoolId::new(0), 100, 50, 4);
            for _ in 0..=100 {
                while !pacing.holds_back(PoolId::new(0)) {
                    pacing.took(PoolId::new(0));
                    *taken += 1;
                }
                pacing.moved(PoolId::new(0), 1);
            }
            pacing.end(PoolId::new(0));
        }
        assert_eq!(taken, [71, 50, 50]);
    }
}
