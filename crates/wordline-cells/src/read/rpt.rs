//! The read-timing parameter table of AR2 (PR2/AR2, Section 6.2): by P/E cycles and retention, the deepest cut of tPRE
//! that leaves a safety margin at the step that succeeds. Profiling pages of the model gives the table, as a
//! manufacturer profiles chips.

use super::MergedRead;
use super::page::{Cells, Condition, PageState};
use super::place::Place;
use super::timing_cut::{CutEffect, TimingCut};

/// The settings of the profiling.
#[derive(Clone, Debug, PartialEq)]
pub struct Profile {
    /// Upper ends of the table cells' ranges of P/E cycles, rising.
    pub cycles: Vec<u32>,
    /// Upper ends of the table cells' ranges of retention, months, rising.
    pub months: Vec<f32>,
    /// Cuts of tPRE to choose from, rising, fractions.
    pub cuts: Vec<f64>,
    /// Errors that the ECC corrects in a 1-KiB codeword.
    pub capability_bits: f32,
    /// Safety margin below that: for other temperatures and for pages that were not profiled.
    pub safety_bits: f32,
    /// Temperature of the test, degrees Celsius.
    pub temperature_c: f32,
    /// Errors from incomplete erases in every block (AERO), bits per 1-KiB codeword.
    pub residual_bits: f32,
}

impl Default for Profile {
    /// The paper's settings: 36 cells up to 2,000 cycles and 12 months (it does not say which 36), tPRE cut by up to 60
    /// % on its own grid, at 85 C, 7 + 7 bits of safety.
    fn default() -> Profile {
        Profile {
            cycles: vec![0, 250, 500, 1000, 1500, 2000],
            months: vec![0.0, 1.0, 3.0, 6.0, 9.0, 12.0],
            cuts: vec![0.07, 0.20, 0.27, 0.40, 0.47, 0.54, 0.60],
            capability_bits: 72.0,
            safety_bits: 14.0,
            temperature_c: 85.0,
            residual_bits: 0.0,
        }
    }
}

/// Cuts of tPRE by P/E cycles and retention.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadTimingTable {
    cycles: Vec<u32>,
    months: Vec<f32>,
    /// By cycles, then by months; 0 if no cut is safe.
    cuts: Vec<f32>,
}

/// Pages of the sample with the most errors; every table cell is profiled with them.
const WEAKEST: usize = 64;

/// Errors of the worst page in each cell of a table, with each cut; by cycles, months and cut. `page` gives the states of
/// a place in a condition.
fn worst_bits(
    cells: &Cells,
    weakest: &[Place],
    profile: &Profile,
    stress_of: impl Fn(u32) -> f32,
    page: impl Fn(Place, &Condition) -> Vec<PageState>,
) -> Vec<f32> {
    let effects: Vec<_> = profile.cuts.iter().map(|&cut| cells.cut(TimingCut::precharge(cut))).collect();
    let mut worst = Vec::with_capacity(profile.cycles.len() * profile.months.len() * effects.len());
    for &cycles in &profile.cycles {
        for &months in &profile.months {
            let condition = Condition {
                stress: stress_of(cycles),
                months,
                temperature_c: profile.temperature_c,
                ..Condition::default()
            };
            let pages: Vec<_> = weakest.iter().flat_map(|&place| page(place, &condition)).collect();
            let bits = |&effect: &CutEffect| {
                pages.iter().map(|page| cells.errors(page, page.near_optimal(), effect)).fold(0.0, f32::max)
            };
            worst.extend(effects.iter().map(bits));
        }
    }
    worst
}

/// The deepest cuts that leave the margin if the erase or the program has added errors.
fn table(profile: &Profile, worst_bits: &[f32], added_bits: f32) -> ReadTimingTable {
    let limit = profile.capability_bits - profile.safety_bits - added_bits;
    let deepest = |bits: &[f32]| match bits.iter().take_while(|&&bits| bits <= limit).count() {
        0 => 0.0,
        safe => profile.cuts[safe - 1] as f32,
    };
    ReadTimingTable {
        cycles: profile.cycles.clone(),
        months: profile.months.clone(),
        cuts: worst_bits.chunks(profile.cuts.len()).map(deepest).collect(),
    }
}

impl ReadTimingTable {
    /// Profiles `sample`: finds its weakest pages once, then measures them in every table cell with every cut.
    /// `stress_of` gives the stress of a block after a number of cycles.
    #[must_use]
    pub fn profile(
        cells: &Cells,
        sample: impl Iterator<Item = Place>,
        profile: &Profile,
        stress_of: impl Fn(u32) -> f32,
    ) -> ReadTimingTable {
        let page = |place, condition: &Condition| vec![cells.page(place, condition)];
        let worst = worst_bits(cells, &weakest(cells, sample), profile, stress_of, page);
        table(profile, &worst, profile.residual_bits)
    }

    /// Like [`ReadTimingTable::profile`] for blocks of average stress: one table for each number of errors that the erase
    /// or the program has added. If `merges` are given, the pages are of wordlines that were merged in these ways.
    pub(super) fn by_added_bits(
        cells: &Cells,
        sample: impl Iterator<Item = Place>,
        profile: &Profile,
        added_bits: &[f32],
        merges: &[MergedRead],
    ) -> Vec<ReadTimingTable> {
        let page = |place, condition: &Condition| {
            if merges.is_empty() {
                return vec![cells.page(place, condition)];
            }
            merges.iter().map(|&merge| cells.merged_page(place, condition, merge)).collect()
        };
        let worst = worst_bits(cells, &weakest(cells, sample), profile, |cycles| cycles as f32, page);
        added_bits.iter().map(|&added| table(profile, &worst, added)).collect()
    }

    /// Cut of tPRE for a block, from the next table cell with at least its cycles and months; 0 beyond the last one,
    /// which was not profiled.
    #[inline]
    #[must_use]
    pub fn cut(&self, cycles: u32, months: f32) -> f32 {
        let row = self.cycles.partition_point(|&end| end < cycles);
        let column = self.months.partition_point(|&end| end < months);
        if row == self.cycles.len() || column == self.months.len() {
            return 0.0;
        }
        self.cuts[row * self.months.len() + column]
    }

    /// All cuts, by cycles, then months.
    #[must_use]
    pub fn cuts(&self) -> &[f32] {
        &self.cuts
    }

    /// Upper ends of the table cells' ranges: cycles, and months.
    #[must_use]
    pub fn axes(&self) -> (&[u32], &[f32]) {
        (&self.cycles, &self.months)
    }

    /// Memory of the table cells, bytes: 4 each (PR2/AR2, Section 6.2).
    #[must_use]
    pub fn bytes(&self) -> usize {
        size_of_val(self.cuts.as_slice())
    }
}

/// The pages with the most errors. They are the same in every condition, because errors and the effect of cuts both
/// scale with a page's spread.
fn weakest(cells: &Cells, sample: impl Iterator<Item = Place>) -> Vec<Place> {
    let mut found: Vec<(f32, Place)> = Vec::with_capacity(2 * WEAKEST);
    let mut least = 0.0;
    for place in sample {
        let errors = cells.relative_errors(place);
        if errors > least {
            found.push((errors, place));
        }
        if found.len() == 2 * WEAKEST {
            found.sort_by(|a, b| b.0.total_cmp(&a.0));
            found.truncate(WEAKEST);
            least = found[WEAKEST - 1].0;
        }
    }
    found.sort_by(|a, b| b.0.total_cmp(&a.0));
    found.truncate(WEAKEST);
    found.into_iter().map(|(_, place)| place).collect()
}
