//! M_RBER of a block: errors of its worst page, at the retry step that succeeds (AERO, Section 5.4).

use crate::read::{Floor, Place, References, Spreads};
use crate::{Chip, ChipGeometry};

/// Pages per block in this measurement: those of the 48-layer TLC (PR2/AR2, Section 7.1).
const PAGES: u32 = 576;

/// Chips that the blocks come from in turn (AERO, Section 5.1).
const CHIPS: u32 = 160;

/// Errors at the best read voltages, for a set of blocks at one retention and temperature.
#[derive(Clone, Debug)]
pub struct BlockFloor {
    floor: Floor,
    /// By block: the errors of its worst page, relative to the worst page of all.
    worst: Vec<f64>,
    months: f64,
    temperature_c: f64,
}

impl BlockFloor {
    /// A set of `blocks` blocks, read after `months` at a temperature. AERO says "1 year at 30 C" but not the
    /// temperature during the read; 12 months and 85 C agree with PR2/AR2's chips. `None` for a chip without a `[read]`
    /// part.
    #[must_use]
    pub fn new(chip: &Chip, seed: u64, blocks: u32, months: f64, temperature_c: f64) -> Option<BlockFloor> {
        let read = chip.read.as_ref()?;
        let ChipGeometry { layers, .. } = chip.geometry;
        let spreads = Spreads::new(read, layers, seed);
        let references = References::new(read);
        let types = read.references.len().max(1) as u32;
        let errors = |block: u32, page: u32| {
            let layer = page * layers / PAGES;
            let place = Place { chip: block % CHIPS, block, layer, page, page_type: page % types };
            f64::from(spreads.of(place).errors * references.of_type(place.page_type).floor)
        };
        let worst = (0..blocks).map(|block| (0..PAGES).map(|page| errors(block, page)).fold(0.0, f64::max));
        Some(BlockFloor { floor: Floor::new(&read.floor), worst: worst.collect(), months, temperature_c })
    }

    /// M_RBER of a block after a complete erase, bits per 1 KiB.
    #[must_use]
    pub fn bits(&self, block: usize, stress: f64) -> f64 {
        let all = self.floor.worst_bits(stress, self.months, self.temperature_c);
        self.worst[block % self.worst.len()] * all
    }
}
