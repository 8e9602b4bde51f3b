//! Read errors over a sample of pages of many chips, as measured in PR2/AR2, Sections 3 to 5.
//!
//! Every function goes through the sample once and returns plain numbers; its name says what they are indexed by.
//! Conditions are cycles of stress, months at 30 C and degrees Celsius.

use crate::read::{
    Cells, Condition, CutEffect, MONTH_DAYS, PageState, Place, Profile, ReadAt, ReadTimingTable, TimingCut,
};

/// The pages under test: every page of some blocks on each of some chips.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageSample {
    /// Chips. PR2/AR2: 160.
    pub chips: u32,
    /// Blocks per chip. PR2/AR2: 120.
    pub blocks: u32,
    /// Pages per block.
    pub pages: u32,
}

/// The setup of a test: cells, pages, and the capability of the ECC.
#[derive(Clone, Copy, Debug)]
pub struct Bench<'a> {
    /// The cells.
    pub cells: &'a Cells,
    /// The pages.
    pub sample: PageSample,
    /// Errors that the ECC corrects in a 1-KiB codeword.
    pub capability_bits: f32,
}

/// A condition without residual stress of incomplete erases.
fn condition(cycles: f64, months: f64, temperature_c: f64) -> Condition {
    Condition {
        stress: cycles as f32,
        months: months as f32,
        temperature_c: temperature_c as f32,
        ..Condition::default()
    }
}

