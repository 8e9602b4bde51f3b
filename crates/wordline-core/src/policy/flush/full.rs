//! `full`: a dirty page leaves when its line is needed.

use super::{CacheView, DeviceView, FlushPolicy, Leaves, NoParameters, Policy};

/// Evict the least recently used page when a line is needed.
#[derive(Clone, Copy, Debug)]
pub struct Full;

impl Policy for Full {
    const NAME: &'static str = "full";
    const HELP: &'static str = "evict the least recently used page when a line is needed";
    type Parameters = NoParameters;
}

impl FlushPolicy for Full {
    fn new(_: &NoParameters, _: &DeviceView<'_>) -> Full {
        Full
    }

    fn written(&mut self, _: &CacheView) -> Leaves {
        Leaves::Nothing
    }
}
