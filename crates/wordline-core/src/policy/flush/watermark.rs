//! `watermark`: when more than `cache.high_watermark` of the cache is dirty, the oldest dirty pages leave until
//! `cache.low_watermark` is.

use super::{CacheView, DeviceView, FlushPolicy, Leaves, Policy, Refusal};
use crate::engine::{LoadError, Loader, Saver};
use crate::parameter::section;

section! {
    /// The keys of `watermark`.
    #[derive(Copy)]
    pub struct Keys {
        /// Dirty share that starts a watermark flush.
        high_watermark: f64 = 0.8,
            fraction().unless("cache.mode", &["off", "read"]).when("cache.flush", &["watermark"]);
        /// Dirty share that ends it; at most high_watermark.
        low_watermark: f64 = 0.6,
            fraction().unless("cache.mode", &["off", "read"]).when("cache.flush", &["watermark"]);
    }
}

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
    type Parameters = Keys;

    fn check(keys: &Keys, _: &DeviceView<'_>) -> Result<(), Refusal> {
        let &Keys { high_watermark: high, low_watermark: low } = keys;
        if low <= high {
            return Ok(());
        }
        Err(Refusal::of_key(
            "cache.low_watermark",
            format!("`cache.low_watermark` = {low} is above `cache.high_watermark` = {high}"),
            "a flush begins at the high one and ends at the low one: lower the one or raise the other"
                .to_owned(),
        ))
    }

    fn save(&self, to: &mut Saver<'_>) -> std::io::Result<()> {
        to.value(&self.drains)
    }

    fn load(&mut self, from: &mut Loader<'_>) -> Result<(), LoadError> {
        self.drains = from.value()?;
        Ok(())
    }
}

impl FlushPolicy for Watermark {
    fn new(keys: &Keys, _: &DeviceView<'_>) -> Watermark {
        Watermark { high: keys.high_watermark, low: keys.low_watermark, drains: false }
    }

    fn written(&mut self, view: &CacheView) -> Leaves {
        let pages = |share: f64| (view.capacity as f64 * share) as usize;
        self.drains |= view.dirty > pages(self.high);
        self.drains &= view.dirty > pages(self.low);
        if self.drains { Leaves::Oldest } else { Leaves::Nothing }
    }
}
