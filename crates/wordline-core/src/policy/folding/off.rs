//! `off`: there is no SLC cache.

use super::{DeviceView, FoldView, FoldingPolicy, NoParameters, Policy};
use crate::engine::Ns;
use crate::flash::Writer;

/// Nothing goes through a cache.
#[derive(Clone, Copy, Debug)]
pub struct Off;

impl Policy for Off {
    const NAME: &'static str = "off";
    const HELP: &'static str = "no SLC cache";
    type Parameters = NoParameters;
}

impl FoldingPolicy for Off {
    fn uses_cache() -> bool {
        false
    }

    fn new(_: &NoParameters, _: &DeviceView<'_>) -> Off {
        Off
    }

    fn takes(&self, _: &Writer) -> bool {
        false
    }

    fn idle_after(&self) -> Option<Ns> {
        None
    }

    fn folds(&self, _: &FoldView) -> bool {
        false
    }
}
