//! Random: each block with the same chance.

use super::{DeviceView, GcKeys, GcPolicy, GcView, NoParameters, Policy, sampling};
use wordline_cells::geometry::BlockId;

/// A block drawn at random.
#[derive(Clone, Copy, Debug)]
pub struct Random;

impl Policy for Random {
    const NAME: &'static str = "random";
    const HELP: &'static str = "a block drawn at random";
    type Parameters = NoParameters;
}

impl GcPolicy for Random {
    fn is_blind(_: &GcKeys) -> bool {
        true
    }

    fn new(_: &NoParameters, _: &DeviceView<'_>) -> Random {
        Random
    }

    fn choose(&mut self, view: &GcView<'_>) -> Option<BlockId> {
        sampling::best_of(1, view)
    }
}
