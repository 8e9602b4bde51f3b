//! How many units each pool holds, so that data stay spread evenly over the dies.
//!
//! Programs go round the dies, but chance decides where data become invalid: of a die with 15,000 units the standard deviation is
//! 0.8 %. A part of a drive (`ssd.scale`) has dies so small, the whole drive has not.

use super::Blocks;
use crate::engine::state;
use crate::nand::{BlockId, IdVec, PoolId, Pun};

/// A pool that holds one part in so many of its room more than the mean one loses its turn.
const UNEVEN_PARTS: u64 = 100;

/// The live units of each pool.
#[derive(Debug)]
pub(super) struct Live {
    pub(super) by_pool: IdVec<PoolId, u64>,
    pub(super) all: u64,
    /// Units that a pool has room for, in its native mode.
    room: u64,
    pools: u64,
}

state! {
    Live {
        values: by_pool, all;
        derived: room, pools;
    }
}

impl Live {
    pub fn new(planes: usize, pools: usize, room: u64) -> Live {
        Live { by_pool: IdVec::filled(planes, 0), all: 0, room, pools: pools as u64 }
    }

    #[inline(always)]
    pub fn add(&mut self, pool: PoolId) {
        self.by_pool[pool] += 1;
        self.all += 1;
    }

    #[inline(always)]
    pub fn subtract(&mut self, pool: PoolId, units: u32) {
        self.by_pool[pool] -= u64::from(units);
        self.all -= u64::from(units);
    }
}

impl Blocks {
    /// Live units of a pool.
    #[inline]
    pub(in crate::ftl) fn live_of(&self, pool: PoolId) -> u64 {
        self.live.by_pool[pool]
    }

    /// A pool holds clearly more than the mean one.
    #[inline]
    pub(in crate::ftl) fn is_fuller(&self, pool: PoolId) -> bool {
        let Live { all, room, pools, .. } = self.live;
        self.live_of(pool) * pools > all + room * pools / UNEVEN_PARTS
    }

    /// A page has its data again: a newer copy is lost.
    pub(in crate::ftl) fn revive(&mut self, pun: Pun) {
        let block = self.geometry.block_of(pun);
        self.table[block].valid += 1;
        self.live.add(self.pool_of_block(block));
    }

    /// So many pages of a block have their data still, after a power cut.
    pub(in crate::ftl) fn keep_valid(&mut self, id: BlockId, units: u16) {
        let block = &mut self.table[id];
        let lost = block.valid - units;
        block.valid = units;
        self.live.subtract(self.pool_of_block(id), lost.into());
    }

    /// Whether each pool counts the units that its blocks do.
    pub(in crate::ftl) fn counts_live(&self) -> bool {
        let mut found = IdVec::filled(self.geometry.planes() as usize, 0_u64);
        for (id, block) in self.geometry.all_blocks().zip(self.table.iter()) {
            found[self.pool_of_block(id)] += u64::from(block.valid);
        }
        found.len() == self.live.by_pool.len()
            && found.entries().all(|(pool, &units)| units == self.live_of(pool))
            && found.entries().map(|(_, units)| units).sum::<u64>() == self.live.all
    }
}
