//! Quantiles of the normal distribution and of Student's t, and limits of the binomial distribution.

use std::f64::consts::{FRAC_1_SQRT_2, PI};

/// Above this mean the normal distribution replaces the binomial one: their quantiles then differ by less than one.
const MEAN_MAX: f64 = 400.0;
/// Halvings after which a quantile does not change any more.
const HALVINGS: usize = 60;

/// The value below which a share of the standard normal distribution lies; from 0.5 to less than 1.
#[must_use]
pub fn normal_quantile(probability: f64) -> f64 {
    quantile(probability, |value| 1.0 - 0.5 * libm::erfc(value * FRAC_1_SQRT_2))
}

/// The value below which a share of Student's t distribution lies; from 0.5 to less than 1.
#[must_use]
pub fn student_quantile(probability: f64, freedom: u32) -> f64 {
    quantile(probability, |value| student_below(value, freedom))
}

/// The value at which a distribution function that grows from 0.5 at 0 reaches a probability.
fn quantile(probability: f64, below: impl Fn(f64) -> f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    while below(high) < probability {
        high *= 2.0;
    }
    for _ in 0..HALVINGS {
        let middle = (low + high) / 2.0;
        if below(middle) < probability {
            low = middle;
        } else {
            high = middle;
        }
    }
    (low + high) / 2.0
}

/// Student's distribution function at a value of at least 0: a finite sum (Abramowitz and Stegun 26.7.3 and 26.7.4).
fn student_below(value: f64, freedom: u32) -> f64 {
    let angle = libm::atan(value / f64::from(freedom).sqrt());
    let (sine, cosine) = libm::sincos(angle);
    let is_odd = freedom % 2 == 1;
    let (mut term, mut total) = (if is_odd { cosine } else { 1.0 }, 0.0);
    for k in (1 + freedom % 2..freedom).step_by(2) {
        total += term;
        term *= cosine * cosine * f64::from(k) / f64::from(k + 1);
    }
    let inside = if is_odd { (angle + sine * total) * 2.0 / PI } else { sine * total };
    0.5 + inside / 2.0
}

/// Limits of a binomial count that hold with a probability of at least `level`, with equal tails.
///
/// The first is the largest count with a cumulative probability of at most (1 - level) / 2, or -1 if there is none; the
/// second the smallest one with at least 1 - (1 - level) / 2. `trials` need not be whole, because an effective number is
/// not.
#[must_use]
pub fn binomial_limits(trials: f64, share: f64, level: f64) -> (i64, i64) {
    let tail = (1.0 - level) / 2.0;
    let mean = trials * share;
    if mean > MEAN_MAX {
        let spread = normal_quantile(1.0 - tail) * (mean * (1.0 - share)).sqrt();
        return ((mean - spread - 0.5).floor() as i64, (mean + spread - 0.5).ceil() as i64);
    }
    let mut probability = libm::exp(trials * libm::log1p(-share));
    let (mut below, mut count, mut low) = (0.0, 0_i64, -1);
    let odds = share / (1.0 - share);
    loop {
        below += probability;
        if below <= tail {
            low = count;
        }
        if below >= 1.0 - tail || count as f64 >= trials {
            return (low, count);
        }
        probability *= (trials - count as f64).max(0.0) / (count + 1) as f64 * odds;
        count += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Abramowitz and Stegun, table 26.10.
    #[test]
    fn quantiles_are_those_of_the_tables() {
        for (freedom, value) in [(1, 12.706), (2, 4.303), (4, 2.776), (10, 2.228), (63, 1.998)] {
            assert!((student_quantile(0.975, freedom) - value).abs() < 6e-4, "{freedom}");
        }
        assert!((normal_quantile(0.975) - 1.959_963_984_540_054).abs() < 1e-12);
    }
}
