//! Errors at the best read voltages: raw bit errors of the worst 1-KiB codeword of a page at the retry step that
//! succeeds (M_ERR of PR2/AR2, Section 5.1; M_RBER of AERO, Section 5.4).
//!
//! ```text
//! floor(s, t, T) = fresh + retention · r(t) + stress(s) · (prompt + (1 - prompt) · r(t)) + cold(T)
//! stress(s) = early · (1 - exp(-s / s1)) + wear · (s / 1000) ^ p
//! r(t) = ln(1 + t / t0) / ln(1 + 12 / t0)
//! ```
//!
//! This is for the worst page of all; others have a fraction of it (`place.rs`). The early part fits the values of both
//! papers: 16 errors without wear, 30 after 1,000 cycles, only 5 more after 2,000, but 63 in a mean block after 5,300.

use super::constants::FloorConstants;

/// The errors of the worst page.
#[derive(Clone, Debug)]
pub struct Floor {
    constants: FloorConstants,
}

/// Retention at which the papers test, months.
const YEAR_MONTHS: f64 = 12.0;

/// Operating temperatures of PR2/AR2, Fig. 7, degrees Celsius: the hottest, with the fewest errors, first.
const TEMPERATURES_C: [f64; 3] = [85.0, 55.0, 30.0];

impl Floor {
    /// The floor of a kind of chip.
    #[must_use]
    pub fn new(constants: &FloorConstants) -> Floor {
        Floor { constants: constants.clone() }
    }

    /// Errors of the worst page of all, bits per 1-KiB codeword.
    #[must_use]
    pub fn worst_bits(&self, stress: f64, months: f64, temperature_c: f64) -> f64 {
        self.prompt_bits(stress)
            + self.late_bits(stress) * self.retention(months)
            + self.cold_bits(temperature_c)
    }

    /// Share of one year's retention errors at this age; 1 at 12 months.
    #[must_use]
    pub fn retention(&self, months: f64) -> f64 {
        let onset = self.constants.onset_months;
        libm::log1p(months / onset) / libm::log1p(YEAR_MONTHS / onset)
    }

    /// Errors right after programming, at 85 C, bits.
    #[must_use]
    pub fn prompt_bits(&self, stress: f64) -> f64 {
        self.constants.fresh_bits + self.constants.prompt_share * self.stress_bits(stress)
    }

    /// Additional errors after 12 months, at 85 C, bits.
    #[must_use]
    pub fn late_bits(&self, stress: f64) -> f64 {
        self.constants.retention_bits + (1.0 - self.constants.prompt_share) * self.stress_bits(stress)
    }

    /// Additional errors of a read below 85 C, bits: linear between the measured temperatures and beyond them, at least
    /// 0.
    #[must_use]
    pub fn cold_bits(&self, temperature_c: f64) -> f64 {
        let [hot, warm, cool] = TEMPERATURES_C;
        let [at_warm, at_cool] = self.constants.cold_bits;
        let bits = if temperature_c >= warm {
            at_warm * (hot - temperature_c) / (hot - warm)
        } else {
            at_warm + (at_cool - at_warm) * (warm - temperature_c) / (warm - cool)
        };
        bits.max(0.0)
    }

    fn stress_bits(&self, stress: f64) -> f64 {
        let FloorConstants { early_bits, early_stress, wear_bits, wear_power, .. } = self.constants;
        -early_bits * libm::expm1(-stress / early_stress) + wear_bits * libm::pow(stress / 1000.0, wear_power)
    }
}
