//! `half-dirty`: the oldest dirty pages leave the cache while more than half of it is dirty.

use super::{CacheView, DeviceView, FlushPolicy, Leaves, NoParameters, Policy};

/// No more than half of the cache is dirty.
#[derive(Clone, Copy, Debug)]
pub struct HalfDirty;

impl Policy for HalfDirty {
    const NAME: &'static str = "half-dirty";
    const HELP: &'static str = "the oldest pages leave while more than half of the cache is dirty";
    type Parameters = NoParameters;
}

impl FlushPolicy for HalfDirty {
    fn new(_: &NoParameters, _: &DeviceView<'_>) -> HalfDirty {
        HalfDirty
    }

    fn written(&mut self, view: &CacheView) -> Leaves {
        if view.dirty > view.capacity / 2 { Leaves::Oldest } else { Leaves::Nothing }
    }
}
