//! `by-wear`: worn blocks leak faster, so that their data is refreshed sooner: the period shrinks from `period_fresh_days`
//! in proportion to a block's P/E cycles (the adaptive rate of Cai et al., "Flash Correct-and-Refresh", ICCD 2012; the
//! proportion is assumed).

use super::{DeviceView, Policy, RefreshPolicy, RefreshView};
use crate::engine::Ns;
use crate::parameter::section;

section! {
    /// The keys of `by-wear`.
    #[derive(Copy)]
    pub struct Keys {
        /// Age at which the data of a fresh block is due.
        period_fresh_days: f64 = 365.0, above(0.0, 36_500.0).unit("days").source("JESD218: a year")
            .when("refresh.policy", &["by-wear"]);
        /// P/E cycles at which it is due at half the age.
        half_at_pec: u32 = 1000, whole(1, 1_000_000).unit("P/E cycles").source("assumed")
            .when("refresh.policy", &["by-wear"]);
    }
}

/// Looks at all blocks in the period of a fresh block.
const LOOKS_PER_PERIOD: u64 = 1024;

/// Old data, the sooner the more worn its block is.
#[derive(Clone, Copy, Debug)]
pub struct ByWear {
    period: Ns,
    half_at_pec: u32,
}

impl Policy for ByWear {
    const NAME: &'static str = "by-wear";
    const HELP: &'static str = "old data, the sooner the more worn its block is";
    type Parameters = Keys;
}

impl RefreshPolicy for ByWear {
    fn new(keys: &Keys, _: &DeviceView<'_>) -> ByWear {
        ByWear { period: (keys.period_fresh_days * 86_400e9) as Ns, half_at_pec: keys.half_at_pec }
    }

    fn looks_every(&self) -> Option<Ns> {
        Some((self.period / LOOKS_PER_PERIOD).max(1))
    }

    fn is_due(&self, view: &RefreshView<'_>) -> bool {
        let wear = f64::from(view.health.pec) / f64::from(self.half_at_pec);
        view.age as f64 * (1.0 + wear) >= self.period as f64
    }
}
