//! The erase-timing parameter table (AERO, Section 6 and Table 1): how long the next pulse has to be, by
//! the loop it belongs to and the fail bits that the one before left.

/// Fail-bit ranges of a row: up to gamma, up to delta, 2 delta … 7 delta.
pub const RANGES: usize = 8;

/// Most loops that a table has rows for.
pub const LOOPS_MAX: usize = 7;

/// Which of the two times of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Time {
    /// t1: the block is erased completely.
    Complete,
    /// t2: as much is left as ECC can bear.
    WithMargin,
}

/// The table. Times are in 0.5-ms pulses; profiling the cells makes it (`EraseCells::profile`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ept {
    /// gamma, the upper end of the first range, bitlines.
    pub gamma: u32,
    /// delta, the upper end of the second range and the width of all further ones, bitlines.
    pub delta: u32,
    /// Rows that are in use.
    pub loops: u8,
    /// Different pulse lengths: T in the paper.
    pub lengths: u8,
    /// t1 by loop and range.
    pub complete: [[u8; RANGES]; LOOPS_MAX],
    /// t2 by loop and range.
    pub with_margin: [[u8; RANGES]; LOOPS_MAX],
    /// Ranges, by loop, that may be left as they are: 0 none, 1 up to gamma, 2 up to delta, 3 up to 2 delta …
    pub left: [u8; LOOPS_MAX],
}

impl Ept {
    /// The range that a fail-bit count is in; beyond the last one counts as the last.
    #[must_use]
    pub fn range(&self, fail_bits: u32) -> usize {
        if fail_bits <= self.gamma {
            return 0;
        }
        (fail_bits.div_ceil(self.delta.max(1)) as usize).min(RANGES - 1)
    }

    /// F_HIGH: fail bits beyond which a pulse has its full length (Section 4).
    #[must_use]
    pub fn high(&self) -> u32 {
        (RANGES as u32 - 1) * self.delta
    }

    /// Length of the pulse of a loop (from 1; after shallow erasure the rest of loop 1), in 0.5-ms pulses,
    /// of which a full one has `full`.
    #[must_use]
    pub fn pulses(&self, row: u8, fail_bits: u32, time: Time, full: u8) -> u8 {
        if fail_bits > self.high() {
            return full;
        }
        let pulses = self.cell(row, fail_bits, time);
        pulses.clamp(1, full)
    }

    fn cell(&self, row: u8, fail_bits: u32, time: Time) -> u8 {
        let row = usize::from(row.clamp(1, self.loops.max(1)) - 1);
        match time {
            Time::Complete => self.complete[row][self.range(fail_bits)],
            Time::WithMargin => self.with_margin[row][self.range(fail_bits)],
        }
    }

    /// True where a block with so many fail bits may be left as it is.
    #[must_use]
    pub fn accepts(&self, row: u8, fail_bits: u32, pass: u32, time: Time) -> bool {
        if fail_bits <= pass {
            return true;
        }
        time == Time::WithMargin && fail_bits <= self.most_left(row)
    }

    /// The most fail bits that may be left before a loop (from 1) where ECC makes up for them.
    #[must_use]
    pub fn most_left(&self, row: u8) -> u32 {
        match self.left[usize::from(row.clamp(1, self.loops.max(1)) - 1)] {
            0 => 0,
            1 => self.gamma,
            n => u32::from(n - 1) * self.delta,
        }
    }

    /// Entries as the paper counts them (Section 6): pulse lengths times loops.
    #[must_use]
    pub fn entries(&self) -> usize {
        usize::from(self.lengths) * usize::from(self.loops)
    }

    /// What the table takes in the controller's memory, at 32 bits an entry.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.entries() * size_of::<u32>()
    }
}

/// What the shallow-erasure flags take, bytes: one bit a block (AERO, Section 6).
#[must_use]
pub fn shallow_flags_bytes(capacity_bytes: u64, block_bytes: u64) -> u64 {
    capacity_bytes.div_ceil(block_bytes).div_ceil(8)
}
