//! From counts by number of errors to frame error rate, iterations and syndrome weight at a raw bit error rate.
//!
//! The share of chunks that stay undecoded is interpolated on a log-linear scale between simulated numbers of errors.
//! Below the smallest number with enough failures it is extrapolated with the slope of the lowest well-known points. A
//! waterfall gets steeper downwards, so the extrapolation overestimates failures. It does not model an error floor,
//! which would lie far below what can be simulated.

use super::binomial::{ERRORS_MAX, RBER_MAX, errors_at};
use super::matrix::CHECKS;
use super::tally::{ITERATIONS_MAX, Tally};

/// The frame error rate of a chunk that defines the code's capability.
pub const CAPABILITY_LEVEL: f64 = 0.1;

/// Events that a point of the curve needs.
const EVENTS_MIN: u64 = 10;
/// Points that determine the slope of an extrapolation.
const SLOPE_POINTS: usize = 3;

/// The outcome of decoding a chunk, by number of errors.
#[derive(Clone, Debug)]
pub struct Curve {
    /// Probability of being undecoded, by number of iterations, then by number of errors.
    undecoded: Vec<Vec<f64>>,
    /// Mean and standard deviation of the syndrome weight, by number of errors.
    syndrome: Vec<(f64, f64)>,
    /// The smallest number of errors whose failures are simulated, not extrapolated.
    simulated_from: usize,
}

/// The decoding of a chunk at a raw bit error rate.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// Raw bit error rate.
    pub rber: f64,
    /// The raw bit error rate as bits per 1 KiB.
    pub errors_per_kib: f64,
    /// Probability of being undecoded after 0, 1, … iterations; the last is the frame error rate at the tables' limit.
    pub undecoded: [f64; ITERATIONS_MAX + 1],
    /// Share of the frame error rate that comes from extrapolated numbers of errors.
    pub extrapolated: f64,
    /// Mean syndrome weight.
    pub syndrome_mean: f64,
    /// Standard deviation of the syndrome weight.
    pub syndrome_deviation: f64,
}

impl Point {
    /// Probability that the decoder fails within [`ITERATIONS_MAX`] iterations.
    #[must_use]
    pub fn frame_error_rate(&self) -> f64 {
        self.undecoded[ITERATIONS_MAX]
    }

    /// Mean number of iterations; a failure counts with the limit.
    #[must_use]
    pub fn mean_iterations(&self) -> f64 {
        self.undecoded[..ITERATIONS_MAX].iter().sum()
    }

    /// The smallest number of iterations that decodes this share of all chunks; at most the limit.
    #[must_use]
    pub fn iterations_quantile(&self, share: f64) -> u8 {
        self.undecoded.iter().take(ITERATIONS_MAX).filter(|&&undecoded| 1.0 - undecoded < share).count() as u8
    }
}

impl Curve {
    /// Builds a curve from a decoder's table, in ascending number of errors, with at least two rows.
    ///
    /// # Panics
    ///
    /// If the table has no rows.
    #[must_use]
    pub fn new(tallies: &[Tally]) -> Self {
        let mut undecoded: Vec<Vec<f64>> = (0..=ITERATIONS_MAX).map(|k| survival(tallies, k)).collect();
        for k in 1..=ITERATIONS_MAX {
            // Extrapolations of neighbouring numbers of iterations may cross; the undecoded share cannot grow.
            let (before, after) = undecoded.split_at_mut(k);
            after[0].iter_mut().zip(&before[k - 1]).for_each(|(share, before)| *share = share.min(*before));
        }
        let simulated_from =
            known(tallies, ITERATIONS_MAX).next().map_or(ERRORS_MAX, |(errors, _)| errors as usize);
        Self { undecoded, syndrome: syndromes(tallies), simulated_from }
    }

    /// The curve at a raw bit error rate, 0 to [`RBER_MAX`].
    #[must_use]
    pub fn at(&self, rber: f64) -> Point {
        let weights = errors_at(rber);
        let mean =
            |of: &dyn Fn(usize) -> f64| weights.iter().enumerate().map(|(k, p)| p * of(k)).sum::<f64>();
        // Rounding may leave a sum of probabilities slightly above 1.
        let undecoded = std::array::from_fn(|k| mean(&|errors| self.undecoded[k][errors]).min(1.0));
        let last = &self.undecoded[ITERATIONS_MAX];
        let below = mean(&|errors| if errors < self.simulated_from { last[errors] } else { 0.0 });
        let syndrome_mean = mean(&|errors| self.syndrome[errors].0);
        let square = mean(&|errors| {
            let (mean, deviation) = self.syndrome[errors];
            mean * mean + deviation * deviation
        });
        Point {
            rber,
            errors_per_kib: rber * super::BITS_PER_KIB,
            undecoded,
            extrapolated: if undecoded[ITERATIONS_MAX] > 0.0 {
                below / undecoded[ITERATIONS_MAX]
            } else {
                0.0
            },
            syndrome_mean,
            syndrome_deviation: (square - syndrome_mean * syndrome_mean).max(0.0).sqrt(),
        }
    }

