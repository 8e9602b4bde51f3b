//! `keep-some`: an idle host lets the cache be folded down to a share of it. What was written last stays, and is read in the
//! time of SLC.

use super::{DeviceView, FoldView, FoldingPolicy, Policy};
use crate::engine::Ns;
use crate::flash::Writer;
use crate::parameter::section;

section! {
    /// The keys of `keep-some`.
    #[derive(Copy)]
    pub struct Keys {
        /// Share of the cache that is not folded while there is room.
        keep_share: f64 = 0.5, fraction().source("our choice").when("slc.policy", &["keep-some"]);
    }
}

/// Idle time of the host after which it folds: 100 ms.
const IDLE_NS: Ns = 100_000_000;

/// Folds what is above a share, while the host is idle.
#[derive(Clone, Copy, Debug)]
pub struct KeepSome {
    share: f64,
}

impl Policy for KeepSome {
    const NAME: &'static str = "keep-some";
    const HELP: &'static str = "all; folded down to `keep_share` of the cache when the host is idle";
    type Parameters = Keys;
}

impl FoldingPolicy for KeepSome {
    fn new(keys: &Keys, _: &DeviceView<'_>) -> KeepSome {
        KeepSome { share: keys.keep_share }
    }

    fn takes(&self, _: &Writer) -> bool {
        true
    }

    fn idle_after(&self) -> Option<Ns> {
        Some(IDLE_NS)
    }

    fn folds(&self, view: &FoldView) -> bool {
        let is_above = f64::from(view.full) > self.share * f64::from(view.limit);
        view.is_idle && is_above || view.is_short && view.full_dynamic > 0
    }
}
