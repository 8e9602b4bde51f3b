//! The cells: how far their voltages drift, how many bits read wrong, how hard a block is to erase.
//!
//! Everything here is a pure function of the chip's constants, a place and a condition; what a block
//! has been through is kept in [`BlockHealth`](super::BlockHealth).

pub mod characterize;
mod chip;
pub mod erase;
pub mod program;
pub mod read;

pub use chip::{Chip, ChipGeometry};
