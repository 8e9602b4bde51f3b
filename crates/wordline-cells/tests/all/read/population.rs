//! The chips of PR2/AR2, Section 4: 160 of them, some blocks of each, every page.

use wordline_cells::Chip;
use wordline_cells::read::{Cells, Condition, PageState, Place, ReadConstants, Spread};

/// Chips that the paper tested.
pub const CHIPS: u32 = 160;
/// Blocks of each that a test here takes: with them 1.0 million pages.
pub const BLOCKS: u32 = 11;
/// Blocks of each that the paper took: 11.1 million pages.
pub const ALL_BLOCKS: u32 = 120;
/// Pages of a block (PR2/AR2, Section 7.1).
pub const PAGES: u32 = 576;
/// What the ECC corrects in a 1-KiB codeword.
pub const CAPABILITY: f32 = 72.0;

pub const SEED: u64 = 42;

pub fn chip() -> Chip {
    Chip::built_in("tlc-48l").expect("a chip of ours").expect("it reads")
}

pub fn constants() -> ReadConstants {
    chip().read.expect("it says what a read finds")
}

pub fn cells() -> Cells {
    let chip = chip();
    Cells::new(&constants(), chip.cell, chip.geometry.layers, PAGES, SEED)
}

/// Every page of a population.
pub fn places(cells: &Cells, blocks_per_chip: u32) -> impl Iterator<Item = Place> + '_ {
    let blocks = (0..CHIPS)
        .flat_map(move |chip| (0..blocks_per_chip).map(move |block| (chip, chip * blocks_per_chip + block)));
    blocks.flat_map(move |(chip, block)| (0..PAGES).map(move |page| cells.place(chip, block, page)))
}

/// What sets each page of the population apart.
pub fn spreads(blocks_per_chip: u32) -> Vec<Spread> {
    let cells = cells();
    places(&cells, blocks_per_chip).map(|place| cells.spreads().of(place)).collect()
}

pub fn condition(stress: f32, months: f32, temperature_c: f32) -> Condition {
    Condition { stress, months, temperature_c, ..Condition::default() }
}

/// Largest of a number over the population.
pub fn largest(cells: &Cells, condition: &Condition, of: impl Fn(&PageState) -> f32) -> f32 {
    places(cells, BLOCKS).map(|place| of(&cells.page(place, condition))).fold(f32::MIN, f32::max)
}
