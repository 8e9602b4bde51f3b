//! Variation as a pure function of `(seed, place, purpose)`.
//!
//! Nothing that differs between blocks or pages is drawn in sequence. So another policy, which changes the order of
//! events, cannot change which blocks are weak.

/// The use of a random number; two purposes never share their numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
pub enum Purpose {
    /// Bad blocks from the factory.
    FactoryBad = 1,
    /// Blocks that fail in an erase.
    GrownBad = 2,
    /// Candidates of a randomised victim policy.
    VictimChoice = 3,
    /// Overwrites of the preconditioning.
    Precondition = 4,
    /// Placement handles of a flow that names them at random.
    HandleChoice = 5,
    /// Chips whose cells drift faster or read worse.
    ChipCells = 16,
    /// Blocks whose cells drift faster or read worse.
    BlockCells = 17,
    /// Layers of a block whose cells drift faster or read worse.
    LayerCells = 18,
    /// Pages whose cells drift faster or read worse.
    PageCells = 19,
    /// Chunks of a page that have more errors.
    ChunkErrors = 20,
    /// Codewords of a page that have more errors.
    CodewordErrors = 21,
    /// Error of the estimate from sentinel cells.
    Sentinel = 22,
    /// Error of the estimate from counting cells within the chip.
    Counting = 23,
    /// Age of a block's data at the start of the run.
    RetentionAge = 24,
    /// Whether a code decodes a page near its limit.
    Decoding = 31,
    /// Errors of the die's check of a sensed page.
    Prediction = 32,
    /// Hardness of a block to erase.
    BlockHardness = 48,
    /// Variation of fail bits between erases.
    EraseFailBits = 49,
    /// Erases that need more than predicted.
    Misprediction = 50,
    /// Pages that a voltage adjustment of their wordline or its neighbours breaks.
    AdjustmentError = 96,
    /// Programs that take longer or shorter than others.
    ProgramTime = 97,
    /// Start state of a page's randomizer.
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

/// A number in `0..n` for a place and a purpose (multiply-shift, of as many bits of the hash as `n` needs).
#[inline]
#[must_use]
pub fn below(seed: u64, place: u64, purpose: Purpose, n: u64) -> u64 {
    let drawn = hash(seed, place, purpose);
    match u32::try_from(n) {
        Ok(_) => ((drawn >> 32) * n) >> 32,
        Err(_) => ((u128::from(drawn) * u128::from(n)) >> 64) as u64,
    }
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
    fn numbers_below_more_than_32_bits_reach_all_of_them() {
        for n in [u64::from(u32::MAX), 1 << 32, 30_000_000_000] {
            let drawn: Vec<u64> = (0..1000).map(|place| below(7, place, Purpose::Precondition, n)).collect();
            assert!(drawn.iter().all(|&number| number < n));
            let mean = drawn.iter().map(|&number| number as f64).sum::<f64>() / 1000.0 / n as f64;
            assert!((mean - 0.5).abs() < 0.03, "{mean} of {n}");
            assert!(drawn.iter().any(|number| number % 2 == 1) && drawn.iter().any(|number| number % 2 == 0));
        }
    }

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
