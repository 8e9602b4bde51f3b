//! `hot-cold`: a page that is written for the first time in a while leaves at once, and one that is written again soon
//! stays until its line is needed. MQSim's write cache does so (`Data_Cache_Manager_Flash_Advanced`), with 1 s.

use std::collections::BTreeSet;
use std::io;

use super::{CacheView, DeviceView, FlushPolicy, Leaves, Policy};
use crate::engine::{LoadError, Loader, Ns, Saver};
use crate::parameter::section;
use wordline_cells::geometry::Lpn;
use wordline_cells::ns_from_us;

section! {
    /// The keys of `hot-cold`.
    #[derive(Copy)]
    pub struct Keys {
        /// How long a page that was written counts as hot: what is known is forgotten at such intervals.
        hot_window_ms: f64 = 1000.0,
            above(0.0, 1e6).unit("ms").unless("cache.mode", &["off", "read"]).when("cache.flush", &["hot-cold"]).source("MQSim");
    }
}

/// Cold pages leave at once, hot ones when their lines are needed.
#[derive(Clone, Debug)]
pub struct HotCold {
    window: Ns,
    /// Pages that were written since the window began.
    hot: BTreeSet<Lpn>,
    ends_at: Ns,
}

impl Policy for HotCold {
    const NAME: &'static str = "hot-cold";
    const HELP: &'static str =
        "a page leaves at once, unless it was written shortly before; then when its line is needed";
    type Parameters = Keys;

    fn save(&self, to: &mut Saver<'_>) -> io::Result<()> {
        to.value(&(&self.hot, self.ends_at))
    }

    fn load(&mut self, from: &mut Loader<'_>) -> Result<(), LoadError> {
        (self.hot, self.ends_at) = from.value()?;
        Ok(())
    }
}

impl FlushPolicy for HotCold {
    fn new(keys: &Keys, _: &DeviceView<'_>) -> HotCold {
        HotCold { window: ns_from_us(keys.hot_window_ms * 1000.0), hot: BTreeSet::new(), ends_at: 0 }
    }

    fn written(&mut self, view: &CacheView) -> Leaves {
        let is_cold = self.hot.insert(view.written);
        if view.now > self.ends_at {
            self.hot.clear();
            self.ends_at = view.now + self.window;
        }
        if is_cold { Leaves::Written } else { Leaves::Nothing }
    }

    fn drops_clean(&self) -> bool {
        true
    }
}
