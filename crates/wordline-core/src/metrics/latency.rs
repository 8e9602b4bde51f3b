//! Response times: counts in bins for percentiles, exact sums for mean and deviation.
//!
//! Every request is counted here, so only counts are kept: the bins are those of an HDR histogram, which is made
//! from them when a percentile is asked for.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use hdrhistogram::Histogram;

use crate::engine::{Ns, state};

/// Longest latency that the histogram tells apart from longer ones, ns (about 28 hours).
pub const LATENCY_MAX_NS: u64 = 100_000_000_000_000;

/// Bins that are looked at together for a change.
const ALIKE: usize = 128;

/// The finest percentile leaves out one value of so many.
const MILLION: u64 = 1_000_000;

/// The percentiles of a [`Spread`], by their names there.
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
#[derive(Clone, Debug)]
pub struct Latency {
    digits: u8,
    /// A power of two of bins a doubling of the latency; the first ones are 1 ns wide.
    bin_bits: u32,
    bins: Vec<u64>,
    count: u64,
    /// Those of the last bin that are longer than the histogram can tell.
    beyond: u64,
    sum: u128,
    sum_of_squares: u128,
    min: Ns,
    max: Ns,
}

state! {
    Latency {
        values: bins, count, beyond, sum, sum_of_squares, min, max;
        derived: digits, bin_bits;
        checked: is_sound;
    }
}

/// How many latencies fell into a bin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BinCount {
    /// The bin's number, in the order of latencies.
    pub bin: u32,
    /// How many.
    pub count: u64,
}

/// Mean, deviation, ends and percentiles of many times, us.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(extend("x-unit" = "us"))]
pub struct Spread {
    /// Exact mean.
    pub mean: f64,
    /// Exact standard deviation of the population.
    pub std: f64,
    /// Exact smallest.
    pub min: f64,
    /// Median: the upper end of its bin (`metrics.digits`), as of every percentile, but never above the largest. A percentile is null where
    /// nothing lies beyond it: the p99.9 of 100 values is not known.
    pub p50: Option<f64>,
    /// 90th percentile.
    pub p90: Option<f64>,
    /// 95th percentile.
    pub p95: Option<f64>,
    /// 99th percentile.
    pub p99: Option<f64>,
    /// 99.9th percentile.
    pub p999: Option<f64>,
    /// 99.99th percentile.
    pub p9999: Option<f64>,
    /// 99.999th percentile.
    pub p99999: Option<f64>,
    /// 99.9999th percentile.
    pub p999999: Option<f64>,
    /// Exact largest.
    pub max: f64,
}

/// A spread of many times, and how many they are.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct LatencySummary {
    /// Their spread.
    #[serde(flatten)]
    pub spread: Spread,
    /// How many there are.
    #[schemars(extend("x-unit" = "count"))]
    pub count: u64,
}

/// How many of so many values lie beyond a percentile.
fn left_out(count: u64, percent: f64) -> u64 {
    let of_million = libm::rint((100.0 - percent) / 100.0 * MILLION as f64) as u128;
    (u128::from(count) * of_million / u128::from(MILLION)) as u64
}

impl Latency {
    /// No latency yet; bins keep `digits` significant decimal digits.
    ///
    /// # Panics
    /// Never for 1 to 4 digits, which the configuration checks.
    #[must_use]
    pub fn new(digits: u8) -> Latency {
        // Twice the digits' resolution, rounded up, as in an HDR histogram.
        let bin_bits = (2 * 10u64.pow(u32::from(digits))).next_power_of_two().trailing_zeros() - 1;
        Latency {
            digits,
            bin_bits,
            bins: vec![0; bin_of(LATENCY_MAX_NS, bin_bits) + 1],
            count: 0,
            beyond: 0,
            sum: 0,
            sum_of_squares: 0,
            min: Ns::MAX,
            max: 0,
        }
    }

    /// Whether its counts are those of its bins.
    fn is_sound(&self) -> bool {
        let sum = self.bins.iter().try_fold(0u64, |sum, &count| sum.checked_add(count));
        self.bins.len() == bin_of(LATENCY_MAX_NS, self.bin_bits) + 1
            && sum == Some(self.count)
            && self.beyond <= self.count
            && (self.count == 0 || self.min <= self.max)
    }

    /// Whether no bin had more in it before than now.
    pub(super) fn had(&self, before: &[u64]) -> bool {
        before.len() <= self.bins.len() && before.iter().zip(&self.bins).all(|(before, now)| before <= now)
    }

    /// The least latency of a bin, ns.
    fn value(&self, bin: usize) -> Ns {
        let shift = (bin >> self.bin_bits).saturating_sub(1);
        ((bin - (shift << self.bin_bits)) as Ns) << shift
    }

    /// The same as an HDR histogram.
    fn histogram(&self) -> Histogram<u64> {
        let mut histogram =
            Histogram::new_with_bounds(1, LATENCY_MAX_NS, self.digits).expect("checked bounds");
        for (bin, &count) in self.bins.iter().enumerate().filter(|&(_, &count)| count > 0) {
            histogram.saturating_record_n(self.value(bin), count);
        }
        histogram
    }

