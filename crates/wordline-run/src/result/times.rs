//! Times as a result gives them.

use wordline_core::Ssd;
use wordline_core::config::Config;
use wordline_core::engine::Ns;

/// A time in seconds.
pub(super) fn s(ns: Ns) -> f64 {
    ns as f64 / 1e9
}

/// How much of a time the SSD had power, ns: no rate counts the time that it was off.
pub(super) fn with_power(config: &Config, ssd: &Ssd, (from, to): (Ns, Ns)) -> Ns {
    let cut_at = (config.power.cut_at_s * 1e9) as Ns;
    let back_at = cut_at.saturating_add((config.power.off_h * 3600e9) as Ns);
    let was_off = ssd.power_log().cut.is_some() && from <= cut_at && back_at <= to;
    to - from - if was_off { back_at - cut_at } else { 0 }
}
