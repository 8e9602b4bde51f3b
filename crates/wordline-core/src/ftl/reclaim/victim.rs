//! Which group of a pool to reclaim, and why. Policies see each group as one block.

use super::{JobCost, Pool, Reason, Reclaim, ReclaimConfig};
use crate::engine::Ns;
use crate::error::SimError;
use crate::flash::{BlockState, BlockTable, StreamId};
use crate::ftl::write::pages::Pages;
use crate::ftl::write::parking::Parking;
use crate::ftl::write::placement::Placement;
use crate::nand::{BlockId, Nand, PoolId};
use crate::policy::gc::GcView;
use crate::policy::program::FastFirst;
use crate::policy::wear_levelling::WearView;

/// Free blocks that wear levelling needs: one for what it moves, and the one that GC keeps.
const WEAR_MIN_BLOCKS: usize = 2;

/// Jobs of a pool that win room and go before a refresh that is due.
const JOBS_BEFORE_REFRESH: u32 = 8;

/// Free blocks that a refresh out of turn needs: one for what it moves, and the one that GC keeps.
const REFRESH_MIN_BLOCKS: usize = 2;

/// Jobs that a pool may begin without any step of the host, by block of a plane.
const JOBS_ALONE_MAX: u32 = 16;

impl Reclaim {
    /// Whether a pool may begin a job. Jobs can feed themselves: where the mapping table is cached, a
    /// page that is moved may cost another write, so that a threshold that is out of reach keeps a
    /// pool collecting for ever. After many jobs without any step of the host, further jobs wait for the host;
    /// where the host waits for them, the run cannot go on.
    pub(super) fn may_begin(
        &mut self,
        pool: PoolId,
        pages: &Pages,
        parking: &Parking,
    ) -> Result<bool, SimError> {
        let limit = JOBS_ALONE_MAX * pages.geometry.blocks_per_plane;
        let Pool { host_steps, jobs_alone, .. } = &mut self.pools[pool];
        if *host_steps != self.host_steps {
            (*host_steps, *jobs_alone) = (self.host_steps, 0);
        }
        if *jobs_alone < limit {
            return Ok(true);
        }
        if !self.is_pressed(pool, pages, parking) {
            return Ok(false);
        }
        let (name, groups) = (self.config.grouping.name(pool), self.config.grouping.groups());
        Err(SimError::OutOfSpace(format!(
            "{name} reclaimed {limit} {groups} while the host made no progress: moving pages takes the room that it wins; \
             raise ssd.overprovisioning or ftl.cmt_bytes, or lower gc.threshold"
        )))
    }

    /// The group to reclaim next in a pool.
    pub(super) fn choose_victim(
        &mut self,
        pool: PoolId,
        pages: &mut Pages,
        parking: &Parking,
        nand: &Nand,
        now: Ns,
    ) -> Option<(BlockId, Reason)> {
        if let Some(block) = self.pools[pool].unfinished {
            let first = pages.first_after_cut(pool, block)?;
            self.pools[pool].unfinished = None;
            return Some((first, Reason::Gc));
        }
        let pages = &*pages;
        let mut resets = self.resets.iter().map(|reset| reset.head);
        if let Some(head) = resets.find(|&head| pages.blocks.unprogrammed_of(head) == 0) {
            return Some((head, Reason::Reset));
        }
        if !self.refresh.is_due(pool) {
            return self.victim_for_room(pool, pages, parking, nand);
        }
        // A refresh frees no room: it waits while others wait for room, but not for ever.
        let free = pages.blocks.free_count(pool);
        let is_its_turn =
            self.pools[pool].jobs_before_refresh >= JOBS_BEFORE_REFRESH && free >= REFRESH_MIN_BLOCKS;
        if !is_its_turn && let Some(victim) = self.victim_for_room(pool, pages, parking, nand) {
            self.pools[pool].jobs_before_refresh += 1;
            return Some(victim);
        }
        if !is_its_turn && self.is_pressed(pool, pages, parking) {
            return None;
        }
        self.pools[pool].jobs_before_refresh = 0;
        let block = self.refresh.next(pool, pages, nand, now);
        block
            .map(|block| (block, Reason::Refresh))
            .or_else(|| self.victim_for_room(pool, pages, parking, nand))
    }

