//! The random numbers of a workload: xoshiro256++, with integers wherever possible.

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// 2^-53: converts the 53 bits that an `f64` holds to a fraction.
const UNIT: f64 = 1.0 / 9_007_199_254_740_992.0;

/// A sequence of random numbers.
#[derive(Clone, Debug)]
pub(crate) struct Random(Xoshiro256PlusPlus);

impl Random {
    /// The sequence of a seed.
    pub fn new(seed: u64) -> Self {
        Self(Xoshiro256PlusPlus::seed_from_u64(seed))
    }

    /// 64 random bits.
    #[inline]
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Returns a number in `0..n`. The bias, at most `n / 2^64`, is far too small for any run to detect.
    #[inline]
    pub fn below(&mut self, n: u64) -> u64 {
        ((u128::from(self.bits()) * u128::from(n)) >> 64) as u64
    }

    /// A fraction strictly between 0 and 1.
    #[inline]
    pub fn fraction(&mut self) -> f64 {
        ((self.bits() >> 11) as f64 + 0.5) * UNIT
    }

    /// An exponentially distributed number with mean 1.
    #[inline]
    pub fn exponential(&mut self) -> f64 {
        -libm::log(self.fraction())
    }
}

/// A probability, ready to compare with 63 random bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Chance(u64);

impl Chance {
    /// Converts a probability, 0 to 1; both ends are exact.
    pub fn new(probability: f64) -> Self {
        debug_assert!((0.0..=1.0).contains(&probability));
        Self((probability * (1u64 << 63) as f64) as u64)
    }

    /// Returns false if it can never hit; then no random number is drawn.
    #[inline]
    pub fn possible(self) -> bool {
        self.0 > 0
    }

    /// Draws once.
    #[inline]
    pub fn hits(self, random: &mut Random) -> bool {
        self.0 > 0 && self.covers(random.bits())
    }

    /// Returns true if these random bits hit.
    #[inline]
    pub fn covers(self, bits: u64) -> bool {
        (bits >> 1) < self.0
    }
}

/// The number under which a seed gives the requests of aging: those of the run are others.
pub(crate) const AGAIN: u64 = 0x0041_6769_6e67;

/// A pure hash of a seed and a number (the finaliser of SplitMix64): it does not depend on earlier draws.
#[inline]
pub(crate) fn hash(seed: u64, number: u64) -> u64 {
    let mut z = seed ^ number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// The seed of a workload's numbers, from its own seed and the run's.
pub(crate) fn workload_seed(own: u64, run: u64) -> u64 {
    hash(run, own)
}
