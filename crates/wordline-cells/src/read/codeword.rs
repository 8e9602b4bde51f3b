//! Errors of the worst codeword, of the mean codeword, and of the chunks of a page.
//!
//! The papers count the worst 1-KiB codeword of a page (of 16). Errors occur on cells independently, so the count in a
//! codeword is Poisson-like around the page's mean, and the largest of 16 is about 1.77 standard deviations above it:
//!
//! ```text
//! worst = mean + 1.766 · sqrt(mean)
//! ```
//!
//! An LDPC decoder and RiF's predictor need the raw error rate of 4-KiB chunks: the page's mean with the same kind of
//! scatter over four times as many bits.

use super::place::Place;
use super::valley::CODEWORD_BITS;
use crate::variation::{Purpose, hash};

/// Expected maximum of 16 standard normal numbers.
const WORST_OF_16: f64 = 1.766;

/// Chunks of a 16-KiB page, 4 KiB each.
pub const CHUNKS: usize = 4;

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

/// Raw bit error rates of the chunks of a page at `place`; their average is [`mean_rber`].
#[must_use]
pub fn chunk_rber(worst_bits: f64, place: Place, seed: u64) -> [f64; CHUNKS] {
    let mean = mean_bits(worst_bits);
    let bits = hash(seed, u64::from(place.block) << 16 | u64::from(place.page), Purpose::ChunkErrors);
    // The sum of two 8-bit draws: a triangular distribution, scaled to a standard deviation of 1.
    let draws: [f64; CHUNKS] = core::array::from_fn(|chunk| {
        let sixteen = bits >> (16 * chunk);
        let sum = (sixteen & 0xff) as f64 + (sixteen >> 8 & 0xff) as f64 + 1.0;
        (sum / 256.0 - 1.0) * 6f64.sqrt()
    });
    let centre = draws.iter().sum::<f64>() / CHUNKS as f64;
    let chunk_bits = CODEWORD_BITS * CHUNKS as f64;
    let scatter = (mean * CHUNKS as f64).sqrt() / chunk_bits;
    draws.map(|draw| (mean / CODEWORD_BITS + scatter * (draw - centre)).max(0.0))
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

    #[test]
    fn chunks_average_to_their_page() {
        for page in 0..100 {
            let place = Place { chip: 0, block: 7, layer: 0, page, page_type: 0 };
            let chunks = chunk_rber(40.0, place, 3);
            let mean = chunks.iter().sum::<f64>() / CHUNKS as f64;
            assert!((mean - mean_rber(40.0)).abs() < 1e-9);
            assert!(chunks.iter().any(|&chunk| chunk != chunks[0]));
        }
    }
}