    /// The group to reclaim next where a pool is short of free ones. A group whose job takes as much room as it
    /// wins waits until few free groups are left.
    fn victim_for_room(
        &mut self,
        pool: PoolId,
        pages: &Pages,
        parking: &Parking,
        nand: &Nand,
    ) -> Option<(BlockId, Reason)> {
        if let Some(block) = self.fold_victim(pool, pages) {
            return Some((block, Reason::Fold));
        }
        if !self.is_below_threshold(pool, pages) {
            return None;
        }
        self.show_groups(pool, pages);
        // A swap frees no room. If swaps go on for ever (a small threshold lets them), the host comes first.
        let swaps_wait = self.pools[pool].jobs_alone >= pages.geometry.blocks_per_plane;
        if !swaps_wait && let Some(block) = self.wear_victim(pool, pages, nand) {
            return Some((block, Reason::Wear));
        }
        let block = self.victim_of_gc(pool, pages)?;
        let gain = pages.gain(block);
        let wins = |cost: JobCost| gain > cost.of(pages.pages_per_group() - gain);
        if !self.config.job_cost.is_none_or(wins) && !self.is_pressed(pool, pages, parking) {
            return None;
        }
        Some((block, reason_for(block, pages)))
    }

    /// What policies see of a pool from now on: each group as one block.
    fn show_groups(&mut self, pool: PoolId, pages: &Pages) {
        if let Some(groups) = &mut self.groups {
            pages.blocks.show_groups(pool, pages.part_of_group(), groups);
        }
    }

    /// The group that GC collects next in a pool.
    pub fn gc_victim(&mut self, pool: PoolId, pages: &Pages) -> Option<BlockId> {
        self.show_groups(pool, pages);
        self.victim_of_gc(pool, pages)
    }

    /// The same for a pool whose groups are shown.
    fn victim_of_gc(&mut self, pool: PoolId, pages: &Pages) -> Option<BlockId> {
        self.draws += 1;
        if self.config.collects_by_handle
            && let Some(streams) = pages.streams_of_short_handle(pool)
            && let Some(head) = self.victim_among(pool, Some(streams), pages)
            && !pages.is_almost_live(head)
        {
            return Some(head);
        }
        let Some((stream, first)) = self.config.preferred else {
            return self.victim_among(pool, None, pages);
        };
        let fast = self.victim_among(pool, Some([stream; 2]), pages);
        if fast.is_some() && first == FastFirst::Always {
            return fast;
        }
        let any = self.victim_among(pool, None, pages)?;
        let live = |head| pages.blocks.group(head).valid;
        Some(fast.filter(|&block| live(block) <= live(any)).unwrap_or(any))
    }

    /// A victim among the blocks of streams, or among all.
    fn victim_among(
        &mut self,
        pool: PoolId,
        streams: Option<[StreamId; 2]>,
        pages: &Pages,
    ) -> Option<BlockId> {
        let groups = self.groups.as_ref();
        let view = view(&self.config, groups, (pool, streams, self.draws), pages);
        // Where no page of the plane is dead, no victim wins anything.
        if view.any && (GcView { any: false, ..view }).candidates().next().is_none() {
            return None;
        }
        self.policy.choose(&view)
    }

    /// The block whose cold data moves, so that its cells take their share of the wear. A free block is needed beside
    /// the one that GC keeps: a cold block brings no room.
    fn wear_victim(&mut self, pool: PoolId, pages: &Pages, nand: &Nand) -> Option<BlockId> {
        if !self.config.levels_wear || pages.blocks.free_count(pool) < WEAR_MIN_BLOCKS {
            return None;
        }
        let blocks = &pages.blocks;
        let is_bad = |head: &BlockId| blocks.get(*head).state() == BlockState::Bad;
        let bad = || blocks.grouping().heads(pool).filter(is_bad);
        if let Some(groups) = &mut self.groups {
            // The wear of a group is that of its head.
            bad().for_each(|head| groups[head].set_state(BlockState::Bad));
        }
        let table = self.groups.as_ref().unwrap_or(blocks.table());
        let plane = blocks.grouping().first_plane(pool);
        let victim = self.wear.choose(&WearView { blocks: table, health: nand.all_health(), plane });
        if let Some(groups) = &mut self.groups {
            // GC looks at them next.
            bad().for_each(|head| groups[head] = blocks.shown(head, pages.part_of_group()));
        }
        victim
    }
}

