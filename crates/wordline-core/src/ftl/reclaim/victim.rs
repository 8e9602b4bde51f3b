//! Which block of a plane to reclaim, and why.

use super::{Reason, Reclaim};
use crate::engine::Ns;
use crate::error::SimError;
use crate::ftl::pages::Pages;
use crate::ftl::parking::Parking;
use crate::nand::{BlockId, Nand, PlaneId};
use crate::policy::gc::GcView;
use crate::policy::program::FastFirst;
use crate::policy::wear_levelling::WearView;

/// Free blocks that wear levelling needs: one for what it moves, and the one that GC keeps.
const WEAR_MIN_BLOCKS: usize = 2;

/// Jobs of a plane that win room and go before a refresh that is due.
const JOBS_BEFORE_REFRESH: u32 = 8;

/// Free blocks that a refresh out of turn needs: one for what it moves, and the one that GC keeps.
const REFRESH_MIN_BLOCKS: usize = 2;

/// Jobs that a plane may begin without any step of the host, by block of the plane.
const JOBS_ALONE_MAX: u32 = 16;

impl Reclaim {
    /// Whether a plane may begin a job. Jobs can feed themselves: where the mapping table is cached, a
    /// page that is moved may cost another write, so that a threshold that is out of reach keeps a
    /// plane collecting for ever. After many jobs without any step of the host, further jobs wait for the host;
    /// where the host waits for them, the run cannot go on.
    pub(super) fn may_begin(
        &mut self,
        plane: PlaneId,
        pages: &Pages,
        parking: &Parking,
    ) -> Result<bool, SimError> {
        let limit = JOBS_ALONE_MAX * pages.geometry.blocks_per_plane;
        let (steps, jobs) = &mut self.jobs_alone[plane as usize];
        if *steps != self.host_steps {
            (*steps, *jobs) = (self.host_steps, 0);
        }
        if *jobs < limit {
            return Ok(true);
        }
        if !self.is_pressed(plane, pages, parking) {
            return Ok(false);
        }
        Err(SimError::OutOfSpace(format!(
            "plane {plane} reclaimed {limit} blocks while the host got nowhere: moving pages takes the room that it wins; \
             raise ssd.overprovisioning or ftl.cmt_bytes, or lower gc.threshold"
        )))
    }

    /// The block to reclaim next in a plane.
    pub(super) fn choose_victim(
        &mut self,
        plane: PlaneId,
        pages: &Pages,
        parking: &Parking,
        nand: &Nand,
        now: Ns,
    ) -> Option<(BlockId, Reason)> {
        if !self.refresh.is_due(plane) {
            return self.victim_for_room(plane, pages, nand);
        }
        // A refresh frees no room: it waits while others wait for room, but not for ever.
        let free = pages.blocks.free_count(plane);
        let is_its_turn =
            self.jobs_before_refresh[plane as usize] >= JOBS_BEFORE_REFRESH && free >= REFRESH_MIN_BLOCKS;
        if !is_its_turn && let Some(victim) = self.victim_for_room(plane, pages, nand) {
            self.jobs_before_refresh[plane as usize] += 1;
            return Some(victim);
        }
        if !is_its_turn && self.is_pressed(plane, pages, parking) {
            return None;
        }
        self.jobs_before_refresh[plane as usize] = 0;
        let block = self.refresh.next(plane, pages, nand, now);
        block.map(|block| (block, Reason::Refresh)).or_else(|| self.victim_for_room(plane, pages, nand))
    }

    /// The block to reclaim next where a plane is short of free ones.
    fn victim_for_room(&mut self, plane: PlaneId, pages: &Pages, nand: &Nand) -> Option<(BlockId, Reason)> {
        if !self.is_below_threshold(plane, pages) {
            return None;
        }
        // A swap frees no room. If swaps go on for ever (a small threshold lets them), the host comes first.
        let swaps_wait = self.jobs_alone[plane as usize].1 >= pages.geometry.blocks_per_plane;
        if !swaps_wait && let Some(block) = self.wear_victim(plane, pages, nand) {
            return Some((block, Reason::Wear));
        }
        self.gc_victim(plane, pages).map(|block| (block, Reason::Gc))
    }

    /// The block that GC collects next in a plane.
    pub fn gc_victim(&mut self, plane: PlaneId, pages: &Pages) -> Option<BlockId> {
        self.draws += 1;
        let Some((stream, first)) = self.config.preferred else {
            return self.victim_among(plane, None, pages);
        };
        let fast = self.victim_among(plane, Some(stream), pages);
        if fast.is_some() && first == FastFirst::Always {
            return fast;
        }
        let any = self.victim_among(plane, None, pages)?;
        let live = |block| pages.blocks.get(block).valid;
        Some(fast.filter(|&block| live(block) <= live(any)).unwrap_or(any))
    }

    /// A victim among the blocks of a stream, or among all.
    fn victim_among(&mut self, plane: PlaneId, stream: Option<u8>, pages: &Pages) -> Option<BlockId> {
        let view = GcView {
            blocks: pages.blocks.table(),
            plane,
            pages_per_block: pages.geometry.pages_per_block,
            blocks_per_plane: pages.geometry.blocks_per_plane,
            seed: self.config.seed,
            draw: self.draws,
            stream,
            any: self.config.any_victim,
        };
        // Where no page of the plane is dead, no victim wins anything.
        if view.any && (GcView { any: false, ..view }).candidates().next().is_none() {
            return None;
        }
        self.policy.choose(&view)
    }

    /// The block whose cold data moves, so that its cells take their share of the wear. A free block is needed beside
    /// the one that GC keeps: a cold block brings no room.
    fn wear_victim(&mut self, plane: PlaneId, pages: &Pages, nand: &Nand) -> Option<BlockId> {
        if !self.config.levels_wear || pages.blocks.free_count(plane) < WEAR_MIN_BLOCKS {
            return None;
        }
        let (blocks, health) = (pages.blocks.table(), nand.all_health());
        let pages_per_block = pages.geometry.pages_per_block;
        self.wear.choose(&WearView { blocks, health, plane, pages_per_block })
    }
}
