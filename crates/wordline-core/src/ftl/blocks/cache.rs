//! The groups of the SLC cache: some are always in SLC mode, others are taken from the free ones, as far as there are many.
//!
//! Of the groups of a pool that hold nothing in the chip's own mode, that is the free ones and those of the cache, a share may
//! be in SLC mode. So the cache shrinks as the drive fills. It leaves the free groups that GC would otherwise win back.

use std::collections::VecDeque;

use super::Blocks;
use crate::config::Config;
use crate::engine::state;
use crate::flash::{BlockState, ModeId, StreamId};
use crate::nand::{BlockId, IdVec, PoolId};

/// The groups of the cache.
#[derive(Debug)]
pub(super) struct CacheGroups {
    pub stream: StreamId,
    /// Heads of free static groups, by pool, in the order in which they are opened.
    pub free: IdVec<PoolId, VecDeque<BlockId>>,
    /// Static groups, by pool.
    fixed: IdVec<PoolId, u32>,
    /// Groups beside these that are in SLC mode, by pool.
    dynamic: IdVec<PoolId, u32>,
    /// Groups of all pools that hold data, or are being written.
    in_use: u32,
    dynamic_share: f64,
    /// Free groups of a pool that the cache leaves.
    floor: usize,
}

state! {
    CacheGroups {
        values: free, fixed, dynamic, in_use;
        derived: stream, dynamic_share, floor;
    }
}

/// Groups of a pool in the cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::ftl) struct InCache {
    /// Those that are full.
    pub full: u32,
    /// Of these, those that are not always in SLC mode.
    pub full_dynamic: u32,
    /// As many as the cache may have as things are.
    pub limit: u32,
}

impl Blocks {
    /// There is a cache, in the blocks of a stream.
    pub(in crate::ftl) fn add_cache(&mut self, stream: StreamId, config: &Config) {
        let planes = self.geometry.planes() as usize;
        let mut cache = CacheGroups {
            stream,
            free: IdVec::filled(planes, VecDeque::new()),
            fixed: IdVec::filled(planes, 0),
            dynamic: IdVec::filled(planes, 0),
            in_use: 0,
            dynamic_share: config.slc.dynamic_share,
            floor: config.gc_thresholds().begins_below,
        };
        for pool in self.pools() {
            let first = self.geometry.first_block(self.grouping.first_plane(pool));
            let end = first + config.static_blocks();
            for id in first.to(end).flat_map(|head| self.grouping.members(head)) {
                if self.table[id].state() != BlockState::Bad {
                    self.table[id].fix_mode(ModeId::SLC);
                }
            }
            let (fixed, free) = self.free[pool].iter().partition(|&&head| head < end);
            self.free[pool] = free;
            cache.fixed[pool] = VecDeque::len(&fixed) as u32;
            cache.free[pool] = fixed;
        }
        self.cache = Some(Box::new(cache));
    }

    /// True for the stream of the cache.
    #[inline]
    pub(in crate::ftl) fn is_cache(&self, stream: StreamId) -> bool {
        self.cache.as_ref().is_some_and(|cache| cache.stream == stream)
    }

    /// A group holds data of the cache.
    pub(in crate::ftl) fn is_cached(&self, head: BlockId) -> bool {
        !self.group(head).mode.is_native()
    }

    /// True where any group holds data of the cache.
    pub(in crate::ftl) fn has_cached(&self) -> bool {
        self.cache.as_ref().is_some_and(|cache| cache.in_use > 0)
    }

    /// What a pool has in the cache, if there is one.
    pub(in crate::ftl) fn in_cache(&self, pool: PoolId) -> Option<InCache> {
        let cache = self.cache.as_ref()?;
        let open = self.frontiers[self.frontier(pool, cache.stream)].head;
        let is_open = open != BlockId::NONE;
        let dynamic = cache.dynamic[pool];
        let is_dynamic = is_open && !self.good_members(open).any(|id| self.table[id].is_fixed());
        Some(InCache {
            full: cache.used(pool) - u32::from(is_open),
            full_dynamic: dynamic - u32::from(is_dynamic),
            limit: cache.fixed[pool] + cache.dynamic_limit(pool, self.free_count(pool)),
        })
    }

    /// Whether the cache can open a group in a pool.
    #[inline]
    pub(super) fn cache_has_group(&self, pool: PoolId) -> bool {
        let Some(cache) = &self.cache else { return false };
        let free = self.free_count(pool);
        !cache.free[pool].is_empty()
            || free > cache.floor && cache.dynamic[pool] < cache.dynamic_limit(pool, free)
    }

    /// Takes a group for the cache: a static one, or else a free one.
    pub(super) fn take_for_cache(&mut self, pool: PoolId) -> Option<BlockId> {
        if !self.cache_has_group(pool) {
            return None;
        }
        let cache = self.cache.as_mut()?;
        cache.in_use += 1;
        if let Some(head) = cache.free[pool].pop_front() {
            return Some(head);
        }
        cache.dynamic[pool] += 1;
        self.free[pool].pop_front()
    }

    /// A group of the cache was erased, or went bad.
    pub(super) fn left_cache(&mut self, head: BlockId, is_fixed: bool, is_bad: bool) {
        let pool = self.pool_of_block(head);
        let Some(cache) = &mut self.cache else { return };
        cache.in_use -= 1;
        if is_fixed {
            cache.fixed[pool] -= u32::from(is_bad);
        } else {
            cache.dynamic[pool] -= 1;
        }
    }

    /// Checked mode: the cache counts its groups.
    pub(in crate::ftl) fn verify_cache(&self) -> Result<(), String> {
        let Some(cache) = &self.cache else { return Ok(()) };
        let all: u32 = self.pools().map(|pool| cache.used(pool)).sum();
        if all != cache.in_use {
            return Err(format!("pools have {all} groups of the cache, and {} are counted", cache.in_use));
        }
        for pool in self.pools() {
            let groups = self.groups_of(pool).filter(|(_, group)| {
                !matches!(group.state, BlockState::Free | BlockState::Bad) && !group.mode.is_native()
            });
            let groups = groups.count();
            if groups != cache.used(pool) as usize {
                return Err(format!(
                    "{} counts {} groups of the cache and has {groups}",
                    self.grouping.name(pool),
                    cache.used(pool)
                ));
            }
        }
        Ok(())
    }
}

impl CacheGroups {
    /// Groups of a pool that hold data, or are being written.
    fn used(&self, pool: PoolId) -> u32 {
        self.fixed[pool] - self.free[pool].len() as u32 + self.dynamic[pool]
    }

    /// Groups of a pool that may be in SLC mode beside static ones, while so many are free.
    fn dynamic_limit(&self, pool: PoolId, free: usize) -> u32 {
        let without_data = f64::from(self.dynamic[pool]) + free as f64;
        (self.dynamic_share * without_data) as u32
    }
}
