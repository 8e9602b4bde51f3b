//! Emptying the SLC cache in one go: once it is full it is folded until nothing is left in it. Meanwhile it takes nothing, and the
//! host has a share of what each pool programs.
//!
//! So writes are slow until the whole cache is fast again, and not at one speed in between.

use crate::engine::state;
use crate::nand::{IdVec, PoolId};

/// A unit of the host, in parts: what it may write is counted in them.
const PARTS: u64 = 1_000_000;

/// What the host may write while the cache is emptied.
#[derive(Debug)]
pub(super) struct Emptying {
    is_on: bool,
    /// Parts of a unit that the host wins with each unit that moves.
    gain: u64,
    /// Parts that it has won and not used, by pool.
    won: IdVec<PoolId, u64>,
}

state! {
    Emptying {
        values: is_on, won;
        derived: gain;
    }
}

impl Emptying {
    /// The cache takes writes. `share` is the host's of all that is programmed while it does not.
    pub fn new(share: f64, pools: usize) -> Emptying {
        let gain = (share / (1.0 - share) * PARTS as f64).round() as u64;
        Emptying { is_on: false, gain, won: IdVec::filled(pools, 0) }
    }

    /// The cache is being emptied.
    #[inline]
    pub fn is_on(&self) -> bool {
        self.is_on
    }

    pub fn begin(&mut self) {
        self.is_on = true;
    }

    /// The cache is empty, or the power is gone.
    pub fn end(&mut self) {
        self.is_on = false;
        self.won.fill(0);
    }

    /// Units of a pool have moved.
    #[inline]
    pub fn moved(&mut self, pool: PoolId, units: u32) {
        if self.is_on {
            self.won[pool] += u64::from(units) * self.gain;
        }
    }

    /// True where the host's next unit waits.
    #[inline]
    pub fn holds_back(&self, pool: PoolId) -> bool {
        self.is_on && self.won[pool] < PARTS
    }

    /// The host took a unit; one that it had not won it owes to none.
    #[inline]
    pub fn took(&mut self, pool: PoolId) {
        self.won[pool] = self.won[pool].saturating_sub(PARTS);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_host_has_its_share_of_what_is_programmed() {
        let pool = PoolId::new(0);
        for (share, taken) in [(0.0, 0), (0.2, 250), (0.5, 1_000), (0.75, 3_000)] {
            let mut emptying = Emptying::new(share, 1);
            assert!(!emptying.holds_back(pool), "nothing is emptied");
            emptying.begin();
            let mut took = 0;
            for _ in 0..1_000 {
                emptying.moved(pool, 1);
                while !emptying.holds_back(pool) {
                    emptying.took(pool);
                    took += 1;
                }
            }
            assert_eq!(took, taken, "a share of {share}");
            emptying.end();
            assert!(!emptying.holds_back(pool));
        }
    }
}
