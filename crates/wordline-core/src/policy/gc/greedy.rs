//! Greedy: the block with the least live data, the longest full among equals.

use super::{DeviceView, GcPolicy, GcView, NoParameters, Policy};
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
    view.candidates().min_by_key(|(_, block)| (block.valid, block.filled_seq)).map(|(id, _)| id)
}