    /// Adds one, ns.
    #[inline]
    pub fn record(&mut self, ns: Ns) {
        match self.bins.get_mut(bin_of(ns, self.bin_bits)) {
            Some(bin) => *bin += 1,
            None => self.count_in_last_bin(),
        }
        self.count += 1;
        self.sum += u128::from(ns);
        self.sum_of_squares = self.sum_of_squares.saturating_add(u128::from(ns) * u128::from(ns));
        // Rarely so: a comparison is cheaper than a store each time.
        if ns < self.min {
            self.min = ns;
        }
        if ns > self.max {
            self.max = ns;
        }
    }

    /// Adds the same one several times, ns.
    pub(super) fn record_many(&mut self, ns: Ns, count: u64) {
        let last = self.bins.len() - 1;
        let bin = bin_of(ns, self.bin_bits);
        self.bins[bin.min(last)] += count;
        self.beyond += if bin > last { count } else { 0 };
        self.count += count;
        self.sum += u128::from(ns) * u128::from(count);
        let squares = (u128::from(ns) * u128::from(ns)).saturating_mul(u128::from(count));
        self.sum_of_squares = self.sum_of_squares.saturating_add(squares);
        self.min = self.min.min(ns);
        self.max = self.max.max(ns);
    }

    #[cold]
    fn count_in_last_bin(&mut self) {
        self.beyond += 1;
        if let Some(last) = self.bins.last_mut() {
            *last += 1;
        }
    }

    /// Forgets all.
    pub fn clear(&mut self) {
        *self = Latency::new(self.digits);
    }

    /// Adds all of another, which keeps as many digits.
    pub fn add(&mut self, other: &Latency) {
        debug_assert_eq!(self.digits, other.digits);
        if other.count == 0 {
            return;
        }
        for (bin, count) in self.bins.iter_mut().zip(&other.bins) {
            *bin += count;
        }
        self.count += other.count;
        self.beyond += other.beyond;
        self.sum += other.sum;
        self.sum_of_squares = self.sum_of_squares.saturating_add(other.sum_of_squares);
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
    }

    /// How many there are.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Latencies longer than the histogram can tell: percentiles among them say [`LATENCY_MAX_NS`] at most.
    #[must_use]
    pub fn beyond(&self) -> u64 {
        self.beyond
    }

    /// Exact sum, ns.
    #[must_use]
    pub fn sum_ns(&self) -> u128 {
        self.sum
    }

    /// Exact mean, ns; 0 of none.
    #[must_use]
    pub fn mean_ns(&self) -> f64 {
        if self.count() == 0 { 0.0 } else { self.sum as f64 / self.count() as f64 }
    }

    /// The value below or at which a share of the latencies lies, ns.
    #[must_use]
    pub fn percentile_ns(&self, percent: f64) -> Ns {
        if self.count() == 0 { 0 } else { self.histogram().value_at_percentile(percent).min(self.max) }
    }

    /// A summary in a few numbers.
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
        let histogram = self.histogram();
        let at = |percent| us(histogram.value_at_percentile(percent).min(self.max));
        let [p50, p90, p95, p99, p999, p9999, p99999, p999999] =
            PERCENTILES.map(|(_, percent)| (left_out(count, percent) > 0).then(|| at(percent)));
        let spread = Spread {
            mean: self.mean_ns() / 1000.0,
            std: variance.sqrt() / 1000.0,
            min: if count == 0 { 0.0 } else { us(self.min) },
            p50,
            p90,
            p95,
            p99,
            p999,
            p9999,
            p99999,
            p999999,
            max: us(self.max),
        };
        LatencySummary { spread, count }
    }

    /// What has come since the counts `before`, which become those of now.
    pub(super) fn since(&self, before: &mut Vec<u64>) -> Vec<BinCount> {
        if self.count == 0 {
            return Vec::new();
        }
        before.resize(self.bins.len(), 0);
        let first = bin_of(self.min, self.bin_bits).min(self.bins.len() - 1);
        let last = bin_of(self.max, self.bin_bits).min(self.bins.len() - 1);
        let mut grown = Vec::new();
        // Few bins have grown since: most runs of them are alike, which a comparison of all at once says soonest.
        let runs = before[first..=last].chunks_mut(ALIKE).zip(self.bins[first..=last].chunks(ALIKE));
        for (at, (before, now)) in (first..).step_by(ALIKE).zip(runs) {
            if before == now {
                continue;
            }
            for (bin, (before, &now)) in (at..).zip(before.iter_mut().zip(now)) {
                if *before != now {
                    grown.push(BinCount { bin: bin as u32, count: now - *before });
                    *before = now;
                }
            }
        }
        grown.shrink_to_fit();
        grown
    }

    /// The bin of a latency, ns.
    #[must_use]
    pub fn bin(&self, ns: Ns) -> u32 {
        bin_of(ns, self.bin_bits).min(self.bins.len() - 1) as u32
    }

    /// Largest value of a bin, ns, but never above the largest latency.
    #[must_use]
    pub fn upper_ns(&self, bin: u32) -> Ns {
        (self.value(bin as usize + 1) - 1).min(self.max)
    }

    /// Every bin that is not empty: its largest value, ns, and its count.
    pub fn bins(&self) -> impl Iterator<Item = (Ns, u64)> + '_ {
        let filled = self.bins.iter().enumerate().filter(|&(_, &count)| count > 0);
        filled.map(|(bin, &count)| (self.value(bin + 1) - 1, count))
    }
}

