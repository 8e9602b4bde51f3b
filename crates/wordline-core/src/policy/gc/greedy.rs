//! Greedy: the block with the least live data, the longest full among equals.

use super::{DeviceView, GcPolicy, GcView, NoParameters, Policy};
use crate::flash::Block;
use wordline_cells::geometry::BlockId;

/// The fewest valid pages.
#[derive(Clone, Copy, Debug)]
pub struct Greedy;

impl Policy for Greedy {
    const NAME: &'static str = "greedy";
    const HELP: &'static str = "the fewest valid pages";
    type Parameters = NoParameters;
}

impl GcPolicy for Greedy {
    fn new(_: &NoParameters, _: &DeviceView<'_>) -> Greedy {
        Greedy
    }

    fn choose(&mut self, view: &GcView<'_>) -> Option<BlockId> {
        choose(view)
    }
}

/// The block with the least live data.
pub(super) fn choose(view: &GcView<'_>) -> Option<BlockId> {
    let key = |block: &Block| u64::from(block.valid) << 32 | u64::from(block.filled_seq);
    // All blocks of the plane are compared at each choice, and hardly one has less than those before it.
    let least = (u64::MAX, None);
    let better = |least: (u64, Option<BlockId>), (id, block): (BlockId, &Block)| {
        if key(block) < least.0 && view.is_candidate(block) { (key(block), Some(id)) } else { least }
    };
    view.blocks.of_plane(view.plane).fold(least, better).1
}
