//! `age`: data that has lain in a block for the refresh period is due (Cai et al., "Flash Correct-and-Refresh", ICCD 2012,
//! with a fixed rate).

use super::{DeviceView, Policy, RefreshPolicy, RefreshView};
use crate::engine::Ns;
use crate::parameter::section;

section! {
    /// The keys of `age`.
    #[derive(Copy)]
    pub struct Keys {
        /// A block's data older than this is rewritten; 0 = off.
        period_days: f64 = 0.0, number(0.0, 36_500.0).unit("days").when("refresh.policy", &["age"]);
    }
}

/// Looks at all blocks in one refresh period.
const LOOKS_PER_PERIOD: u64 = 64;

/// Data that is older than the period.
#[derive(Clone, Copy, Debug)]
pub struct Age {
    period: Ns,
}

impl Policy for Age {
    const NAME: &'static str = "age";
    const HELP: &'static str = "data that is older than `period_days`";
    type Parameters = Keys;
}

impl RefreshPolicy for Age {
    fn new(keys: &Keys, _: &DeviceView<'_>) -> Age {
        Age { period: (keys.period_days * 86_400e9) as Ns }
    }

    fn looks_every(&self) -> Option<Ns> {
        (self.period > 0).then(|| (self.period / LOOKS_PER_PERIOD).max(1))
    }

    fn is_due(&self, view: &RefreshView<'_>) -> bool {
        view.age >= self.period
    }
}
