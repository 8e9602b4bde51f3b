//! Request sizes.

use wordline_core::config::{SizeDistribution, WorkloadConfig};
use wordline_core::host::SECTOR_BYTES;

use super::random::{Chance, Random};

/// Draws request sizes, in sectors, in constant time.
#[derive(Clone, Debug)]
pub(super) enum Sizes {
    /// A fixed size.
    Fixed(u32),
    /// Walker's alias method: pick a column, then its own size or its alias.
    Table(Vec<Column>),
}

/// A column of the alias table.
#[derive(Clone, Copy, Debug)]
pub(super) struct Column {
    own: u32,
    other: u32,
    keep: Chance,
}

impl Sizes {
    /// The sizes of reads.
    pub fn of_reads(config: &WorkloadConfig) -> Self {
        let (block, mean) = (config.read_block_bytes, config.read_size_mean_bytes);
        Self::new(config, block, &config.read_block_mix, mean)
    }

    /// The sizes of writes and trims, which follow the reads if they have no keys of their own.
    pub fn of_writes(config: &WorkloadConfig) -> Self {
        let block = match config.write_block_bytes {
            0 => config.read_block_bytes,
            bytes => bytes,
        };
        let mix =
            if config.write_block_mix.is_empty() { &config.read_block_mix } else { &config.write_block_mix };
        let mean = if config.write_size_mean_bytes > 0.0 {
            config.write_size_mean_bytes
        } else {
            config.read_size_mean_bytes
        };
        Self::new(config, block, mix, mean)
    }

    fn new(config: &WorkloadConfig, block_bytes: u64, mix: &[(u64, f64)], mean_bytes: f64) -> Self {
        match config.size_distribution {
            SizeDistribution::Fixed => Self::Fixed(sectors(block_bytes)),
            SizeDistribution::Mix => {
                Self::table(mix.iter().map(|&(bytes, weight)| (sectors(bytes), weight)).collect())
            }
            SizeDistribution::Mean => {
                let unit = sectors(config.size_unit_bytes);
                let steps = config.size_max_bytes / config.size_unit_bytes;
                let weights = steepness_for(mean_bytes / config.size_unit_bytes as f64, steps as usize);
                Self::table((1..).zip(weights).map(|(k, weight)| (k * unit, weight)).collect())
            }
        }
    }

    /// Vose's construction of the alias table.
    fn table(entries: Vec<(u32, f64)>) -> Self {
        let entries: Vec<_> = entries.into_iter().filter(|entry| entry.1 > 0.0).collect();
        if let [(only, _)] = entries[..] {
            return Self::Fixed(only);
        }
        let total: f64 = entries.iter().map(|entry| entry.1).sum();
        let mut shares: Vec<f64> =
            entries.iter().map(|entry| entry.1 / total * entries.len() as f64).collect();
        let mut columns: Vec<_> =
            entries.iter().map(|&(own, _)| Column { own, other: own, keep: Chance::new(1.0) }).collect();
        let (mut small, mut large): (Vec<_>, Vec<_>) = (0..entries.len()).partition(|&i| shares[i] < 1.0);
        while let (Some(poor), Some(&rich)) = (small.pop(), large.last()) {
            columns[poor].keep = Chance::new(shares[poor].max(0.0));
            columns[poor].other = entries[rich].0;
            shares[rich] -= 1.0 - shares[poor];
            if shares[rich] < 1.0 {
                large.pop();
                small.push(rich);
            }
        }
        Self::Table(columns)
    }

    /// Draws a size, in sectors.
    #[inline]
    pub fn draw(&self, random: &mut Random) -> u32 {
        match self {
            Self::Fixed(sectors) => *sectors,
            Self::Table(columns) => {
                let column = columns[random.below(columns.len() as u64) as usize];
                if column.keep.hits(random) { column.own } else { column.other }
            }
        }
    }

