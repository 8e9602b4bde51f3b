//! Times of which few are different, such as those of erases: each with how often it occurred.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Latency;
use crate::engine::Ns;

/// How often each time occurred. Unlike [`Latency`] it keeps the times themselves, so that the difference of two has exact
/// ends.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Times(BTreeMap<Ns, u64>);

impl Times {
    /// A time has occurred so often, ns.
    pub fn add(&mut self, time: Ns, count: u64) {
        *self.0.entry(time).or_default() += count;
    }

    /// What has occurred since `before`.
    #[must_use]
    pub fn since(&self, before: &Times) -> Times {
        let grown = |(&time, &count): (&Ns, &u64)| (time, count - before.0.get(&time).copied().unwrap_or(0));
        Times(self.0.iter().map(grown).filter(|&(_, count)| count > 0).collect())
    }

    /// The same as a histogram with so many significant digits, for a summary.
    #[must_use]
    pub fn latency(&self, digits: u8) -> Latency {
        let mut latency = Latency::new(digits);
        for (&time, &count) in &self.0 {
            latency.record_many(time, count);
        }
        latency
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ends and mean of a difference are those of what came later, whatever came before.
    #[test]
    fn a_difference_is_exact() {
        let mut times = Times::default();
        times.add(3_500_000, 4);
        times.add(500_001, 1);
        let before = times.clone();
        times.add(3_500_000, 2);
        times.add(1_000_003, 2);
        let summary = times.since(&before).latency(3).summary();
        assert_eq!((summary.count, summary.spread.min, summary.spread.max), (4, 1_000.003, 3_500.0));
        assert_eq!(summary.spread.mean, 2_250.001_5);
        assert_eq!(times.since(&times), Times::default());
    }
}
