//! The places of random requests: blocks of the region.

use super::job::{Distribution, FioStream};
use crate::synthetic::random::Random;

/// Upper limit of the terms in zeta, as in fio: more terms change little and take seconds.
const ZETA_TERMS_MAX: u64 = 10_000_000;
/// Number of uniform numbers in the sum that gives a normal one.
const NORMAL_TERMS: u64 = 12;
/// fio spreads ranks over the region by multiplying with this number (2^64 over the golden ratio, negated).
const SPREAD: u64 = 0x61c8_8646_80b5_83eb;

/// Draws blocks of one direction.
#[derive(Clone, Debug)]
pub(super) struct Places {
    law: Law,
    blocks: u64,
    /// The block of rank 0.
    shift: u64,
}

#[derive(Clone, Debug)]
enum Law {
    Uniform,
    Zipf {
        theta: f64,
        zeta: f64,
        zeta2: f64,
    },
    Pareto {
        power: f64,
    },
    Normal {
        deviation: u64,
    },
    /// For each percent of the accesses, the first block and the one after the last.
    Zoned(Vec<(u64, u64)>),
}

impl Places {
    /// Builds the places for a region of `region_bytes`.
    pub fn new(stream: &FioStream, region_bytes: u64, random: &mut Random) -> Self {
        // The last place leaves room for the smallest request.
        let least = stream.sizes.iter().map(|size| size.0).min().unwrap_or(stream.align_bytes);
        let room = region_bytes.saturating_sub(least.saturating_sub(stream.align_bytes));
        let blocks = (room / stream.align_bytes).max(1);
        let law = match &stream.distribution {
            Distribution::Uniform => Law::Uniform,
            Distribution::Zipf(theta) => Law::Zipf {
                theta: *theta,
                zeta: (1..=blocks.min(ZETA_TERMS_MAX)).map(|rank| libm::pow(1.0 / rank as f64, *theta)).sum(),
                zeta2: 1.0 + libm::pow(0.5, *theta),
            },
            Distribution::Pareto(h) => Law::Pareto { power: libm::log(*h) / libm::log(1.0 - h) },
            Distribution::Normal(percent) => {
                let deviation = libm::ceil(blocks as f64 * percent / 100.0) as u64;
                Law::Normal { deviation: deviation.min(blocks / 2) }
            }
            Distribution::Zoned(zones) => {
                let mut start = 0;
                let mut parts = Vec::with_capacity(100);
                for zone in zones {
                    let end = (zone.end_bytes / stream.align_bytes).min(blocks);
                    parts.extend(std::iter::repeat_n((start, end), zone.percent as usize));
                    start = end;
                }
                Law::Zoned(parts)
            }
        };
        // The centre of a normal distribution is fixed; the other distributions start at a random block.
        let shift = if matches!(law, Law::Normal { .. }) { 0 } else { random.below(blocks) };
        Self { law, blocks, shift }
    }

    /// Draws a block: a skewed one from `skewed`, any other from `random`.
    pub fn draw(&self, random: &mut Random, skewed: &mut Random) -> u64 {
        match &self.law {
            Law::Uniform => random.below(self.blocks),
            Law::Zoned(parts) => {
                let (start, end) = parts[random.below(parts.len() as u64) as usize];
                start + random.below(end.saturating_sub(start).max(1))
            }
            law => self.skewed(law, skewed),
        }
    }

    fn skewed(&self, law: &Law, random: &mut Random) -> u64 {
        let n = self.blocks as f64;
        let rank = match law {
            Law::Zipf { theta, zeta, zeta2 } => {
                // Gray et al., "Quickly generating billion-record synthetic databases", SIGMOD 1994.
                let u = random.fraction();
                let eta = (1.0 - libm::pow(2.0 / n, 1.0 - theta)) / (1.0 - zeta2 / zeta);
                let z = u * zeta;
                if z < 1.0 {
                    0
                } else if z < *zeta2 {
                    1
                } else {
                    (n * libm::pow(eta * u - eta + 1.0, 1.0 / (1.0 - theta))) as u64
                }
            }
            Law::Pareto { power } => ((n - 1.0) * libm::pow(random.fraction(), *power)) as u64,
            Law::Normal { deviation } => self.normal(*deviation, random),
            Law::Uniform | Law::Zoned(_) => random.below(self.blocks),
        };
        (rank.wrapping_mul(SPREAD).wrapping_add(self.shift)) % self.blocks
    }

    /// The mean of uniform numbers, and a uniform deviation from it, as in fio.
    fn normal(&self, deviation: u64, random: &mut Random) -> u64 {
        let sum: u64 = (0..NORMAL_TERMS).map(|_| random.below(self.blocks + 1)).sum();
        let middle = sum.div_ceil(NORMAL_TERMS);
        if deviation == 0 {
            return middle;
        }
        let by = (deviation as f64 * random.fraction()) as i64 - (deviation / 2) as i64;
        let mut by = by;
        while middle.checked_add_signed(by).is_none_or(|at| at >= self.blocks) && by != 0 {
            by /= 2;
        }
        middle.saturating_add_signed(by)
    }
}
