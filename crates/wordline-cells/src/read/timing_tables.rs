//! The read-timing parameter tables (RPT) of a device, by the errors that faster erases and programs add.
//!
//! AR2 uses the margin that the final retry step leaves (PR2/AR2, Section 5.1). AERO's incomplete erases and OFWAR's
//! fast programs use the same margin, so the table of unaffected blocks would cut too much for them.

use super::{Cells, Place, Profile, ReadTimingTable};

/// Errors of a 1-KiB codeword from one table to the next, and the number of tables. With more errors nothing is
/// shortened.
const GRAIN_BITS: f32 = 8.0;
const TABLES: u8 = 6;

/// Cuts of tPRE by P/E cycles, retention and added errors.
#[derive(Clone, Debug)]
pub struct ReadTimingTables {
    /// By added errors: none, then up to each multiple of the grain.
    tables: Vec<ReadTimingTable>,
}

impl ReadTimingTables {
    /// Profiles `sample` for a code that corrects this many bits of 1 KiB.
    #[must_use]
    pub fn profile(
        cells: &Cells,
        sample: impl Iterator<Item = Place> + Clone,
        capability_bits: f32,
    ) -> ReadTimingTables {
        let table = |level| {
            let profile = Profile {
                // A wider range than the paper's 36 cells, because nothing is shortened beyond the last one.
                cycles: vec![0, 250, 500, 1000, 1500, 2000, 2500, 3000, 4000, 5000],
                months: vec![0.0, 1.0, 3.0, 6.0, 9.0, 12.0, 18.0, 24.0],
                capability_bits,
                residual_bits: f32::from(level) * GRAIN_BITS,
                ..Profile::default()
            };
            ReadTimingTable::profile(cells, sample.clone(), &profile, |cycles| cycles as f32)
        };
        ReadTimingTables { tables: (0..TABLES).map(table).collect() }
    }

    /// Cut of tPRE for a block; 0 if nothing was profiled.
    #[inline]
    #[must_use]
    pub fn cut(&self, cycles: u32, months: f32, added_bits: f32) -> f32 {
        let level = (added_bits / GRAIN_BITS).ceil() as usize;
        self.tables.get(level).map_or(0.0, |table| table.cut(cycles, months))
    }

    /// All cuts.
    pub fn cuts(&self) -> impl Iterator<Item = f32> + '_ {
        self.tables.iter().flat_map(|table| table.cuts().iter().copied())
    }
}