/// The bin of a latency, ns, among a power of two of bins a doubling.
#[inline]
fn bin_of(ns: Ns, bin_bits: u32) -> usize {
    let shift = (ns >> bin_bits | 1).ilog2();
    ((shift << bin_bits) as u64 + (ns >> shift)) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_that_contradict_each_other_are_refused() {
        let mut latency = Latency::new(3);
        latency.record(70);
        let mut interval = Vec::new();
        latency.since(&mut interval);
        assert!(latency.is_sound() && latency.had(&interval));
        interval[bin_of(70, latency.bin_bits)] += 1;
        assert!(!latency.had(&interval));
        let forge: [&dyn Fn(&mut Latency); 4] = [
            &|latency| latency.count += 1,
            &|latency| latency.bins[3] = u64::MAX,
            &|latency| latency.beyond = 2,
            &|latency| latency.min = 71,
        ];
        for (number, forge) in forge.iter().enumerate() {
            let mut changed = latency.clone();
            forge(&mut changed);
            assert!(!changed.is_sound(), "{number}");
        }
    }

    #[test]
    fn mean_and_deviation_are_exact() {
        let mut latency = Latency::new(3);
        for ns in [1_000_000_000_001u64, 1_000_000_000_003] {
            latency.record(ns);
        }
        let spread = latency.summary().spread;
        assert_eq!(spread.mean, 1_000_000_000.002);
        assert!((spread.std - 0.001).abs() < 1e-12, "{}", spread.std);
        assert_eq!(spread.max, 1_000_000_000.003);
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

    /// The bins are those of the HDR histogram, to the last of them.
    #[test]
    fn bins_are_those_of_the_histogram() {
        for digits in 1..=4 {
            let mut latency = Latency::new(digits);
            let mut histogram = Histogram::<u64>::new_with_bounds(1, LATENCY_MAX_NS, digits).unwrap();
            let mut ns = 1;
            while ns < LATENCY_MAX_NS / 2 {
                for ns in [ns - 1, ns, ns + 1, ns + ns / 3] {
                    latency.record(ns);
                    histogram.saturating_record(ns);
                }
                ns = ns * 17 / 16 + 1;
            }
            let expected: Vec<_> = histogram
                .iter_recorded()
                .map(|bin| {
                    (histogram.highest_equivalent(bin.value_iterated_to()), bin.count_since_last_iteration())
                })
                .collect();
            assert_eq!(latency.bins().collect::<Vec<_>>(), expected);
            assert_eq!(latency.beyond(), 0);
            latency.record(u64::MAX >> 1);
            assert_eq!((latency.count(), latency.beyond()), (histogram.len() + 1, 1));
        }
    }

    #[test]
    fn the_ends_are_those_of_all_latencies_in_any_order() {
        let mut latency = Latency::new(1);
        for ns in [1_000_003, 1_000_001, 1_000_002] {
            latency.record(ns);
        }
        let spread = latency.summary().spread;
        assert_eq!((spread.min, spread.max), (1_000.001, 1_000.003));
        // They share a bin, whose upper end is longer than all of them.
        assert!(latency.bins().all(|(upper, _)| upper > 1_000_003));
        assert_eq!([spread.p50, spread.p99, spread.p999999], [Some(1_000.003), None, None]);
    }

    #[test]
    fn a_percentile_that_nothing_lies_beyond_is_not_known() {
        for (count, known) in
            [(0, 0), (1, 0), (2, 1), (9, 1), (10, 2), (20, 3), (999, 4), (1000, 5), (1_000_000, 8)]
        {
            let kinds = PERCENTILES.map(|(_, percent)| left_out(count, percent) > 0);
            assert_eq!(kinds.iter().filter(|&&is_known| is_known).count(), known, "{count}");
        }
        assert_eq!((left_out(100_000, 99.99), left_out(1_234, 99.9)), (10, 1));
    }

    #[test]
    fn reads_and_writes_added_are_all_requests() {
        let (mut reads, mut writes, mut all) = (Latency::new(3), Latency::new(3), Latency::new(3));
        for ns in [7_000, LATENCY_MAX_NS * 4] {
            reads.record(ns);
            all.record(ns);
        }
        for ns in [5_000, 90_000, LATENCY_MAX_NS * 3] {
            writes.record(ns);
            all.record(ns);
        }
        reads.add(&writes);
        assert_eq!(reads.summary(), all.summary());
        assert_eq!((reads.count(), reads.beyond()), (5, 2));
    }

    #[test]
    fn none_is_all_zero() {
        let summary = Latency::new(3).summary();
        let spread = &summary.spread;
        assert_eq!((summary.count, spread.mean, spread.std, spread.min, spread.max), (0, 0.0, 0.0, 0.0, 0.0));
    }
}
