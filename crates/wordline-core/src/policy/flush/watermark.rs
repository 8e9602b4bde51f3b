//! `watermark`: when more than `cache.high_watermark` of the cache is dirty, the oldest dirty pages leave until
//! `cache.low_watermark` is.

use super::{CacheView, FlushPolicy, Leaves, NoParameters, Policy};
use crate::config::Config;

/// The oldest pages leave from a high to a low share of dirty ones.
#[derive(Clone, Copy, Debug)]
pub struct Watermark {
    high: f64,
    low: f64,
    /// The high mark was passed, and the low one not yet reached.
    drains: bool,
}

impl Policy for Watermark {
    const NAME: &'static str = "watermark";
    const HELP: &'static str = "the oldest pages leave from a high to a low share of dirty ones";
    type Parameters = NoParameters;
}

impl FlushPolicy for Watermark {
    fn new(config: &Config) -> Watermark {
        Watermark { high: config.cache.high_watermark, low: config.cache.low_watermark, drains: false }
    }

    fn written(&mut self, view: &CacheView) -> Leaves {
        let pages = |share: f64| (view.capacity as f64 * share) as usize;
        self.drains |= view.dirty > pages(self.high);
        self.drains &= view.dirty > pages(self.low);
        if self.drains { Leaves::Oldest } else { Leaves::Nothing }
    }
}
