//! Blocks that are hard to erase have seen more stress after as many cycles: the claims must hold with
//! that spread as well, since a run starts its blocks with it.

use wordline_cells::erase::EraseCells;
use wordline_cells::read::CutEffect;
use wordline_cells::variation::{Purpose, unit};

use super::population::{BLOCKS, SEED, cells, chip, condition, places};

/// Least and most steps, their mean, and M_ERR of the population after cycles under ISPE.
fn after(cycles: u32, months: f32, temperature: f32) -> (u8, u8, f64, f32) {
    let erase = EraseCells::new(&chip().erase.expect("it says how it is erased")).expect("it can be");
    let cells = cells();
    let (mut least, mut most, mut errors, mut sum, mut pages) = (u8::MAX, 0, 0.0f32, 0.0, 0.0);
    let mut block = u32::MAX;
    let mut condition = condition(0.0, months, temperature);
    for place in places(&cells, BLOCKS) {
        if place.block != block {
            block = place.block;
            let hardness = unit(SEED, u64::from(block), Purpose::BlockHardness);
            condition.stress = erase.stress.stress(f64::from(cycles), hardness) as f32;
        }
        let page = cells.page(place, &condition);
        least = least.min(page.step());
        most = most.max(page.step());
        errors = errors.max(cells.errors(&page, page.near_optimal(), CutEffect::NONE));
        sum += f64::from(page.step());
        pages += 1.0;
    }
    (least, most, sum / pages, errors)
}

#[test]
fn claims_hold_where_hard_blocks_have_seen_more_stress() {
    let (least, ..) = after(1000, 3.0, 85.0);
    assert!(least >= 8, "pnar2.retry.1k_3mo.min: {least}");
    assert!(after(2000, 0.0, 85.0).1 >= 1, "pnar2.retry.zero_retention");
    let (.., errors) = after(1000, 12.0, 85.0);
    assert!((errors - 30.0).abs() <= 1.0, "pnar2.merr.1k_12mo_85c: {errors}");
    let (_, _, mean, errors) = after(2000, 12.0, 85.0);
    assert!((mean - 19.9).abs() <= 0.4, "pnar2.retry.2k_12mo.mean: {mean}");
    assert!((errors - 35.0).abs() <= 1.0, "pnar2.merr.2k_12mo_85c: {errors}");
    let (.., errors) = after(2000, 12.0, 30.0);
    assert!((errors - 40.0).abs() <= 1.0, "pnar2.merr.2k_12mo_30c: {errors}");
}