impl Pages {
    /// True where the live pages of a group fit into what room a pool has: free groups, and the rest of the open ones.
    fn fits(&self, pool: PoolId, head: BlockId) -> bool {
        let free = self.blocks.free_count(pool) as u32 * self.pages_per_group();
        self.live_in(head) <= self.left_in_open_groups(pool) + free
    }

    /// What is left of the open groups of a pool that live pages may move into after a loss of power.
    fn left_in_open_groups(&self, pool: PoolId) -> u32 {
        let Placement { fast, cache, .. } = self.placement;
        let ids = self.placement.streams.ids().filter(|&id| ![fast, cache].contains(&Some(id)));
        ids.map(|id| self.blocks.left_in_open(self.blocks.frontier(pool, id))).sum()
    }

    /// Room of a pool that the host leaves to live pages: free groups, and what is left of open ones where fewer are free than it leaves.
    pub(super) fn room_for_moves(&self, pool: PoolId) -> u32 {
        let (free, kept) = (self.blocks.free_count(pool), self.blocks.kept_groups(pool));
        let open = if free < kept { self.left_in_open_groups(pool) } else { 0 };
        open + free.min(kept) as u32 * self.pages_per_group()
    }

    /// What the persistently isolated handle that has opened a group of a pool last has written, and what of it has moved; none where it is
    /// not so isolated.
    fn streams_of_short_handle(&self, pool: PoolId) -> Option<[StreamId; 2]> {
        let streams = &self.placement.streams;
        let stream = self.blocks.opened_by(pool).filter(|&stream| streams.kept_apart(stream).is_some())?;
        Some([stream, streams.get(stream).moves_to])
    }

    /// Live units of a group.
    pub fn live_in(&self, head: BlockId) -> u32 {
        self.blocks.written_members(head).map(|id| u32::from(self.blocks.get(id).valid)).sum()
    }

    /// The group whose job a loss of power ended, where it still fits into the room of its pool. What had moved may have come
    /// back to it, and the places of that are wasted: then another group comes first, which fits. Where none does, what is left of the
    /// one with the fewest live pages goes to another pool, as soon as one has room; none until then.
    #[cold]
    fn first_after_cut(&mut self, pool: PoolId, unfinished: BlockId) -> Option<BlockId> {
        if self.fits(pool, unfinished) {
            return Some(unfinished);
        }
        let groups = self.blocks.groups_of(pool).filter(|&(head, group)| {
            let is_done = group.state == BlockState::Full && group.programmed == group.next_page;
            is_done && !self.blocks.is_cached(head)
        });
        let fewest = groups.map(|(head, _)| head).min_by_key(|&head| self.live_in(head));
        if let Some(fits) =
            fewest.filter(|&head| self.fits(pool, head)).or_else(|| self.blocks.close_empty(pool))
        {
            return Some(fits);
        }
        let others_have_room = self.blocks.pools().any(|other| self.blocks.has_group_to_spare(other));
        fewest.filter(|_| others_have_room)
    }
}

/// What policies see of a pool, at a draw: the blocks of streams, or all.
pub(super) fn view<'a>(
    config: &ReclaimConfig,
    groups: Option<&'a BlockTable>,
    (pool, streams, draw): (PoolId, Option<[StreamId; 2]>, u64),
    pages: &'a Pages,
) -> GcView<'a> {
    GcView {
        blocks: groups.unwrap_or(pages.blocks.table()),
        plane: pages.blocks.grouping().first_plane(pool),
        pages_per_block: pages.pages_per_group().div_ceil(pages.part_of_group()),
        blocks_per_plane: pages.geometry.blocks_per_plane / pages.blocks.grouping().layers(),
        apart: pages.blocks.grouping().layers(),
        seed: config.seed,
        draw,
        streams,
        any: config.any_victim,
        takes_fixed: false,
    }
}

/// Why a victim of GC is emptied: a group of the SLC cache is folded, and that makes room, too.
pub(in crate::ftl) fn reason_for(head: BlockId, pages: &Pages) -> Reason {
    if pages.blocks.is_cached(head) { Reason::Fold } else { Reason::Gc }
}
