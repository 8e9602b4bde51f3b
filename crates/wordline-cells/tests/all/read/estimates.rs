//! SENC and SWR: how close they start.

use wordline_cells::read::{Cells, CutEffect, Estimates, PageState, Place, ReadAt};

use super::population::{CAPABILITY, SEED, cells, condition, constants, places};

fn estimates() -> Estimates {
    Estimates::new(&constants().estimates, cells().table_steps(), SEED)
}

/// Mean over pages of each chip of a number.
fn mean(stress: f32, months: f32, of: impl Fn(Place, &PageState) -> f64) -> f64 {
    let cells = cells();
    let condition = condition(stress, months, 30.0);
    let (mut sum, mut pages) = (0.0, 0.0);
    for place in places(&cells, 1) {
        sum += of(place, &cells.page(place, &condition));
        pages += 1.0;
    }
    sum / pages
}

/// Reads until one fits, at positions that `next` gives.
fn reads(cells: &Cells, page: &PageState, next: impl Fn(u8) -> f32) -> f64 {
    let fits =
        |attempt: &u8| cells.errors(page, ReadAt::Steps(next(*attempt)), CutEffect::NONE) <= CAPABILITY;
    f64::from(1 + (0..20).find(fits).expect("it finds the voltages"))
}

#[test]
fn sentinel_cells_take_1_2_further_reads_where_the_table_takes_6_6() {
    let (estimates, shared) = (estimates(), cells());
    let steps = mean(0.0, 6.0, |_, page| f64::from(page.step()));
    assert!((steps - 6.6).abs() < 0.2, "the condition: {steps} steps");
    let condition = condition(0.0, 6.0, 30.0);
    let (mut sum, mut pages) = (0.0, 0.0);
    for place in places(&shared, 1).step_by(17) {
        let page = shared.page(place, &condition);
        sum += reads(&shared, &page, |attempt| estimates.sentinel(place, &page, attempt));
        pages += 1.0;
    }
    let further = sum / pages;
    assert!((further - 1.2).abs() < 0.05, "{further} further reads");
}

#[test]
fn counting_in_the_chip_takes_about_one_further_read() {
    let (estimates, shared) = (estimates(), cells());
    for (stress, months) in [(0.0, 6.0), (1000.0, 6.0), (2000.0, 12.0)] {
        let condition = condition(stress, months, 30.0);
        for place in places(&shared, 1).step_by(1009) {
            let page = shared.page(place, &condition);
            let reads = reads(&shared, &page, |attempt| estimates.counting(place, &page, attempt));
            assert!(reads <= 2.0, "{reads} reads");
        }
    }
}
