//! Read disturb: what reads of a block do to its cells.
//!
//! A sense puts the pass-through voltage on all other wordlines of the block, which lifts the lowest states a little. Raw
//! bit errors grow with the number of reads, the faster the more worn the block (Cai et al., "Read Disturb Errors in MLC
//! NAND Flash Memory", DSN 2015). The model is linear in reads:
//!
//! ```text
//! errors = 8192 · rber_per_read · (stress / 2000)^wear_power · reads        bits of a codeword
//! ```
//!
//! No read voltage avoids them, since they come from cells that have left their state. An erase ends them.

use super::constants::DisturbConstants;
use super::valley::CODEWORD_BITS;

/// Cycles of stress at which the constant is given.
const REFERENCE_STRESS: f64 = 2000.0;

/// Read disturb of a kind of chip.
#[derive(Clone, Debug)]
pub struct Disturb {
    constants: DisturbConstants,
}

impl Disturb {
    /// Read disturb with a chip's constants.
    #[must_use]
    pub fn new(constants: &DisturbConstants) -> Disturb {
        Disturb { constants: constants.clone() }
    }

    /// Errors of a 1-KiB codeword, bits, in a block that has had so many reads since its last erase.
    #[must_use]
    pub fn bits(&self, stress: f64, reads: u32) -> f64 {
        let DisturbConstants { rber_per_read, wear_power } = self.constants;
        let worn = libm::pow(stress.max(0.0) / REFERENCE_STRESS, wear_power);
        CODEWORD_BITS * rber_per_read * worn * f64::from(reads)
    }
}
