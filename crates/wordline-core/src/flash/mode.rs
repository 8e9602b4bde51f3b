//! Modes of a block: how many bits its cells store, and what follows from that.
//!
//! A block of a chip with several bits a cell can also store fewer, with fewer pages and shorter times. Page and block
//! numbers stay those of the chip's own mode: of a block in another one only the first pages are used.

use std::ops::Index;

use serde::{Deserialize, Serialize};

use crate::engine::Ns;
use wordline_cells::PageNumbers;

/// The number of a mode.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModeId(u8);

impl ModeId {
    /// The chip's own.
    pub const NATIVE: ModeId = ModeId(0);
    /// One bit a cell, where there is an SLC cache.
    pub const SLC: ModeId = ModeId(1);
    /// Bits that hold the number.
    pub(super) const BITS: u32 = 2;

    /// The mode of a number that [`ModeId::BITS`] hold.
    #[inline(always)]
    pub(super) fn from_bits(bits: u32) -> ModeId {
        ModeId(bits as u8)
    }

    /// Its place in what is kept by mode.
    #[inline(always)]
    #[must_use]
    pub fn place(self) -> usize {
        self.0.into()
    }

    /// True for the chip's own.
    #[inline(always)]
    #[must_use]
    pub fn is_native(self) -> bool {
        self == ModeId::NATIVE
    }
}

/// How a block stores bits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BlockMode {
    /// Pages of a block.
    pub pages_per_block: u32,
    /// Its pages by their wordlines.
    pub in_block: PageNumbers,
    /// tR by page type, ns.
    pub sense_by_type: [Ns; 4],
    /// tPROG by page type, ns.
    pub program_by_type: [Ns; 4],
    /// tPROG of a whole wordline, ns, where that is programmed at once; without it as its pages one after the other.
    pub program_wordline: Option<Ns>,
    /// tBERS of an erase in one piece, ns.
    pub erase: Ns,
    /// Wear of a P/E cycle, in cycles of the chip's own mode.
    pub wear: f32,
    /// Its pages have the errors of the chip's model. Otherwise they decode as they are sensed first.
    pub has_errors: bool,
}

/// All modes of a drive's blocks, the chip's own first.
#[derive(Clone, Debug, PartialEq)]
pub struct BlockModes {
    /// As many as there are numbers, so that none is out of bounds; those beyond `count` are the chip's own.
    modes: [BlockMode; MODES_MAX],
    count: usize,
}

/// Modes that numbers tell apart.
const MODES_MAX: usize = 1 << ModeId::BITS;

impl BlockModes {
    /// The chip's own mode alone.
    #[must_use]
    pub fn of_chip(native: BlockMode) -> BlockModes {
        BlockModes { modes: [native; MODES_MAX], count: 1 }
    }

    /// Adds a mode.
    ///
    /// # Panics
    /// There are more modes than numbers.
    pub fn add(&mut self, mode: BlockMode) -> ModeId {
        assert!(self.count < MODES_MAX, "few modes");
        self.modes[self.count] = mode;
        self.count += 1;
        ModeId(self.count as u8 - 1)
    }

    /// The chip's own.
    #[must_use]
    pub fn native(&self) -> &BlockMode {
        &self.modes[0]
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &BlockMode> {
        self.modes[..self.count].iter()
    }

    /// True where blocks have one mode.
    #[must_use]
    pub fn is_one(&self) -> bool {
        self.count == 1
    }
}

impl Index<ModeId> for BlockModes {
    type Output = BlockMode;

    #[inline(always)]
    fn index(&self, mode: ModeId) -> &BlockMode {
        &self.modes[mode.place() % MODES_MAX]
    }
}