impl Bench<'_> {
    pub(super) fn places(&self) -> impl Iterator<Item = Place> + '_ {
        let PageSample { chips, blocks, pages } = self.sample;
        let block = move |chip| (0..blocks).map(move |block| (chip, chip * blocks + block));
        let page = move |(chip, block)| (0..pages).map(move |page| self.cells.place(chip, block, page));
        (0..chips).flat_map(block).flat_map(page)
    }

    fn states(&self, condition: Condition) -> impl Iterator<Item = PageState> + '_ {
        self.places().map(move |place| self.cells.page(place, &condition))
    }

    /// The share of pages by number of retry steps: one row for each retention age (PR2/AR2, Fig. 5). The last number
    /// of a row is the share of pages that no step can read.
    #[must_use]
    pub fn retry_steps_by_months(&self, cycles: f64, months: &[f64], temperature_c: f64) -> Vec<Vec<f64>> {
        let entries = usize::from(self.cells.table_steps()) + 1;
        let row = |&months: &f64| {
            let mut counts = vec![0u64; entries + 1];
            for page in self.states(condition(cycles, months, temperature_c)) {
                let steps = self.cells.retry_steps(&page, self.capability_bits, CutEffect::NONE);
                counts[steps.map_or(entries, usize::from)] += 1;
            }
            let pages = counts.iter().sum::<u64>().max(1) as f64;
            counts.into_iter().map(|count| count as f64 / pages).collect()
        };
        months.iter().map(row).collect()
    }

    /// M_ERR, the most errors of any page at the step closest to its best voltages, with each of the given timing cuts
    /// (PR2/AR2, Fig. 7 to 10).
    #[must_use]
    pub fn m_err_by_cut(&self, cycles: f64, months: f64, temperature_c: f64, cuts: &[TimingCut]) -> Vec<f64> {
        let effects: Vec<_> = cuts.iter().map(|&cut| self.cells.cut(cut)).collect();
        let mut most = vec![0.0f64; cuts.len()];
        for page in self.states(condition(cycles, months, temperature_c)) {
            for (most, &effect) in most.iter_mut().zip(&effects) {
                *most = most.max(f64::from(self.cells.errors(&page, page.near_optimal(), effect)));
            }
        }
        most
    }

    /// M_RBER by cycles: the errors of the worst page of each block, averaged over the blocks (AERO, Fig. 13, for plain
    /// ISPE).
    #[must_use]
    pub fn m_rber_by_cycles(&self, cycles: &[f64], months: f64, temperature_c: f64) -> Vec<f64> {
        let mean = |&cycles: &f64| {
            let condition = condition(cycles, months, temperature_c);
            let (mut sum, mut worst) = (0.0, 0.0f64);
            for (i, page) in self.states(condition).enumerate() {
                worst = worst.max(f64::from(self.cells.errors(&page, page.near_optimal(), CutEffect::NONE)));
                if (i + 1) % self.sample.pages as usize == 0 {
                    sum += worst;
                    worst = 0.0;
                }
            }
            sum / f64::from(self.sample.chips * self.sample.blocks)
        };
        cycles.iter().map(mean).collect()
    }

    /// The table of safe cuts of tPRE, by cycles and months (PR2/AR2, Fig. 11).
    #[must_use]
    pub fn timing_table(&self, profile: &Profile) -> ReadTimingTable {
        ReadTimingTable::profile(self.cells, self.places(), profile, |cycles| cycles as f32)
    }

    /// The errors in the last `count` retry steps of the first page that needs `steps` of them; the last step succeeds.
    /// `None` if no page of the sample needs so many (PR2/AR2, Fig. 4b).
    #[must_use]
    pub fn errors_in_last_steps(
        &self,
        steps: u8,
        count: u8,
        cycles: f64,
        months: f64,
        temperature_c: f64,
    ) -> Vec<f64> {
        let found = self.states(condition(cycles, months, temperature_c)).find(|page| page.step() == steps);
        let errors = |page: PageState| {
            let first = (steps + 1).saturating_sub(count);
            let at = |step| f64::from(self.cells.errors(&page, ReadAt::Entry(step), CutEffect::NONE));
            (first..=steps).map(at).collect()
        };
        found.map(errors).unwrap_or_default()
    }

    /// Days until the first page of the sample needs a retry, by cycles; infinite if no page does within 1,000 days
    /// (RiF).
    #[must_use]
    pub fn first_retry_days(&self, cycles: &[f64]) -> Vec<f64> {
        // The page with the most errors at the default voltages, at an age at which the first pages fail with them.
        let early = condition(0.0, 0.6, 30.0);
        let errors =
            |place| self.cells.errors(&self.cells.page(place, &early), ReadAt::Entry(0), CutEffect::NONE);
        let soonest = self
            .places()
            .map(|place| (errors(place), place))
            .max_by(|a, b| a.0.total_cmp(&b.0))
            .map(|(_, place)| place)
            .expect("a sample with pages");
        let retries = |cycles, tenths: &u32| {
            let condition = condition(cycles, f64::from(*tenths) / (10.0 * MONTH_DAYS), 30.0);
            let page = self.cells.page(soonest, &condition);
            self.cells.retry_steps(&page, self.capability_bits, CutEffect::NONE) != Some(0)
        };
        let days = |&cycles: &f64| {
            (0..10_000).find(|tenths| retries(cycles, tenths)).map_or(f64::INFINITY, |t| f64::from(t) / 10.0)
        };
        cycles.iter().map(days).collect()
    }

    /// Mean number of further reads of the pages whose first read fails; `None` if none fails. `estimate` gives the
    /// position of each further read from the place, the page and the number of the read.
    #[must_use]
    pub fn further_reads(
        &self,
        cycles: f64,
        months: f64,
        temperature_c: f64,
        estimate: impl Fn(Place, &PageState, u8) -> f32,
    ) -> Option<f64> {
        let condition = condition(cycles, months, temperature_c);
        let (mut sum, mut failed) = (0u64, 0u64);
        for place in self.places() {
            let page = self.cells.page(place, &condition);
            let fits = |at| self.cells.errors(&page, at, CutEffect::NONE) <= self.capability_bits;
            if fits(ReadAt::Entry(0)) {
                continue;
            }
            failed += 1;
            let reads = (0..u8::MAX).find(|&nth| fits(ReadAt::Steps(estimate(place, &page, nth))));
            sum += u64::from(reads.unwrap_or(u8::MAX)) + 1;
        }
        (failed > 0).then(|| sum as f64 / failed as f64)
    }

    /// Raw bit error rate of a page's mean codeword, over the sample, at some quantiles (0 best, 1 worst),
    /// when it is read `behind_steps` short of its best voltages.
    #[must_use]
    pub fn rber_quantiles(
        &self,
        cycles: f64,
        months: f64,
        temperature_c: f64,
        behind_steps: f64,
        quantiles: &[f64],
    ) -> Vec<f64> {
        let position = |page: &PageState| ReadAt::Steps(page.optimum_steps - behind_steps as f32);
        let mut rates: Vec<f64> = self
            .states(condition(cycles, months, temperature_c))
            .map(|page| self.cells.errors(&page, position(&page), CutEffect::NONE))
            .map(|bits| crate::read::mean_rber(f64::from(bits)))
            .collect();
        rates.sort_by(f64::total_cmp);
        let last = rates.len().saturating_sub(1) as f64;
        quantiles.iter().map(|q| rates[(q.clamp(0.0, 1.0) * last + 0.5) as usize]).collect()
    }
}
