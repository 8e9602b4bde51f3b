//! How close PSO, SENC and SWR start (PR2/AR2, Sections 3.1 and 9): what is left of the walk through the
//! retry table.

use super::read::Bench;
use crate::nand::cells::read::{Condition, CutEffect, Estimates, PageState};

/// Reads after which a search for the best voltages is given up.
const MOST_READS: u8 = 20;

/// Means over the pages of a sample.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StartingPoints {
    /// Retry steps from the default voltages.
    pub table_steps: f64,
    /// Retry steps from a similar word line's voltages (PSO).
    pub similar_steps: f64,
    /// Fewest of those among the pages that take three steps or more from the default voltages.
    pub similar_least_steps: f64,
    /// Further reads with sentinel cells (SENC).
    pub sentinel_reads: f64,
    /// Further reads with counting in the chip (SWR).
    pub counting_reads: f64,
}

/// What each way to start leaves to do; `None` for a sample without pages.
#[must_use]
pub fn starting_points(
    bench: &Bench<'_>,
    estimates: &Estimates,
    condition: Condition,
) -> Option<StartingPoints> {
    let mut sum = StartingPoints { similar_least_steps: f64::INFINITY, ..StartingPoints::default() };
    let mut pages = 0.0;
    for place in bench.places() {
        let page = bench.cells.page(place, &condition);
        let steps = f64::from(page.step());
        let similar = steps - f64::from(estimates.similar_word_line(place, &page));
        if steps >= 3.0 {
            sum.similar_least_steps = sum.similar_least_steps.min(similar);
        }
        sum.table_steps += steps;
        sum.similar_steps += similar;
        sum.sentinel_reads += reads(bench, &page, |attempt| estimates.sentinel(place, &page, attempt));
        sum.counting_reads += reads(bench, &page, |attempt| estimates.counting(place, &page, attempt));
        pages += 1.0;
    }
    (pages > 0.0).then(|| StartingPoints {
        table_steps: sum.table_steps / pages,
        similar_steps: sum.similar_steps / pages,
        similar_least_steps: sum.similar_least_steps,
        sentinel_reads: sum.sentinel_reads / pages,
        counting_reads: sum.counting_reads / pages,
    })
}

/// Reads at the positions of `next` until the errors fit the ECC.
fn reads(bench: &Bench<'_>, page: &PageState, next: impl Fn(u8) -> f32) -> f64 {
    let fits =
        |attempt: &u8| bench.cells.errors(page, next(*attempt), CutEffect::NONE) <= bench.capability_bits;
    f64::from(1 + (0..MOST_READS).find(fits).unwrap_or(MOST_READS))
}
