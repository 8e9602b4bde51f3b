//! The best of some blocks drawn at random: d-choices (Van Houdt, SIGMETRICS 2013), the randomised
//! greedy algorithm RGA (Li, Lee and Lui, SIGMETRICS 2013) and, with one draw, plain random.

use super::{GcView, greedy};
use crate::engine::variation::{Purpose, below};
use crate::nand::BlockId;

/// Blocks that RGA looks at in a plane of this many: the logarithm to base 2, as in MQSim.
pub(super) fn rga_samples(blocks_per_plane: u32) -> u32 {
    (32 - blocks_per_plane.leading_zeros()).saturating_sub(1).max(2)
}

/// Draws that miss (free, open or fully live blocks) before the policy falls back to greedy, so
/// that a plane with one candidate left still finds it.
const MISSES_MAX: u32 = 64;

pub(super) fn choose(view: &GcView<'_>, samples: u32) -> Option<BlockId> {
    let first = view.plane * view.blocks_per_plane;
    let (mut best, mut found) = (None::<(u16, BlockId)>, 0);
    for attempt in 0..samples + MISSES_MAX {
        let place = view.draw << 16 | u64::from(attempt);
        let id = first + below(view.seed, place, Purpose::VictimChoice, view.blocks_per_plane.into()) as u32;
        let block = view.blocks.get(id);
        if !view.is_candidate(block) {
            continue;
        }
        found += 1;
        if best.is_none_or(|(valid, _)| block.valid < valid) {
            best = Some((block.valid, id));
        }
        if found == samples {
            break;
        }
    }
    best.map(|(_, id)| id).or_else(|| greedy::choose(view))
}
