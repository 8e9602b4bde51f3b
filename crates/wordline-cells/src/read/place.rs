//! Variation between pages: pure hashes of their place, bounded on both sides.
//!
//! Variation has five parts: chip, block, height of the layer, layer of a block, and page. Tails are truncated, because
//! chips with larger deviations fail the factory's test.

use serde::{Deserialize, Serialize};

use super::constants::{DriftShares, FloorShares, ReadConstants};
use crate::variation::{Purpose, hash};

/// A page's place, as far as its cells differ by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// Chip, numbered over the SSD.
    pub chip: u32,
    /// Block, numbered over the SSD.
    pub block: u32,
    /// Horizontal layer in the block, from 0.
    pub layer: u32,
    /// Page in the block, from 0.
    pub page: u32,
    /// Page type, 0 = LSB.
    pub page_type: u32,
}

/// The deviation of a page from others, independent of its condition.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// Drift relative to the mean, `1 - spread ..= 1 + spread`.
    pub drift: f32,
    /// Distance of the best voltages from a whole step, steps; bounded.
    pub residual_steps: f32,
    /// Errors relative to the worst page of its type, above 0 up to 1.
    pub errors: f32,
}

/// Finds the spread of a place.
#[derive(Clone, Debug)]
pub struct Spreads {
    seed: u64,
    layers: u32,
    spread: f32,
    residual: f32,
    drift: DriftShares,
    errors: FloorShares,
}

/// One unit of a draw: 16 bits of a hash.
const DRAW: f32 = 1.0 / 65_536.0;

/// One of the four 16-bit draws of a hash, `0..1`.
#[inline]
fn draw(hash: u64, which: u32) -> f32 {
    (((hash >> (16 * which)) & 0xffff) as f32 + 0.5) * DRAW
}

impl Spreads {
    /// The variation between chips, blocks, layers and pages of this kind.
    #[must_use]
    pub fn new(constants: &ReadConstants, layers: u32, seed: u64) -> Spreads {
        Spreads {
            seed,
            layers: layers.max(1),
            spread: constants.drift.spread as f32,
            residual: constants.drift.residual_steps as f32,
            drift: constants.drift.shares.clone(),
            errors: constants.floor.shares.clone(),
        }
    }

    /// The spread of the page at `place`.
    #[inline]
    #[must_use]
    pub fn of(&self, place: Place) -> Spread {
        let block = u64::from(place.block);
        let chip = hash(self.seed, u64::from(place.chip), Purpose::ChipCells);
        let in_block = hash(self.seed, block, Purpose::BlockCells);
        let layer = hash(self.seed, block << 16 | u64::from(place.layer), Purpose::LayerCells);
        let page = hash(self.seed, block << 16 | u64::from(place.page), Purpose::PageCells);
        // Channel holes taper towards the bottom, where the field in a cell is higher: lower layers drift more. The
        // direction is physics; the straight line is a guess.
        let height = (place.layer as f32 + 0.5) / self.layers as f32;
        let either = |u: f32| 2.0 * u - 1.0;
        let drift = self.drift.chip as f32 * either(draw(chip, 0))
            + self.drift.block as f32 * either(draw(in_block, 0))
            + self.drift.profile as f32 * -either(height)
            + self.drift.layer as f32 * either(draw(layer, 0))
            + self.drift.page as f32 * either(draw(page, 0));
        // The root makes pages near the worst rare.
        let better = self.errors.chip as f32 * draw(chip, 1)
            + self.errors.block as f32 * draw(in_block, 1)
            + self.errors.layer as f32 * draw(layer, 1)
            + self.errors.page as f32 * draw(page, 1).sqrt();
        Spread {
            drift: 1.0 + self.spread * drift,
            residual_steps: self.residual * either(draw(page, 2)),
            errors: 1.0 - better,
        }
    }
}
