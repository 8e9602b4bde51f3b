//! The retry steps of a page after six months, and those of every page type of its block.

use wordline_cells::read::{Cells, Condition, CutEffect};
use wordline_cells::{Chip, ConfigError};

const PAGES_PER_BLOCK: u32 = 576;
/// What the ECC corrects in 1 KiB (PR2/AR2, Section 7.1).
const CAPABILITY_BITS: f32 = 72.0;

fn main() -> Result<(), ConfigError> {
    let chip = Chip::built_in("tlc-48l").expect("it comes with Wordline")?;
    let read = chip.read.expect("its reads are known");
    let cells = Cells::new(&read, chip.cell, chip.geometry.layers, PAGES_PER_BLOCK, 1);
    // After 1,000 P/E cycles under plain ISPE.
    let condition = Condition { stress: 1000.0, months: 6.0, temperature_c: 30.0, ..Condition::default() };
    let steps_of = |page| {
        let page = cells.page(cells.place(0, 7, page), &condition);
        cells.retry_steps(&page, CAPABILITY_BITS, CutEffect::NONE)
    };
    match steps_of(100) {
        Some(steps) => println!("page 100 of block 7 on chip 0 decodes at retry step {steps}"),
        None => println!("page 100 of block 7 on chip 0 does not decode at any step"),
    }
    for (page_type, name) in ["LSB", "CSB", "MSB"].into_iter().enumerate() {
        let steps: Vec<u8> = (page_type as u32..PAGES_PER_BLOCK).step_by(3).filter_map(steps_of).collect();
        let mean = steps.iter().copied().map(f64::from).sum::<f64>() / steps.len() as f64;
        let (least, most) = (steps.iter().min().unwrap_or(&0), steps.iter().max().unwrap_or(&0));
        println!("{name} pages of the block: {least} to {most} steps, {mean:.1} on average");
    }
    Ok(())
}
