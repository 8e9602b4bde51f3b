//! The errors of a read: for a chip, or for a device of which only the retry steps are known.

use serde::{Deserialize, Serialize};

use super::{
    Cells, Condition, CutEffect, Disturb, Drift, Estimates, MergedRead, PageState, Place, ReadAt,
    ReadConstants, ReadTimingTables, TimingCut,
};

/// A page of a read, in its condition.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Page {
    /// Its place, as far as cells differ by it.
    pub place: Place,
    /// Its best voltages and its errors there.
    pub state: PageState,
}

impl Default for Page {
    fn default() -> Self {
        let place = Place { chip: 0, block: 0, layer: 0, page: 0, page_type: 0 };
        Page { place, state: PageState::default() }
    }
}

/// A shorter tPRE and its effect.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PrechargeCut {
    /// Fraction of tPRE.
    pub fraction: f32,
    /// Errors that it adds.
    pub(super) effect: CutEffect,
}

/// The read side of the device.
#[derive(Clone, Debug)]
pub struct ReadModel {
    /// `None` if every page takes the same retry steps.
    chip: Option<ChipReads>,
    steps: u8,
}

#[derive(Clone, Debug)]
struct ChipReads {
    cells: Cells,
    estimates: Estimates,
    drift: Drift,
    disturb: Disturb,
    /// Drift of the page with the least drift, as a fraction of the mean.
    least: f64,
    /// The ways in which pages of merged wordlines are read.
    merges: Vec<MergedRead>,
}

/// Errors in a 1-KiB codeword beside the step that decodes, on a device without a chip: more than any code corrects.
const ALL_WRONG_BITS: f32 = 1e6;
/// Drift with which every default read fails, steps: one step away from the best voltages, the ECC corrects no page
/// (PR2/AR2, Fig. 4b).
const BORNE_STEPS: f64 = 1.0;
/// Blocks of a chip, and pages of each, that profile its read-timing table. A test at the factory has time for a small
/// part of all pages (the numbers are a guess).
const PROFILED: (u32, u32) = (32, 32);

/// The pages of a die that profile its read-timing table: block of the device, and page of the block. Where a die has
/// fewer blocks or pages than are asked for, some come more than once.
pub fn profiled_pages(
    die: u32,
    blocks_per_die: u32,
    pages_per_block: u32,
) -> impl Iterator<Item = (u32, u32)> {
    let (blocks, pages) = PROFILED;
    (0..blocks * pages).map(move |i| {
        // A stride that meets pages of all types and layers.
        let block = die * blocks_per_die + i / pages * (blocks_per_die / blocks).max(1) % blocks_per_die;
        (block, i * 7 % pages_per_block)
    })
}

impl ReadModel {
    /// Builds the model of a chip with `[read]` constants.
    #[must_use]
    pub fn of_chip(constants: &ReadConstants, cells: Cells, seed: u64) -> ReadModel {
        let chip = ChipReads {
            estimates: Estimates::new(&constants.estimates, cells.table_steps(), seed),
            drift: Drift::new(&constants.drift),
            disturb: Disturb::new(&constants.disturb),
            least: 1.0 - constants.drift.spread,
            merges: Vec::new(),
            cells,
        };
        ReadModel { chip: Some(chip), steps: 0 }
    }

    /// Builds a model in which every page takes this many retry steps.
    #[must_use]
    pub fn with_steps(steps: u8) -> ReadModel {
        ReadModel { chip: None, steps }
    }

    /// With wordlines that may be merged in these ways.
    #[must_use]
    pub fn with_merges(mut self, merges: Vec<MergedRead>) -> ReadModel {
        if let Some(chip) = &mut self.chip {
            chip.merges = merges;
        }
        self
    }

    /// Entries of the retry table.
    #[must_use]
    pub fn table_steps(&self) -> u8 {
        self.chip.as_ref().map_or(100, |chip| chip.cells.table_steps())
    }

    /// Errors of a 1-KiB codeword from reads of its block since the last erase, bits.
    #[must_use]
    pub fn disturb_bits(&self, stress: f32, reads: u32) -> f32 {
        self.chip.as_ref().map_or(0.0, |chip| chip.disturb.bits(f64::from(stress), reads) as f32)
    }

