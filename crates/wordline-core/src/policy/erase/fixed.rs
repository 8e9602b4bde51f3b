//! `fixed`: an erase takes tBERS, whatever the block has been through, as in papers that are about
//! something else (tBERS of 3 ms in IDA's Table II, 5 ms in PR2/AR2's Table 1).

use crate::engine::Ns;
use crate::flash::{Phase, Phases};

/// The one loop of an erase that takes `erase`; none after it.
#[must_use]
pub fn whole(loops: u8, erase: Ns) -> Phases {
    if loops > 0 { Phases::default() } else { Phases::of(&[Phase::Pulse(erase)]) }
}
