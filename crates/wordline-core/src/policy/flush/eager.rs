//! `eager`: a dirty page leaves as soon as it is whole. One that is written in part waits a while for the rest, so that requests
//! of less than a page share a program. It is no longer in the
//! cache when the flash has it, as with MQSim's write cache (`Remove_slot` when a write-back is serviced).

use super::{CacheView, DeviceView, FlushPolicy, Leaves, Policy};
use crate::engine::Ns;
use crate::parameter::section;
use wordline_cells::ns_from_us;

section! {
    /// The keys of `eager`.
    #[derive(Copy)]
    pub struct Keys {
        /// How long a page that was written in part waits for the rest of it; 0 = it leaves at once, too.
        fill_wait_us: f64 = 1_000.0,
            operation().source("assumed: some requests long, and short beside a flush of the host")
                .unless("cache.mode", &["off", "read"]).when("cache.flush", &["eager"]);
    }
}

/// Every page leaves as soon as it is whole, or has waited for the rest.
#[derive(Clone, Copy, Debug)]
pub struct Eager {
    fill_wait: Ns,
}

impl Policy for Eager {
    const NAME: &'static str = "eager";
    const HELP: &'static str = "every page leaves as soon as it is whole, or has waited for the rest";
    type Parameters = Keys;
}

impl FlushPolicy for Eager {
    fn new(keys: &Keys, _: &DeviceView<'_>) -> Eager {
        Eager { fill_wait: ns_from_us(keys.fill_wait_us) }
    }

    fn written(&mut self, view: &CacheView) -> Leaves {
        if view.is_whole || self.fill_wait == 0 { Leaves::Written } else { Leaves::Nothing }
    }

    fn only_passes(&self) -> bool {
        true
    }

    fn fill_wait(&self) -> Option<Ns> {
        (self.fill_wait > 0).then_some(self.fill_wait)
    }
}