    /// A page of a block in its condition.
    #[inline]
    #[must_use]
    pub fn page(&self, die: u32, block: u32, page: u32, condition: &Condition) -> Page {
        if let Some(chip) = &self.chip {
            let place = chip.cells.place(die, block, page);
            return Page { place, state: chip.cells.page(place, condition) };
        }
        let mut state = PageState::default();
        state.optimum_steps = f32::from(self.steps);
        Page { place: Place { chip: die, block, layer: page, page, page_type: 0 }, state }
    }

    /// A page of a wordline whose states were merged.
    #[must_use]
    pub fn merged_page(
        &self,
        die: u32,
        block: u32,
        page: u32,
        condition: &Condition,
        merge: MergedRead,
    ) -> Page {
        let Some(chip) = &self.chip else { return self.page(die, block, page, condition) };
        let place = chip.cells.place(die, block, page);
        Page { place, state: chip.cells.merged_page(place, condition, merge) }
    }

    /// A page of the first step of a wordline that has not had its second step.
    #[must_use]
    pub fn page_between_steps(&self, die: u32, block: u32, page: u32, condition: &Condition) -> Page {
        let Some(chip) = &self.chip else { return self.page(die, block, page, condition) };
        let place = chip.cells.place(die, block, page);
        Page { place, state: chip.cells.page_between_steps(place, condition) }
    }

    /// Errors of the page's worst 1-KiB codeword when it is read with these voltages.
    #[inline]
    #[must_use]
    pub fn errors(&self, page: &Page, at: ReadAt, cut: &PrechargeCut) -> f32 {
        match &self.chip {
            Some(chip) => chip.cells.errors(&page.state, at, cut.effect),
            None if (page.state.steps_of(at) - page.state.optimum_steps).abs() < 0.5 => 0.0,
            None => ALL_WRONG_BITS,
        }
    }

    /// The best voltages as estimated from sentinel cells, at additional read `attempt` (from 0).
    #[must_use]
    pub fn sentinel(&self, page: &Page, attempt: u8) -> f32 {
        let exact = page.state.optimum_steps;
        self.chip.as_ref().map_or(exact, |chip| chip.estimates.sentinel(page.place, &page.state, attempt))
    }

    /// The best voltages as estimated by counting cells on the die, at additional read `attempt` (from 0).
    #[must_use]
    pub fn counting(&self, page: &Page, attempt: u8) -> f32 {
        let exact = page.state.optimum_steps;
        self.chip.as_ref().map_or(exact, |chip| chip.estimates.counting(page.place, &page.state, attempt))
    }

    /// Returns true if a block's stress and age imply that even the page with the least drift needs a retry.
    #[must_use]
    pub fn expects_failure(&self, stress: f32, months: f32) -> bool {
        match &self.chip {
            Some(chip) => {
                chip.least * chip.drift.mean_steps(f64::from(stress), f64::from(months)) >= BORNE_STEPS
            }
            None => self.steps > 0,
        }
    }

    /// A cut of tPRE and its effect.
    #[must_use]
    pub fn cut(&self, fraction: f32) -> PrechargeCut {
        let effect = self
            .chip
            .as_ref()
            .map_or(CutEffect::NONE, |chip| chip.cells.cut(TimingCut::precharge(f64::from(fraction))));
        PrechargeCut { fraction, effect }
    }

    /// The read-timing parameter tables (RPT) that profiling each of `dies` chips gives, for a code that corrects so many
    /// bits of 1 KiB; nothing without a chip.
    #[must_use]
    pub fn timing_tables(
        &self,
        capability_bits: f32,
        dies: u32,
        blocks_per_die: u32,
        pages_per_block: u32,
    ) -> Option<ReadTimingTables> {
        let chip = self.chip.as_ref()?;
        let sample = |die| {
            profiled_pages(die, blocks_per_die, pages_per_block)
                .map(move |(block, page)| chip.cells.place(die, block, page))
        };
        Some(ReadTimingTables::profile(&chip.cells, dies, sample, capability_bits, &chip.merges))
    }
}
