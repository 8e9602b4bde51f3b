//! `idle`: the cache takes writes as long as it has room. It is folded when the host has been idle for a while, and when the
//! drive is short of free blocks, as far as that wins some.
//!
//! So do consumer drives: a review of the Samsung 840 EVO (AnandTech, 2013, "TurboWrite") had its cache written to TLC in
//! 15 to 30 seconds of idle time. After how long idle a drive begins, no maker says.

use super::{DeviceView, FoldView, FoldingPolicy, Policy};
use crate::engine::Ns;
use crate::flash::Writer;
use crate::parameter::section;

section! {
    /// The keys of `idle`.
    #[derive(Copy)]
    pub struct Keys {
        /// The host counts as idle when it has asked for nothing for so long.
        idle_ms: f64 = 1_000.0,
            number(0.0, 1e9).unit("ms").source("a guess: no maker says it").when("slc.policy", &["idle"]);
        /// Requests of this size or larger go around the cache; 0 = none.
        around_bytes: u64 = 0, whole(0, 33_553_920).unit("bytes").when("slc.policy", &["idle"]);
    }
}

/// Folds while the host is idle.
#[derive(Clone, Copy, Debug)]
pub struct Idle {
    idle: Ns,
    /// The smallest request that goes around.
    around_sectors: u64,
}

impl Policy for Idle {
    const NAME: &'static str = "idle";
    const HELP: &'static str = "all but requests of `around_bytes`; folded when the host is idle for `idle_ms`, or free blocks are short";
    type Parameters = Keys;
}

impl FoldingPolicy for Idle {
    fn new(keys: &Keys, _: &DeviceView<'_>) -> Idle {
        let around = keys.around_bytes.div_ceil(512);
        Idle { idle: (keys.idle_ms * 1e6) as Ns, around_sectors: if around == 0 { u64::MAX } else { around } }
    }

    #[inline]
    fn takes(&self, writer: &Writer) -> bool {
        u64::from(writer.sectors) < self.around_sectors
    }

    fn idle_after(&self) -> Option<Ns> {
        Some(self.idle)
    }

    #[inline]
    fn folds(&self, view: &FoldView) -> bool {
        view.is_idle && view.full > 0 || view.is_short && view.full_dynamic > 0
    }
}
