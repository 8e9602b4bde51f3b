//! The drift of the best read voltages from the default ones, in steps of the retry table.
//!
//! ```text
//! steps(s, t) = max(0, c(s) · ln(1 + t / t0) + w(s) - margin)
//! c(s) = c0 · (1 + growth · s / 1000)            charge loss, logarithmic in time, faster in worn cells
//! w(s) = w1 · (1 - exp(-(s / s1) ^ p))           drift from wear at zero retention
//! ```
//!
//! `s` is stress in cycles, `t` retention in months at 30 C. Because of the margin, fresh data can be read without a
//! retry for some weeks: within it the default voltages are as good as any.

use super::constants::DriftConstants;

/// The mean drift of pages.
#[derive(Clone, Debug)]
pub struct Drift {
    constants: DriftConstants,
}

impl Drift {
    /// The drift of a kind of chip.
    #[must_use]
    pub fn new(constants: &DriftConstants) -> Drift {
        Drift { constants: constants.clone() }
    }

    /// Mean drift, steps beyond the margin; 0 within it.
    #[must_use]
    pub fn mean_steps(&self, stress: f64, months: f64) -> f64 {
        (self.rate(stress) * self.log_time(months) + self.wear(stress) - self.constants.margin_steps).max(0.0)
    }

    /// Logarithm of retention, e-folds.
    #[must_use]
    pub fn log_time(&self, months: f64) -> f64 {
        libm::log1p(months / self.constants.onset_months)
    }

    /// Steps per e-fold of time.
    #[must_use]
    pub fn rate(&self, stress: f64) -> f64 {
        self.constants.steps_per_log * (1.0 + self.constants.steps_per_log_growth * stress / 1000.0)
    }

    /// Drift through stress alone, steps.
    #[must_use]
    pub fn wear(&self, stress: f64) -> f64 {
        let relative = libm::pow(stress / self.constants.wear_stress, self.constants.wear_power);
        -self.constants.wear_steps * libm::expm1(-relative)
    }
}
