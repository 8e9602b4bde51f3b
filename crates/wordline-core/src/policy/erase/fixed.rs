//! `fixed`: an erase takes tBERS, whatever the block has been through, as in papers that are about
//! something else (tBERS of 3 ms in IDA's Table II, 5 ms in PR2/AR2's Table 1).

use super::ispe::Ispe;
use super::{EraseScheme, NextPulse, NoParameters, PlaneProgress, PlaneView, Policy, SchemeParams};
use crate::engine::Ns;
use crate::flash::{Phase, Phases};

/// Every erase takes tBERS.
#[derive(Clone, Copy, Debug)]
pub struct Fixed;

impl Policy for Fixed {
    const NAME: &'static str = "fixed";
    const HELP: &'static str =
        "every erase takes tBERS (nand.erase_us), and wears the block as one of ISPE does";
    type Parameters = NoParameters;
}

impl EraseScheme for Fixed {
    /// What the cells go through meanwhile.
    fn step(params: &SchemeParams, progress: PlaneProgress, view: &PlaneView) -> (PlaneProgress, NextPulse) {
        Ispe::step(params, progress, view)
    }

    fn is_by_loop() -> bool {
        false
    }
}

/// The one loop of an erase that takes `erase`; none after it.
#[must_use]
pub fn whole(loops: u8, erase: Ns) -> Phases {
    if loops > 0 { Phases::default() } else { Phases::of(&[Phase::Pulse(erase)]) }
}
