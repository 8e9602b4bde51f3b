//! Errors of the worst codeword and of the mean one.
//!
//! The papers count the worst 1-KiB codeword of a page (of 16). Errors occur on cells independently, so the count in a
//! codeword is Poisson-like around the page's mean, and the largest of 16 is about 1.77 standard deviations above it:
//!
//! ```text
//! worst = mean + 1.766 · sqrt(mean)
//! ```
//!
//! Which codeword has more errors than others is a hash of its place: [`deviation`]. Mapping units smaller than a page need
//! that, since a read brings the codewords of its units only.
//!
//! An LDPC decoder and RiF's predictor need the page's mean. Their tables contain the binomial scatter of the errors of
//! its 4-KiB chunks around that mean (`ecc/judge.rs`, `ecc/predictor.rs`).

use std::sync::LazyLock;

use super::valley::{CODEWORD_BITS, tail};
use crate::variation::{Purpose, hash};

/// Bytes of data in a codeword of the papers' ECC.
pub const CODEWORD_BYTES: u32 = 1024;

/// Expected maximum of 16 standard normal numbers.
const WORST_OF_16: f64 = 1.766;

/// Mean errors of a page's codewords, if the worst has `worst_bits`.
#[must_use]
pub fn mean_bits(worst_bits: f64) -> f64 {
    let half = 0.5 * WORST_OF_16;
    let root = (half * half + worst_bits.max(0.0)).sqrt() - half;
    root * root
}

/// Expected errors of the worst of 16 codewords of a page with `mean_bits` each.
#[must_use]
pub fn worst_bits(mean_bits: f64) -> f64 {
    mean_bits + WORST_OF_16 * mean_bits.sqrt()
}

/// Errors of the worst of some codewords of a page with `mean_bits` each, which lies `deviation` standard deviations
/// above the mean.
#[inline]
#[must_use]
pub fn worst_of(mean_bits: f32, deviation: f32) -> f32 {
    (mean_bits + deviation * mean_bits.sqrt()).max(0.0)
}

/// By how many standard deviations the worst of some codewords of a page lies above the mean of all. `page` is any number
/// of the page, `codewords` has a bit for each of its first 64 KiB. With none of them it is that of the best possible.
#[must_use]
pub fn deviation(seed: u64, page: u64, codewords: u64) -> f32 {
    // Eight codewords share a hash, a byte each.
    let groups = (0..8).filter(|group| codewords >> (8 * group) & 0xff != 0);
    let worst = groups.flat_map(|group| {
        let bytes = hash(seed, page << 3 | group, Purpose::CodewordErrors).to_le_bytes();
        let of_group = codewords >> (8 * group);
        (0..8).filter(move |i| of_group >> i & 1 == 1).map(move |i| bytes[i])
    });
    DEVIATIONS[usize::from(worst.max().unwrap_or(0))]
}

/// More than the worst codeword of any page has.
pub const DEVIATION_MAX: f32 = 3.0;

/// Standard normal quantiles at the middles of 256 equal shares, scaled so that the expected maximum of sixteen is that of
/// [`WORST_OF_16`].
static DEVIATIONS: LazyLock<[f32; 256]> = LazyLock::new(|| {
    let z: [f64; 256] = std::array::from_fn(|i| quantile((i as f64 + 0.5) / 256.0));
    let chance = |below: usize| libm::pow(below as f64 / 256.0, 16.0);
    let expected: f64 = (0..256).map(|i| z[i] * (chance(i + 1) - chance(i))).sum();
    z.map(|z| (z * WORST_OF_16 / expected) as f32)
});

/// The standard normal number below which a share of all lies.
fn quantile(share: f64) -> f64 {
    let (mut low, mut high) = (-8.0, 8.0);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if tail(-middle) < share { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

/// Raw bit error rate of a page whose worst codeword has `worst_bits` errors.
#[must_use]
pub fn mean_rber(worst_bits: f64) -> f64 {
    mean_bits(worst_bits) / CODEWORD_BITS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_of_a_page_is_on_average_that_of_sixteen_and_of_its_parts_lower() {
        let mean_of = |codewords: u64| {
            (0..20_000).map(|page| f64::from(deviation(7, page, codewords))).sum::<f64>() / 20_000.0
        };
        // Expected maxima of 16, 8, 4 and 1 standard normal numbers.
        for (codewords, expected) in [(0xffff, WORST_OF_16), (0xff00, 1.424), (0xf0, 1.029), (0x4, 0.0)] {
            let mean = mean_of(codewords);
            assert!((mean - expected).abs() < 0.02, "{codewords:x}: {mean}, {expected} expected");
        }
    }

    #[test]
    fn no_codeword_is_beyond_the_largest_deviation() {
        assert!(DEVIATIONS.iter().all(|&deviation| deviation < DEVIATION_MAX));
    }

    #[test]
    fn the_worst_of_a_page_is_the_worst_of_its_parts() {
        for page in 0..1_000 {
            let of = |codewords| deviation(3, page, codewords);
            let parts = [0xf, 0xf0, 0xf00, 0xf000].map(of);
            assert_eq!(of(0xffff), parts.into_iter().fold(f32::NEG_INFINITY, f32::max));
        }
    }

    #[test]
    fn worst_and_mean_are_each_others_inverse() {
        for worst in [0.0, 1.0, 15.0, 72.0, 300.0] {
            assert!((worst_bits(mean_bits(worst)) - worst).abs() < 1e-9);
        }
        assert!(mean_bits(72.0) < 60.0 && mean_bits(72.0) > 55.0, "{}", mean_bits(72.0));
    }
}
