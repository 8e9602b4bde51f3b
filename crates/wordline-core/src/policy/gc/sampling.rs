//! The best of some blocks drawn at random: what d-choices, RGA and random have in common.

use super::{GcView, greedy};
use wordline_cells::geometry::BlockId;
use wordline_cells::variation::{Purpose, below};

/// Draws that miss (free, open or fully live blocks) before the policy falls back to greedy, so
/// that a plane with one candidate left still finds it.
const MISSES_MAX: u32 = 64;

/// The best of so many blocks.
pub(super) fn best_of(samples: u32, view: &GcView<'_>) -> Option<BlockId> {
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
