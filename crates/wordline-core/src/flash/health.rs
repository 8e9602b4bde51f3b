//! The history of each block: the one record that all techniques share.

use serde::{Deserialize, Serialize};

use super::{ModeId, PageAges, Speed};

/// A block's history, as far as its cells remember it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BlockHealth {
    /// Erases so far, whatever the block's mode was.
    pub pec: u32,
    /// Accumulated stress, in P/E cycles of an average block under plain ISPE: what errors and drift follow. A gentler
    /// erase adds less than 1, a hard block's more.
    pub stress: f32,
    /// Erase age, in P/E cycles under plain ISPE: what the length of an erase follows.
    pub erase_age_pec: f32,
    /// Errors in a 1-KiB codeword that the last erase, where it was incomplete, leaves behind.
    pub residual_bits: f32,
    /// Pulses of 0.5 ms that it left out.
    pub undone_pulses: f32,
    /// What the erase policy remembers of the block (AERO's shallow-erasure flag, i-ISPE's last loop).
    pub erase_note: u8,
    /// How fast its pages were programmed: a property of the whole block, since a word line has one.
    pub program_speed: Speed,
    /// How its cells stored bits when it was last programmed.
    pub mode: ModeId,
    /// When its pages were programmed: those from before the run carry its retention age.
    pub ages: PageAges,
    /// True while some of its wordlines are merged: the block is an IDA block.
    pub merged: bool,
}
