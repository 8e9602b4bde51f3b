//! What reads find in blocks that were programmed fast.

use super::Nand;
use crate::config::{Config, Layer, resolve};
use crate::engine::Ns;
use crate::flash::Speed;
use wordline_cells::erase::EraseOutcome;

/// Nanoseconds in a day.
const DAY_NS: Ns = 86_400_000_000_000;

fn device() -> Config {
    let settings = ["cells.chip=tlc-48l", "coding.cell=tlc", "program.policy=ofwar", "reliability.pec=1000"];
    resolve(&settings.map(|s| Layer::assignment(s).unwrap())).unwrap().config
}

#[test]
fn pages_programmed_fast_take_more_retries_until_their_block_is_erased() {
    let config = device();
    let mut nand = Nand::new(&config);
    let pages = nand.geometry.pages_per_block;
    let steps = |nand: &Nand, block: u32, now| -> f32 {
        (0..pages).map(|page| nand.page(block * pages + page, 0, now).state.optimum_steps).sum::<f32>()
            / pages as f32
    };
    let floor = |nand: &Nand, block: u32| nand.page(block * pages, 0, 0).state.floor_bits;
    let cut = |nand: &Nand, block| {
        let tables = nand.reads.timing_tables(72.0, 1, 16, pages).unwrap();
        // Old data: young ones leave room for the largest cut at either speed.
        tables.cut(0, 1000, 11.0, nand.added_bits(block), false)
    };
    for page in 0..pages {
        nand.programmed(nand.geometry.address(page), Speed::Normal, 0);
    }
    let (normal, plain_cut) = (steps(&nand, 0, 2 * DAY_NS), cut(&nand, 0));
    let plain_floor = floor(&nand, 0);
    nand.erased(0, &EraseOutcome { stress: 0.0, ..EraseOutcome::default() });
    for page in 0..pages {
        nand.programmed(nand.geometry.address(page), Speed::Fast, 0);
    }
    let fast = steps(&nand, 0, 2 * DAY_NS);
    assert!(normal < 1.0 && fast > normal + 2.0, "{normal} and {fast} steps after two days");
    assert!(floor(&nand, 0) > plain_floor + 5.0 && cut(&nand, 0) < plain_cut);
    nand.erased(0, &EraseOutcome { stress: 0.0, ..EraseOutcome::default() });
    nand.programmed(nand.geometry.address(0), Speed::Normal, 0);
    assert_eq!(floor(&nand, 0), plain_floor);
}
