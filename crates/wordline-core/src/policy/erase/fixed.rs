//! `fixed`: an erase takes tBERS, whatever the block has been through, as in papers that are about
//! something else (tBERS of 3 ms in IDA's Table II, 5 ms in PR2/AR2's Table 1).

use super::{EraseContext, EraseProgress};
use crate::controller::{Phase, Phases};

pub(super) fn next_loop(progress: &EraseProgress, context: &EraseContext) -> Phases {
    if progress.loops > 0 { Phases::default() } else { Phases::of(&[Phase::Pulse(context.erase)]) }
}
