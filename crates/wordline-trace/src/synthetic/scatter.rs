//! A permutation of `0..n` in constant memory: it separates popular ranks, so that hot places are not neighbours.

/// `rank → (rank · multiplier + offset) mod n`, one to one because the multiplier shares no divisor with `n`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scatter {
    n: u64,
    multiplier: u64,
    offset: u64,
}

impl Scatter {
    /// A permutation of `0..n`; `n` at least 1. The seed determines the place of rank 0.
    pub fn new(n: u64, seed: u64) -> Self {
        // Steps of about n / golden ratio put each next rank into the largest remaining gap.
        let mut multiplier = ((n as f64 * 0.618_033_988_749_894_9) as u64).clamp(1, n);
        while gcd(multiplier, n) != 1 {
            multiplier += 1;
        }
        Self { n, multiplier, offset: seed % n }
    }

    /// The place of a rank.
    #[inline]
    pub fn place(&self, rank: u64) -> u64 {
        debug_assert!(rank < self.n);
        if self.n <= 1 << 32 {
            // All three numbers are below 2^32: neither the product nor the sum overflows 64 bits.
            (rank * self.multiplier + self.offset) % self.n
        } else {
            let wide = u128::from(rank) * u128::from(self.multiplier) + u128::from(self.offset);
            (wide % u128::from(self.n)) as u64
        }
    }
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_is_taken_once() {
        for n in [1, 2, 3, 4, 10, 97, 4096, 65_537] {
            let scatter = Scatter::new(n, 12_345);
            let mut seen = vec![false; n as usize];
            for rank in 0..n {
                let place = scatter.place(rank) as usize;
                assert!(!seen[place], "n = {n}: place {place} taken twice");
                seen[place] = true;
            }
        }
    }

    #[test]
    fn wide_and_narrow_arithmetic_stay_in_range() {
        for n in [(1 << 32) - 1, 1 << 32, (1 << 32) + 1, 1 << 40] {
            let scatter = Scatter::new(n, u64::MAX);
            for rank in [0, 1, n / 2, n - 1] {
                assert!(scatter.place(rank) < n);
            }
        }
    }
}
