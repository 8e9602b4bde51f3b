//! Errors of the worst codeword and of the mean one.
//!
//! The papers count the worst 1-KiB codeword of a page (of 16). Errors occur on cells independently, so the count in a
//! codeword is Poisson-like around the page's mean, and the largest of 16 is about 1.77 standard deviations above it:
//!
//! ```text
//! worst = mean + 1.766 · sqrt(mean)
//! ```
//!
//! An LDPC decoder and RiF's predictor need the page's mean. Their tables contain the binomial scatter of the errors of
//! its 4-KiB chunks around that mean (`ecc/judge.rs`, `ecc/predictor.rs`).

use super::valley::CODEWORD_BITS;

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

/// Raw bit error rate of a page whose worst codeword has `worst_bits` errors.
#[must_use]
pub fn mean_rber(worst_bits: f64) -> f64 {
    mean_bits(worst_bits) / CODEWORD_BITS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn worst_and_mean_are_each_others_inverse() {
        for worst in [0.0, 1.0, 15.0, 72.0, 300.0] {
            assert!((worst_bits(mean_bits(worst)) - worst).abs() < 1e-9);
        }
        assert!(mean_bits(72.0) < 60.0 && mean_bits(72.0) > 55.0, "{}", mean_bits(72.0));
    }
}
