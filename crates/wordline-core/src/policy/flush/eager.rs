//! `eager`: a dirty page leaves at once, and is no longer in the cache when the flash has it. So MQSim does with its
//! write cache (`Remove_slot` when a write-back is serviced).

use super::{CacheView, DeviceView, FlushPolicy, Leaves, NoParameters, Policy};

/// Every page leaves as soon as it is written.
#[derive(Clone, Copy, Debug)]
pub struct Eager;

impl Policy for Eager {
    const NAME: &'static str = "eager";
    const HELP: &'static str = "every page leaves as soon as it is written";
    type Parameters = NoParameters;
}

impl FlushPolicy for Eager {
    fn new(_: &NoParameters, _: &DeviceView<'_>) -> Eager {
        Eager
    }

    fn written(&mut self, _: &CacheView) -> Leaves {
        Leaves::Written
    }

    fn only_passes(&self) -> bool {
        true
    }
}
