//! What a chip lab would measure, from the model: data for figures, one file for each side of the cells.

pub mod erase;
pub mod erase_steps;
pub mod program;
pub mod read;
