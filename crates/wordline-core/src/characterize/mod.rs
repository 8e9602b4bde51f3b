//! What a chip lab would measure of erase schemes, from the model: data for figures.

pub mod erase;
pub mod erase_steps;
