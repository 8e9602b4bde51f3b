//! Bit errors, and the random numbers behind them (PCG64).

use super::matrix::CODE_BITS;
use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg64;

/// Draws the wrong bits of a word.
#[derive(Clone, Debug)]
pub struct ErrorSource {
    random: Pcg64,
    taken: Vec<u64>,
    errors: Vec<u16>,
}

impl ErrorSource {
    /// The error source of a seed. Different values of `stream` give independent errors with the same seed.
    #[must_use]
    pub fn new(seed: u64, stream: u64) -> Self {
        // Two well-mixed halves of PCG's seed make neighbouring streams independent.
        let mut bytes = <Pcg64 as SeedableRng>::Seed::default();
        let mut state = Pcg64::new(u128::from(seed), u128::from(stream));
        for chunk in bytes.chunks_mut(8) {
            chunk.copy_from_slice(&state.next_u64().to_le_bytes());
        }
        Self {
            random: Pcg64::from_seed(bytes),
            taken: vec![0; CODE_BITS / 64],
            errors: Vec::with_capacity(1024),
        }
    }

    /// Returns 64 random bits.
    #[inline]
    pub fn bits(&mut self) -> u64 {
        self.random.next_u64()
    }

    /// Returns a number in `0.0..1.0`.
    #[inline]
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// Returns a number in `0..n`; the bias, at most `n / 2^64`, is too small to matter.
    #[inline]
    fn below(&mut self, n: usize) -> usize {
        ((u128::from(self.bits()) * n as u128) >> 64) as usize
    }

    /// Draws `count` different bits; all sets are equally likely.
    ///
    /// # Panics
    ///
    /// If a word has fewer bits.
    pub fn exactly(&mut self, count: usize) -> &[u16] {
        assert!(count <= CODE_BITS, "{count} errors in a word of {CODE_BITS} bits");
        self.clear();
        while self.errors.len() < count {
            let bit = self.below(CODE_BITS);
            let (word, mask) = (bit / 64, 1u64 << (bit % 64));
            if self.taken[word] & mask == 0 {
                self.taken[word] |= mask;
                self.errors.push(bit as u16);
            }
        }
        &self.errors
    }

    /// Draws each bit with probability `rber` (a binary symmetric channel).
    ///
    /// # Panics
    ///
    /// If `rber` is not between 0 and 1, exclusive.
    pub fn at_rate(&mut self, rber: f64) -> &[u16] {
        assert!(rber > 0.0 && rber < 1.0, "raw bit error rate {rber}");
        self.clear();
        // The gaps between errors have a geometric distribution.
        let per_bit = libm::log1p(-rber);
        let mut bit = 0.0;
        loop {
            bit += libm::floor(libm::log(1.0 - self.unit()) / per_bit);
            if bit >= CODE_BITS as f64 {
                return &self.errors;
            }
            self.errors.push(bit as u16);
            bit += 1.0;
        }
    }

    fn clear(&mut self) {
        for &bit in &self.errors {
            self.taken[usize::from(bit) / 64] = 0;
        }
        self.errors.clear();
    }
}