    /// The size, in sectors, if there is only one.
    pub fn only(&self) -> Option<u32> {
        match self {
            Self::Fixed(sectors) => Some(*sectors),
            Self::Table(_) => None,
        }
    }

    /// Smallest size, in sectors.
    pub fn min(&self) -> u32 {
        self.all().min().expect("a table has columns")
    }

    /// Largest size, in sectors.
    pub fn max(&self) -> u32 {
        self.all().max().expect("a table has columns")
    }

    fn all(&self) -> impl Iterator<Item = u32> + '_ {
        let (one, many) = match self {
            Self::Fixed(sectors) => (Some(*sectors), &[][..]),
            Self::Table(columns) => (None, &columns[..]),
        };
        one.into_iter().chain(many.iter().map(|column| column.own))
    }
}

fn sectors(bytes: u64) -> u32 {
    u32::try_from(bytes / SECTOR_BYTES).expect("sizes are checked to be far below 2 TiB")
}

/// Weights of 1 to `steps` units whose mean is `mean` units: `q^k`, the distribution with the largest entropy. `q` is
/// above 1 if the mean is above the middle (traces whose requests mostly have the largest size).
fn steepness_for(mean: f64, steps: usize) -> Vec<f64> {
    // Beyond |ln q| = 40 all weights except one vanish: a mean at either end is met to 1e-17.
    let (mut low, mut high) = (-40.0, 40.0);
    for _ in 0..100 {
        let middle = (low + high) / 2.0;
        let weights = powers(middle, steps);
        let total: f64 = weights.iter().sum();
        let at: f64 = (1..).zip(&weights).map(|(k, weight)| f64::from(k) * weight).sum();
        if at < mean * total { low = middle } else { high = middle }
    }
    powers((low + high) / 2.0, steps)
}

/// `e^(ln_q · k)` for k in 1 to `steps`, scaled so that the largest is 1.
fn powers(ln_q: f64, steps: usize) -> Vec<f64> {
    let falling = libm::exp(-ln_q.abs());
    let mut weights: Vec<f64> =
        std::iter::successors(Some(1.0), |weight| Some(weight * falling)).take(steps).collect();
    if ln_q > 0.0 {
        weights.reverse();
    }
    weights
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mean_of(sizes: &Sizes) -> f64 {
        let mut random = Random::new(3);
        let draws = 200_000;
        (0..draws).map(|_| f64::from(sizes.draw(&mut random))).sum::<f64>() / f64::from(draws)
    }

    #[test]
    fn any_mean_between_unit_and_maximum_is_met() {
        for mean_bytes in [4096.0, 4300.0, 9000.0, 34_816.0, 52_000.0, 65_000.0, 65_536.0] {
            let config = WorkloadConfig {
                size_distribution: SizeDistribution::Mean,
                read_size_mean_bytes: mean_bytes,
                ..Default::default()
            };
            let measured = mean_of(&Sizes::of_reads(&config)) * 512.0;
            assert!((measured / mean_bytes - 1.0).abs() < 0.01, "{mean_bytes} asked, {measured} drawn");
        }
    }

    #[test]
    fn a_mix_has_its_shares() {
        let config = WorkloadConfig {
            size_distribution: SizeDistribution::Mix,
            read_block_mix: vec![(4096, 5.0), (16_384, 3.0), (65_536, 2.0)],
            ..Default::default()
        };
        let sizes = Sizes::of_reads(&config);
        let mut random = Random::new(5);
        let mut counts = [0u32; 3];
        for _ in 0..100_000 {
            match sizes.draw(&mut random) {
                8 => counts[0] += 1,
                32 => counts[1] += 1,
                128 => counts[2] += 1,
                other => panic!("a size of {other} sectors is not in the mix"),
            }
        }
        for (count, expected) in counts.into_iter().zip([50_000.0, 30_000.0, 20_000.0]) {
            assert!((f64::from(count) - expected).abs() < 900.0, "{counts:?}");
        }
        assert_eq!((sizes.min(), sizes.max()), (8, 128));
    }
}
