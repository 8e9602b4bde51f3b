//! Variation as a pure function of `(seed, place, purpose)`.
//!
//! Nothing that differs between blocks or pages is drawn in sequence: switching a policy, which
//! changes the order of events, cannot change which blocks are weak.

/// What a random number is for; two purposes never share their numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
pub enum Purpose {
    /// Bad blocks from the factory.
    FactoryBad = 1,
    /// Blocks that an erase turns bad.
    GrownBad = 2,
    /// Candidates of a randomised victim policy.
    VictimChoice = 3,
    /// Overwrites of the preconditioning.
    Precondition = 4,
    /// Chips whose cells drift faster or read worse.
    ChipCells = 16,
    /// Blocks whose cells do.
    BlockCells = 17,
    /// Layers of a block whose cells do.
    LayerCells = 18,
    /// Pages whose cells do.
    PageCells = 19,
    /// Chunks of a page that have more errors.
    ChunkErrors = 20,
    /// By how much sentinel cells miss the best read voltages.
    Sentinel = 22,
    /// By how much counting cells within the chip does.
    Counting = 23,
    /// How old a block's data is when the run starts.
    RetentionAge = 24,
    /// What a code makes of a page that it may or may not decode.
    Decoding = 31,
    /// What a die's check of a sensed page gets wrong.
    Prediction = 32,
    /// How hard a block is to erase.
    BlockHardness = 48,
    /// By how much an erase's fail bits differ from another's.
    EraseFailBits = 49,
    /// Erases that turn out to need more than predicted.
    Misprediction = 50,
    /// Pages that a voltage adjustment of their wordline or its neighbours breaks.
    AdjustmentError = 96,
    /// Where a page's randomizer starts.
    Randomizer = 64,
}

/// 64 well-mixed bits for a place and a purpose (the finaliser of MurmurHash3, applied twice).
#[inline]
#[must_use]
pub fn hash(seed: u64, place: u64, purpose: Purpose) -> u64 {
    let salt = (purpose as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mix(mix(seed ^ salt).wrapping_add(place).wrapping_mul(0xd6e8_feb8_6659_fd93))
}

/// A number in `0.0..1.0` for a place and a purpose.
#[inline]
#[must_use]
pub fn unit(seed: u64, place: u64, purpose: Purpose) -> f64 {
    (hash(seed, place, purpose) >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
}

/// A number in `0..n` for a place and a purpose (multiply-shift; `n` below 2^32).
#[inline]
#[must_use]
pub fn below(seed: u64, place: u64, purpose: Purpose, n: u64) -> u64 {
    ((hash(seed, place, purpose) >> 32) * n) >> 32
}

#[inline]
fn mix(mut x: u64) -> u64 {
    x ^= x >> 33;
    x = x.wrapping_mul(0xff51_afd7_ed55_8ccd);
    x ^= x >> 33;
    x = x.wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    x ^ x >> 33
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_uniform_and_independent_of_purpose() {
        let n = 100_000u64;
        let mean: f64 = (0..n).map(|i| unit(7, i, Purpose::FactoryBad)).sum::<f64>() / n as f64;
        assert!((mean - 0.5).abs() < 0.005, "mean {mean}");
        let product: f64 = (0..n)
            .map(|i| (unit(7, i, Purpose::FactoryBad) - 0.5) * (unit(7, i, Purpose::GrownBad) - 0.5))
            .sum::<f64>()
            / n as f64;
        assert!(product.abs() < 0.001, "correlation {product}");
    }
}
