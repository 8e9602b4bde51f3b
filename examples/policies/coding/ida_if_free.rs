//! `ida-if-free`: refresh merges the states of a wordline only where no valid page has to move for it: its LSB is
//! invalid already. All other wordlines are written elsewhere, as without IDA.

use super::action::all;
use super::{Action, CodingKeys, NoParameters, Policy, RefreshedWordline, refresh_action};

/// IDA where it costs no move.
#[derive(Clone, Copy, Debug)]
pub struct IdaIfFree;

impl Policy for IdaIfFree {
    const NAME: &'static str = "ida-if-free";
    const HELP: &'static str = "IDA only where no page has to move for it";
    type Parameters = NoParameters;
}

impl RefreshedWordline for IdaIfFree {
    fn merges() -> bool {
        true
    }

    fn action(_: &CodingKeys, bits: usize, valid_mask: u8) -> Action {
        let ida = refresh_action(bits, valid_mask);
        if ida.moves == 0 { ida } else { Action { moves: valid_mask & all(bits), stays: 0 } }
    }
}
