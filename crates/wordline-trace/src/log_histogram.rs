//! Percentiles of times of any size, in constant memory.

/// Buckets per power of two: a value is precise to 1/128, less than one percent.
const SUB_BUCKET_BITS: u32 = 7;
const SUB_BUCKETS: u64 = 1 << SUB_BUCKET_BITS;

/// Counts of values in buckets whose width grows with the value, as in HdrHistogram; exact below 256.
pub(crate) struct LogHistogram {
    counts: Vec<u64>,
    total: u64,
    max: u64,
}

fn bucket_of(value: u64) -> usize {
    let shift = (64 - SUB_BUCKET_BITS - 1).saturating_sub(value.leading_zeros());
    (u64::from(shift) * SUB_BUCKETS + (value >> shift)) as usize
}

/// The largest value in `bucket`.
fn upper_bound(bucket: usize) -> u64 {
    let bucket = bucket as u64;
    if bucket < 2 * SUB_BUCKETS {
        return bucket;
    }
    let shift = bucket / SUB_BUCKETS - 1;
    let mantissa = SUB_BUCKETS + bucket % SUB_BUCKETS;
    (mantissa << shift) + ((1 << shift) - 1)
}

impl LogHistogram {
    pub fn new() -> Self {
        Self { counts: vec![0; bucket_of(u64::MAX) + 1], total: 0, max: 0 }
    }

    pub fn add(&mut self, value: u64) {
        self.counts[bucket_of(value)] += 1;
        self.total += 1;
        self.max = self.max.max(value);
    }

    pub fn max(&self) -> u64 {
        self.max
    }

    /// The smallest bucket bound such that at least `permille` thousandths of the values are at or below it; 0 without
    /// values.
    pub fn permille(&self, permille: u64) -> u64 {
        let wanted = (u128::from(self.total) * u128::from(permille)).div_ceil(1000) as u64;
        let mut seen = 0;
        for (bucket, count) in self.counts.iter().enumerate() {
            seen += count;
            if *count > 0 && seen >= wanted {
                return upper_bound(bucket).min(self.max);
            }
        }
        self.max
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_lies_in_a_bucket_less_than_a_percent_wide() {
        for value in
            (0..64).flat_map(|s| [1u64 << s, (1 << s) - 1, (1 << s) + (1 << s >> 1)]).chain([u64::MAX])
        {
            let bound = upper_bound(bucket_of(value));
            assert!(bound >= value && bound - value <= value / 128, "{value} in a bucket up to {bound}");
            assert!(bound == u64::MAX || bucket_of(bound + 1) == bucket_of(value) + 1, "{value}");
        }
    }

    #[test]
    fn percentiles_of_one_to_thousand() {
        let mut histogram = LogHistogram::new();
        (1..=1000).for_each(|v| histogram.add(v));
        assert_eq!(histogram.permille(100), 100);
        assert!((500..=504).contains(&histogram.permille(500)));
        assert_eq!(histogram.permille(1000), 1000);
        assert_eq!(LogHistogram::new().permille(500), 0);
    }
}
