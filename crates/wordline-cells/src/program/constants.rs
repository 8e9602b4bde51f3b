//! `[program]` of a chip: the constants of OFWAR's cell model (Section 4.1).

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};

/// The read voltages that a chip uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ReadVoltages {
    /// One set for each program speed, best for freshly programmed cells at the rated cycles.
    Fixed,
    /// The set of the nominal speed, for all speeds.
    Nominal,
    /// The best set at every age and cycle count.
    Tracked,
}

/// The constants of the model, voltages in V on the paper's normalised scale.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProgramConstants {
    /// Program time at the nominal step, us.
    #[serde(deserialize_with = "positive")]
    pub nominal_us: f64,
    /// Step of the program voltage at the nominal speed (dVpp), V.
    #[serde(deserialize_with = "positive")]
    pub dvpp_v: f64,
    /// Mean of the erased state (mu_e, Eq. 1), V.
    pub erased_mean_v: f64,
    /// Standard deviation of the erased state (sigma_e, Eq. 1), V.
    #[serde(deserialize_with = "positive")]
    pub erased_sigma_v: f64,
    /// Verify voltage of each programmed state (V_p, Eq. 2), rising, V.
    #[serde(deserialize_with = "rising")]
    pub verify_v: Vec<f64>,
    /// RTN of fresh cells (C_r), V.
    #[serde(deserialize_with = "not_negative")]
    pub rtn_fresh_v: f64,
    /// RTN by cycles (A_r), V.
    #[serde(deserialize_with = "not_negative")]
    pub rtn_cycled_v: f64,
    /// Retention shift from interface traps (A_t), V.
    #[serde(deserialize_with = "not_negative")]
    pub interface_traps_v: f64,
    /// Growth of interface traps with cycles, for RTN and retention alike.
    #[serde(deserialize_with = "not_negative")]
    pub interface_exponent: f64,
    /// Retention shift from oxide traps (B_t), V.
    #[serde(deserialize_with = "not_negative")]
    pub oxide_traps_v: f64,
    /// Growth of oxide traps with cycles.
    #[serde(deserialize_with = "not_negative")]
    pub oxide_exponent: f64,
    /// Standard deviation of the retention shift over its mean (sigma_d / mu_d).
    #[serde(deserialize_with = "not_negative")]
    pub retention_spread: f64,
    /// Growth of the shift with the initial voltage (K_s), 1/V.
    #[serde(deserialize_with = "not_negative")]
    pub retention_slope_per_v: f64,
    /// The initial voltage that does not shift (x_0), V.
    pub neutral_v: f64,
    /// Age at which the mean shift is mu_d, days.
    #[serde(deserialize_with = "positive")]
    pub anchor_days: f64,
    /// Onset time of the logarithm of the shift (t_0), hours.
    #[serde(deserialize_with = "positive")]
    pub onset_hours: f64,
    /// Mean coupling ratio to the cell above (gamma_y, Eq. 5).
    #[serde(deserialize_with = "not_negative")]
    pub coupling_vertical: f64,
    /// Mean coupling ratio to each of the two cells diagonally above (gamma_xy).
    #[serde(deserialize_with = "not_negative")]
    pub coupling_diagonal: f64,
    /// Limit of a coupling ratio's deviation, over its mean (w_c, Eq. 7).
    #[serde(deserialize_with = "share")]
    pub coupling_bound: f64,
    /// Standard deviation of a coupling ratio before the limit, over its mean (sigma_c, Eq. 7).
    #[serde(deserialize_with = "positive")]
    pub coupling_sigma: f64,
    /// Share of the mean interference of each neighbour's state that post-compensation removes, 0 to 1.
    #[serde(deserialize_with = "share")]
    pub post_compensation: f64,
    /// The read voltages of the chip.
    pub read_voltages: ReadVoltages,
    /// P/E cycles for which the retention is guaranteed.
    #[serde(deserialize_with = "not_negative")]
    pub rated_cycles: f64,
}

impl ProgramConstants {
    /// States of a cell, the erased one included.
    #[must_use]
    pub fn states(&self) -> usize {
        self.verify_v.len() + 1
    }

    /// Bits of a cell.
    #[must_use]
    pub fn bits(&self) -> f64 {
        f64::from(self.states().ilog2())
    }

    /// Scale of the RTN's exponential distribution, V: C_r + A_r N^0.62.
    #[must_use]
    pub fn rtn_v(&self, cycles: f64) -> f64 {
        self.rtn_fresh_v + self.rtn_cycled_v * libm::pow(cycles, self.interface_exponent)
    }

    /// Mean retention shift at the anchor age of a cell 1 / K_s above the neutral voltage, V:
    /// mu_d = A_t N^0.62 + B_t N^0.3.
    #[must_use]
    pub fn retention_v(&self, cycles: f64) -> f64 {
        self.interface_traps_v * libm::pow(cycles, self.interface_exponent)
            + self.oxide_traps_v * libm::pow(cycles, self.oxide_exponent)
    }

    /// Share of mu_d at an age: ln(1 + t / t_0), scaled to 1 at the anchor.
    ///
    /// OFWAR gives mu_d without a time; detrapping follows the logarithm of time (its reference 8).
    #[must_use]
    pub fn reached(&self, age_days: f64) -> f64 {
        let log = |days: f64| libm::log1p(days * 24.0 / self.onset_hours);
        log(age_days) / log(self.anchor_days)
    }

    /// The age with this share of mu_d, days; the inverse of [`ProgramConstants::reached`].
    #[must_use]
    pub fn age_days(&self, reached: f64) -> f64 {
        let whole = libm::log1p(self.anchor_days * 24.0 / self.onset_hours);
        libm::expm1(reached * whole) * self.onset_hours / 24.0
    }
}

fn checked<'de, D: Deserializer<'de>>(
    deserializer: D,
    takes: &str,
    good: impl Fn(f64) -> bool,
) -> Result<f64, D::Error> {
    let value = f64::deserialize(deserializer)?;
    if value.is_finite() && good(value) {
        return Ok(value);
    }
    Err(D::Error::custom(format!("{value} is out of range; it takes {takes}")))
}

fn positive<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    checked(deserializer, "more than 0", |v| v > 0.0)
}

fn not_negative<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    checked(deserializer, "0 or more", |v| v >= 0.0)
}

fn share<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    checked(deserializer, "0 to 1", |v| (0.0..=1.0).contains(&v))
}

fn rising<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<f64>, D::Error> {
    let values = Vec::<f64>::deserialize(deserializer)?;
    if !(values.len() + 1).is_power_of_two() || values.is_empty() {
        let message = format!(
            "{} verify voltages; it takes 1, 3, 7 or 15, one for each programmed state",
            values.len()
        );
        return Err(D::Error::custom(message));
    }
    if values.iter().any(|v| !v.is_finite()) || values.windows(2).any(|w| w[0] >= w[1]) {
        return Err(D::Error::custom("verify voltages do not rise; write them from the lowest state up"));
    }
    Ok(values)
}
