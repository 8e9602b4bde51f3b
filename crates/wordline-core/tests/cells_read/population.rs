//! The chips of PR2/AR2, Section 4: 160 of them, some blocks of each, every page.

use wordline_core::nand::cells::Chip;
use wordline_core::nand::cells::read::{Place, ReadConstants, Spread, Spreads};

/// Chips that the paper tested.
pub const CHIPS: u32 = 160;
/// Blocks of each that a test here takes: with them 1.0 million pages. The paper took 120.
pub const BLOCKS: u32 = 11;
/// Word lines and pages of a block (PR2/AR2, Section 7.1).
pub const WORD_LINES: u32 = 192;
pub const PAGES: u32 = 576;

pub const SEED: u64 = 42;

pub fn chip() -> Chip {
    Chip::built_in("tlc-48l").expect("a chip of ours").expect("it reads")
}

pub fn constants() -> ReadConstants {
    chip().read.expect("it says what a read finds")
}

/// Page `page` of a block, the bits of a word line one after the other.
pub fn place(chip_number: u32, block: u32, page: u32) -> Place {
    let word_line = page / 3;
    Place { chip: chip_number, block, layer: word_line * 48 / WORD_LINES, page, page_type: page % 3 }
}

/// Every block of a population: its chip and its number.
pub fn blocks(blocks_per_chip: u32) -> impl Iterator<Item = (u32, u32)> {
    (0..CHIPS)
        .flat_map(move |chip| (0..blocks_per_chip).map(move |block| (chip, chip * blocks_per_chip + block)))
}

/// What sets each page of the population apart.
pub fn spreads(blocks_per_chip: u32) -> Vec<Spread> {
    let spreads = Spreads::new(&constants(), chip().geometry.layers, SEED);
    blocks(blocks_per_chip)
        .flat_map(|(chip, block)| (0..PAGES).map(move |page| place(chip, block, page)))
        .map(|place| spreads.of(place))
        .collect()
}
