//! RGA, the randomised greedy algorithm: the best of some blocks drawn at random (Li, Lee and Lui, SIGMETRICS 2013).

use super::{DeviceView, GcPolicy, GcView, NoParameters, Policy, sampling};
use wordline_cells::geometry::BlockId;

/// The fewest valid pages of log2(blocks) random ones.
#[derive(Clone, Copy, Debug)]
pub struct Rga;

impl Policy for Rga {
    const NAME: &'static str = "rga";
    const HELP: &'static str = "the fewest valid pages of log2(blocks) random ones";
    type Parameters = NoParameters;
}

impl GcPolicy for Rga {
    fn new(_: &NoParameters, _: &DeviceView<'_>) -> Rga {
        Rga
    }

    fn choose(&mut self, view: &GcView<'_>) -> Option<BlockId> {
        sampling::best_of(samples(view.blocks_per_plane), view)
    }
}

/// Blocks that RGA looks at in a plane of this many: the logarithm to base 2, as in MQSim.
fn samples(blocks_per_plane: u32) -> u32 {
    (32 - blocks_per_plane.leading_zeros()).saturating_sub(1).max(2)
}
