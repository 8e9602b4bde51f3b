//! `watermark`: the cache takes every write as long as it has room, and is folded, whatever the host does, when more than a
//! share of it is full; also when the drive is short of free blocks, as far as that wins some.

use super::{DeviceView, FoldView, FoldingPolicy, Policy};
use crate::engine::Ns;
use crate::flash::Writer;
use crate::parameter::section;

section! {
    /// The keys of `watermark`.
    #[derive(Copy)]
    pub struct Keys {
        /// Share of the cache that may be full before it is folded.
        fold_above: f64 = 0.5, fraction().source("a guess").when("slc.policy", &["watermark"]);
    }
}

/// Folds above a share.
#[derive(Clone, Copy, Debug)]
pub struct Watermark {
    share: f64,
}

impl Policy for Watermark {
    const NAME: &'static str = "watermark";
    const HELP: &'static str =
        "all; folded when more than `fold_above` of the cache is full, or free blocks are short";
    type Parameters = Keys;
}

impl FoldingPolicy for Watermark {
    fn new(keys: &Keys, _: &DeviceView<'_>) -> Watermark {
        Watermark { share: keys.fold_above }
    }

    fn takes(&self, _: &Writer) -> bool {
        true
    }

    fn idle_after(&self) -> Option<Ns> {
        None
    }

    #[inline]
    fn folds(&self, view: &FoldView) -> bool {
        let above = f64::from(view.full) > self.share * f64::from(view.limit);
        above || view.is_short && view.full_dynamic > 0
    }
}
