//! Checked mode: a second account of what every sector holds.

mod at_hand;
mod page_times;
pub(super) mod promises;
mod rows;
pub(super) mod shadow;
