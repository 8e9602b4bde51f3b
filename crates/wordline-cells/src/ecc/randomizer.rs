//! The controller's page randomizer: a linear-feedback shift register with another start state for each page.
//!
//! The controller adds (exclusive or) the register's sequence to the data on their way to flash and back. So cells hold
//! all states equally often, whatever the host writes (RiF, "Need for Randomization"). The slides name no register;
//! this one is PRBS31 of ITU-T O.150, x^31 + x^28 + 1.

use crate::variation::{Purpose, hash};

/// Degree of the register: its sequence repeats after 2^31 - 1 bits, about 16,000 pages.
const DEGREE: u32 = 31;

/// The sequence of one page.
#[derive(Clone, Debug)]
pub struct Randomizer {
    /// The last 128 bits of the sequence, the oldest in the lowest bit.
    last: u128,
}

impl Randomizer {
    /// The sequence of page `page`, a physical page number, on the SSD with this seed.
    #[must_use]
    pub fn new(seed: u64, page: u64) -> Self {
        let start = hash(seed, page, Purpose::Randomizer) as u32 & ((1 << DEGREE) - 1);
        let mut last = u128::from(start.max(1));
        for n in DEGREE..128 {
            last |= (last >> (n - 31) ^ last >> (n - 28)) << n & 1 << n;
        }
        Self { last }
    }

    /// Returns the next 64 bits. The register's polynomial squared, and squared again, also generates its sequence: bit
    /// n is the sum of bits n - 4 x 31 and n - 4 x 28.
    #[inline]
    fn next(&mut self) -> u64 {
        let bits = (self.last >> (128 - 124)) as u64 ^ (self.last >> (128 - 112)) as u64;
        self.last = self.last >> 64 | u128::from(bits) << 64;
        bits
    }

    /// Scrambles data for flash, or descrambles data from it: the same operation.
    pub fn apply(mut self, data: &mut [u64]) {
        for word in data {
            *word ^= self.next();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn follows_the_register() {
        let mut words = [0u64; 64];
        Randomizer::new(1, 7).apply(&mut words);
        let bit = |n: usize| words[n / 64] >> (n % 64) & 1;
        for n in 31..64 * 64 {
            assert_eq!(bit(n), bit(n - 31) ^ bit(n - 28), "bit {n}");
        }
    }

    #[test]
    fn brings_data_back_and_makes_zeros_even() {
        let data: Vec<u64> = (0..2048).collect();
        for page in 0..20 {
            let mut stored = data.clone();
            Randomizer::new(3, page).apply(&mut stored);
            assert_ne!(stored, data);
            Randomizer::new(3, page).apply(&mut stored);
            assert_eq!(stored, data);
            let mut zeros = vec![0u64; 2048];
            Randomizer::new(3, page).apply(&mut zeros);
            let ones: u32 = zeros.iter().map(|word| word.count_ones()).sum();
            // Half of 131,072 bits; the deviation of independent bits is 181.
            assert!((i64::from(ones) - 65_536).abs() < 5 * 181, "{ones} ones on page {page}");
        }
    }
}
