//! What a chip lab would measure, computed from the model: data for figures, one file for each side of the cells.
//!
//! Figures of erasing compare schemes, which are policies of an SSD: they are in `wordline-core`.

pub mod program;
pub mod read;
