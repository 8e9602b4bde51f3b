//! Response times: a histogram for percentiles, exact sums for mean and deviation.

use hdrhistogram::Histogram;

use crate::engine::Ns;

/// Longest latency that the histogram tells apart from longer ones, ns (about 28 hours).
const LATENCY_MAX_NS: u64 = 100_000_000_000_000;

/// The percentiles of a summary, with their names in results.
pub const PERCENTILES: [(&str, f64); 8] = [
    ("p50", 50.0),
    ("p90", 90.0),
    ("p95", 95.0),
    ("p99", 99.0),
    ("p999", 99.9),
    ("p9999", 99.99),
    ("p99999", 99.999),
    ("p999999", 99.9999),
];

/// Many latencies.
#[derive(Debug)]
pub struct Latency {
    histogram: Histogram<u64>,
    sum: u128,
    sum_of_squares: u128,
    min: Ns,
    max: Ns,
}

/// What a result says about many latencies, in microseconds.
#[derive(Clone, Debug, PartialEq)]
pub struct LatencySummary {
    /// How many there are.
    pub count: u64,
    /// Exact mean.
    pub mean: f64,
    /// Exact standard deviation of the population.
    pub std: f64,
    /// Exact smallest.
    pub min: f64,
    /// Exact largest.
    pub max: f64,
    /// Name and value; a value is the upper end of its bin, but never above the largest latency.
    pub percentiles: Vec<(&'static str, f64)>,
}

impl Latency {
    /// No latency yet; bins keep `digits` significant decimal digits.
    ///
    /// # Panics
    /// Never for 1 to 4 digits, which the configuration checks.
    #[must_use]
    pub fn new(digits: u8) -> Latency {
        let histogram = Histogram::new_with_bounds(1, LATENCY_MAX_NS, digits).expect("checked bounds");
        Latency { histogram, sum: 0, sum_of_squares: 0, min: Ns::MAX, max: 0 }
    }

    /// Adds one, ns.
    #[inline]
    pub fn record(&mut self, ns: Ns) {
        self.histogram.saturating_record(ns);
        self.sum += u128::from(ns);
        self.sum_of_squares += u128::from(ns) * u128::from(ns);
        self.min = self.min.min(ns);
        self.max = self.max.max(ns);
    }

    /// Adds all of another, which keeps as many digits.
    ///
    /// # Panics
    /// Never: both have the same bounds.
    pub fn add(&mut self, other: &Latency) {
        self.histogram.add(&other.histogram).expect("the same bounds");
        self.sum += other.sum;
        self.sum_of_squares += other.sum_of_squares;
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
    }

    /// How many there are.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.histogram.len()
    }

    /// Exact mean, ns; 0 of none.
    #[must_use]
    pub fn mean_ns(&self) -> f64 {
        if self.count() == 0 { 0.0 } else { self.sum as f64 / self.count() as f64 }
    }

    /// The value below or at which a share of the latencies lies, ns.
    #[must_use]
    pub fn percentile_ns(&self, percent: f64) -> Ns {
        if self.count() == 0 { 0 } else { self.histogram.value_at_percentile(percent).min(self.max) }
    }

    /// All of it in a few numbers.
    #[must_use]
    pub fn summary(&self) -> LatencySummary {
        let count = self.count();
        let n = count.max(1) as f64;
        // Exact in integers, so that no digits cancel: n * sum(x^2) - sum(x)^2.
        let spread = (u128::from(count))
            .checked_mul(self.sum_of_squares)
            .and_then(|a| self.sum.checked_mul(self.sum).map(|b| a.saturating_sub(b) as f64));
        let variance = spread.unwrap_or_else(|| {
            let mean = self.sum as f64 / n;
            (self.sum_of_squares as f64 / n - mean * mean).max(0.0) * n * n
        }) / (n * n);
        let us = |ns: Ns| ns as f64 / 1000.0;
        LatencySummary {
            count,
            mean: self.mean_ns() / 1000.0,
            std: variance.sqrt() / 1000.0,
            min: if count == 0 { 0.0 } else { us(self.min) },
            max: us(self.max),
            percentiles: PERCENTILES.iter().map(|&(name, p)| (name, us(self.percentile_ns(p)))).collect(),
        }
    }

    /// Every bin that is not empty: its largest value, ns, and its count.
    pub fn bins(&self) -> impl Iterator<Item = (Ns, u64)> + '_ {
        self.histogram.iter_recorded().map(|bin| {
            (self.histogram.highest_equivalent(bin.value_iterated_to()), bin.count_since_last_iteration())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mean_and_deviation_are_exact() {
        let mut latency = Latency::new(3);
        for ns in [1_000_000_000_001u64, 1_000_000_000_003] {
            latency.record(ns);
        }
        let summary = latency.summary();
        assert_eq!(summary.mean, 1_000_000_000.002);
        assert!((summary.std - 0.001).abs() < 1e-12, "{}", summary.std);
        assert_eq!(summary.max, 1_000_000_000.003);
    }

    #[test]
    fn percentiles_are_within_their_digits() {
        let mut latency = Latency::new(3);
        for ns in 1..=100_000u64 {
            latency.record(ns * 10);
        }
        for (percent, exact) in [(50.0, 500_000.0), (99.0, 990_000.0), (99.99, 999_900.0)] {
            let value = latency.percentile_ns(percent) as f64;
            assert!((value / exact - 1.0).abs() < 1e-3, "{percent}: {value}");
        }
        assert_eq!(latency.bins().map(|(_, n)| n).sum::<u64>(), 100_000);
    }

    #[test]
    fn none_is_all_zero() {
        let summary = Latency::new(3).summary();
        assert_eq!(
            (summary.count, summary.mean, summary.std, summary.min, summary.max),
            (0, 0.0, 0.0, 0.0, 0.0)
        );
    }
}
