//! Which block of a plane to reclaim, and why.

use super::{Reason, Reclaim, THRESHOLD_MIN_BLOCKS};
use crate::engine::Ns;
use crate::error::SimError;
use crate::ftl::pages::Pages;
use crate::ftl::parking::Parking;
use crate::nand::{BlockId, Nand, PlaneId};
use crate::policy::gc::GcView;
use crate::policy::program::FastFirst;
use crate::policy::wear_levelling::WearView;

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
        if self.is_below_threshold(plane, pages) {
            // A swap frees no room. If swaps go on for ever (a small threshold lets them), the host comes first.
            let swaps_wait = self.jobs_alone[plane as usize].1 >= pages.geometry.blocks_per_plane;
            if !swaps_wait && let Some(block) = self.wear_victim(plane, pages, nand) {
                return Some((block, Reason::Wear));
            }
            if let Some(block) = self.gc_victim(plane, pages) {
                return Some((block, Reason::Gc));
            }
        }
        // A refresh frees no room: it waits while others wait for room.
        if self.is_pressed(plane, pages, parking) {
            return None;
        }
        self.refresh.next(plane, pages, nand, now).map(|block| (block, Reason::Refresh))
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
        self.policy.choose(&view)
    }

    /// The block whose cold data moves, so that its cells take their share of the wear. A free block is needed beside
    /// the one that GC keeps: a cold block brings no room.
    fn wear_victim(&mut self, plane: PlaneId, pages: &Pages, nand: &Nand) -> Option<BlockId> {
        if !self.config.levels_wear || pages.blocks.free_count(plane) < THRESHOLD_MIN_BLOCKS - 1 {
            return None;
        }
        let (blocks, health) = (pages.blocks.table(), nand.all_health());
        let pages_per_block = pages.geometry.pages_per_block;
        self.wear.choose(&WearView { blocks, health, plane, pages_per_block })
    }
}
