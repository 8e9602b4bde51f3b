//! The read-timing parameter tables (RPT) of a device: one for each chip, profiled on some of that chip's pages. A
//! shortened retry can fail on pages that were not profiled.
//!
//! AR2 uses the margin that the final retry step leaves (PR2/AR2, Section 5.1). AERO's incomplete erases and OFWAR's
//! fast programs use the same margin, and IDA's merged wordlines have more cells close to each reference, so the table of
//! unaffected blocks would cut too much for them.

use super::{Cells, MergedRead, Place, Profile, ReadTimingTable};

/// Errors of a 1-KiB codeword from one level of added errors to the next, and how many levels there are: with more errors
/// nothing is shortened. One of eight cuts for each level fits into the four bytes that a cell has (Section 6.2).
const GRAIN_BITS: f32 = 8.0;
const LEVELS: u8 = 6;

/// Cuts of tPRE by chip, P/E cycles, retention and added errors.
#[derive(Clone, Debug)]
pub struct ReadTimingTables {
    /// By chip, then by added errors: none, then up to each multiple of the grain.
    tables: Vec<ReadTimingTable>,
    /// The same for merged wordlines; empty if there are none.
    merged: Vec<ReadTimingTable>,
}

impl ReadTimingTables {
    /// Profiles the pages that `sample` gives of each of `chips` chips, for a code that corrects so many bits of 1 KiB,
    /// and wordlines that were merged in the ways of `merges`.
    pub fn profile<I: Iterator<Item = Place>>(
        cells: &Cells,
        chips: u32,
        sample: impl Fn(u32) -> I,
        capability_bits: f32,
        merges: &[MergedRead],
    ) -> ReadTimingTables {
        let profile = Profile {
            // The paper's 36 cells, spread over the life of a chip. Reads beyond the last cell are not shortened.
            cycles: vec![250, 1000, 1500, 2000, 3000, 5000],
            months: vec![1.0, 3.0, 6.0, 9.0, 12.0, 24.0],
            capability_bits,
            ..Profile::default()
        };
        let added: Vec<f32> = (0..LEVELS).map(|level| f32::from(level) * GRAIN_BITS).collect();
        let of_chips = |merges: &[MergedRead]| -> Vec<ReadTimingTable> {
            let of_chip =
                |chip| ReadTimingTable::by_added_bits(cells, sample(chip), &profile, &added, merges);
            (0..chips).flat_map(of_chip).collect()
        };
        let merged = if merges.is_empty() { Vec::new() } else { of_chips(merges) };
        ReadTimingTables { tables: of_chips(&[]), merged }
    }

    /// Cut of tPRE for a page of a chip; 0 where nothing was profiled.
    #[inline]
    #[must_use]
    pub fn cut(&self, chip: u32, cycles: u32, months: f32, added_bits: f32, is_merged: bool) -> f32 {
        let level = (added_bits / GRAIN_BITS).ceil() as usize;
        if level >= usize::from(LEVELS) {
            return 0.0;
        }
        let tables = if is_merged { &self.merged } else { &self.tables };
        let table = tables.get(chip as usize * usize::from(LEVELS) + level);
        table.map_or(0.0, |table| table.cut(cycles, months))
    }

    /// All cuts.
    pub fn cuts(&self) -> impl Iterator<Item = f32> + '_ {
        self.tables.iter().chain(&self.merged).flat_map(|table| table.cuts().iter().copied())
    }
}
