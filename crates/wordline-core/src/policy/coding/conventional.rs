//! `conventional`: refresh writes every valid page to another block.

use super::action::all;
use super::{Action, CodingKeys, NoParameters, Policy, RefreshedWordline};

/// Every valid page moves.
#[derive(Clone, Copy, Debug)]
pub struct Conventional;

impl Policy for Conventional {
    const NAME: &'static str = "conventional";
    const HELP: &'static str = "refresh writes every valid page to another block";
    type Parameters = NoParameters;
}

impl RefreshedWordline for Conventional {
    fn action(_: &CodingKeys, bits: usize, valid_mask: u8) -> Action {
        Action { moves: valid_mask & all(bits), stays: 0 }
    }
}