    /// The raw bit error rate with frame error rate `level`: the code's capability at that level.
    #[must_use]
    pub fn capability(&self, level: f64) -> f64 {
        let (mut low, mut high) = (0.0, 0.02);
        if self.at(high).frame_error_rate() < level {
            high = RBER_MAX;
        }
        for _ in 0..40 {
            let middle = 0.5 * (low + high);
            if self.at(middle).frame_error_rate() < level { low = middle } else { high = middle }
        }
        0.5 * (low + high)
    }

    /// Probability that a chunk with this many errors is undecoded after this many iterations.
    #[must_use]
    pub fn undecoded(&self, errors: usize, iterations: usize) -> f64 {
        self.undecoded[iterations.min(ITERATIONS_MAX)][errors.min(ERRORS_MAX)]
    }

    /// Probability that the syndrome weight of a chunk with this many errors is above `threshold`. The weight is a sum
    /// of thousands of checks, so we take a normal distribution with the simulated mean and deviation.
    #[must_use]
    pub fn heavier_than(&self, errors: usize, threshold: u32) -> f64 {
        let (mean, deviation) = self.syndrome[errors.min(ERRORS_MAX)];
        let above = mean - (f64::from(threshold) + 0.5);
        if deviation == 0.0 {
            return if above > 0.0 { 1.0 } else { 0.0 };
        }
        0.5 * libm::erfc(-above / deviation * std::f64::consts::FRAC_1_SQRT_2)
    }
}

/// Points with enough events: the number of errors, and the logarithm of the share undecoded after `k` iterations.
fn known(tallies: &[Tally], k: usize) -> impl Iterator<Item = (f64, f64)> + '_ {
    tallies.iter().filter(move |tally| tally.errors > 0 && tally.undecoded(k) >= EVENTS_MIN).map(
        move |tally| (f64::from(tally.errors), libm::log(tally.undecoded(k) as f64 / tally.chunks as f64)),
    )
}

/// The share of chunks that are undecoded after `k` iterations, by number of errors.
fn survival(tallies: &[Tally], k: usize) -> Vec<f64> {
    let points: Vec<(f64, f64)> = known(tallies, k).collect();
    let Some((&first, &last)) = points.first().zip(points.last()) else { return vec![0.0; ERRORS_MAX + 1] };
    let slope = slope(&points[..points.len().min(SLOPE_POINTS)]);
    let log_at = |errors: f64| {
        if errors <= first.0 {
            return first.1 + slope * (errors - first.0);
        }
        let after = points.iter().position(|point| point.0 >= errors);
        after.map_or(last.1, |i| between(points[i - 1], points[i], errors))
    };
    let mut shares: Vec<f64> =
        (0..=ERRORS_MAX).map(|errors| libm::exp(log_at(errors as f64)).min(1.0)).collect();
    shares[0] = 0.0; // no errors: a codeword
    shares
}

/// The least-squares slope, at least 0.
fn slope(points: &[(f64, f64)]) -> f64 {
    let n = points.len() as f64;
    let (x, y) = points.iter().fold((0.0, 0.0), |(x, y), point| (x + point.0 / n, y + point.1 / n));
    let across: f64 = points.iter().map(|point| (point.0 - x) * (point.1 - y)).sum();
    let along: f64 = points.iter().map(|point| (point.0 - x) * (point.0 - x)).sum();
    if along > 0.0 { (across / along).max(0.0) } else { 0.0 }
}

fn between(a: (f64, f64), b: (f64, f64), x: f64) -> f64 {
    a.1 + (b.1 - a.1) * (x - a.0) / (b.0 - a.0)
}

/// Mean and standard deviation of the syndrome weight, by number of errors.
fn syndromes(tallies: &[Tally]) -> Vec<(f64, f64)> {
    let points: Vec<(f64, f64, f64)> = tallies
        .iter()
        .map(|tally| (tally.errors.into(), tally.syndrome_mean(), tally.syndrome_deviation()))
        .collect();
    let at = |errors: usize| {
        let x = errors as f64;
        let i = points.partition_point(|point| point.0 < x).clamp(1, points.len() - 1);
        let (a, b) = (points[i - 1], points[i]);
        // Beyond the last point it continues with the slope of the last two, up to all checks.
        let mean = between((a.0, a.1), (b.0, b.1), x).clamp(0.0, CHECKS as f64);
        (mean, between((a.0, a.2), (b.0, b.2), x).max(0.0))
    };
    (0..=ERRORS_MAX).map(at).collect()
}
