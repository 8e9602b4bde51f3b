//! Retention: converts storage at any temperature to months at 30 C.

/// Days of a month, here and in the simulator.
pub const MONTH_DAYS: f64 = 30.0;

/// Activation energy of charge loss, eV: with it 13 hours at 85 C equal a year at 30 C (PR2/AR2, Section 4; AERO,
/// Section 5.1, both after Arrhenius).
const ACTIVATION_EV: f64 = 1.1;
const BOLTZMANN_EV_PER_K: f64 = 8.617_333e-5;
const ZERO_CELSIUS_K: f64 = 273.15;
/// Reference temperature of a retention age, degrees Celsius.
const REFERENCE_C: f64 = 30.0;

/// The factor by which charge is lost faster at `storage_c` than at 30 C (Arrhenius' law).
#[must_use]
pub fn acceleration(storage_c: f64) -> f64 {
    let inverse = |celsius: f64| 1.0 / (celsius + ZERO_CELSIUS_K);
    libm::exp(ACTIVATION_EV / BOLTZMANN_EV_PER_K * (inverse(REFERENCE_C) - inverse(storage_c)))
}

/// Retention age at 30 C, months, of data kept for `months` at `storage_c` degrees Celsius.
#[must_use]
pub fn effective_months(months: f64, storage_c: f64) -> f64 {
    months * acceleration(storage_c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thirteen_hours_at_85_c_are_a_year_at_30_c() {
        let months = effective_months(13.0 / 24.0 / MONTH_DAYS, 85.0);
        assert!((months - 12.0).abs() < 0.7, "{months}");
        assert!((acceleration(30.0) - 1.0).abs() < 1e-12);
    }
}
