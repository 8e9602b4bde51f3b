//! How large the mapping table and its journal are.

use super::Config;

/// Fewest units of a journal: the one that is written, and the one before, which is needed until the pieces of the table that
/// came with it are on flash.
const RING_MIN_UNITS: u32 = 2;
/// A table of fewer units is not shared out: its journal has the fewest units, also with the default share.
const TABLE_SHARED_UNITS: u64 = 4;

impl Config {
    /// Mapping units that the mapping table takes.
    #[must_use]
    pub fn table_units(&self) -> u64 {
        let entries = (self.unit_bytes() / self.ftl.entry_bytes).max(1);
        self.host_units().div_ceil(entries.into())
    }

    /// Mapping units of the ring of its journal.
    #[must_use]
    pub fn ring_units(&self) -> u32 {
        ((self.table_units() as f64 * self.journal.share).ceil() as u32).max(RING_MIN_UNITS)
    }

    /// Units that are programmed for each that GC moves: the unit, its entry in the journal, and its share of the pieces of the
    /// table that go to the checkpoint meanwhile. At worst each entry is of another piece.
    pub(super) fn units_of_move(&self) -> f64 {
        let entries_of_unit = f64::from(self.unit_bytes() / self.journal.entry_bytes);
        let entries_of_ring = f64::from(self.ring_units()) * entries_of_unit;
        1.0 + 1.0 / entries_of_unit + (self.table_units() as f64 / entries_of_ring).min(1.0)
    }

    /// The least share of the table that its journal can be, as a text; `None` where it is as much.
    pub(super) fn journal_share_min(&self) -> Option<String> {
        let least = 1.0 / self.table_units().max(TABLE_SHARED_UNITS) as f64;
        if self.journal.share >= least {
            return None;
        }
        // Up to the next number of two digits.
        let (mut decimals, mut step) = (2, 0.01);
        while step * 10.0 > least {
            (decimals, step) = (decimals + 1, step / 10.0);
        }
        Some(format!("{:.decimals$}", (least / step).ceil() * step))
    }
}
