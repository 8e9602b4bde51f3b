//! `half-step`: ISPE in loops of half the length. A block is verified twice as often, so that it is given at most half a
//! loop more than it needs.

use super::plane::PulseKind;
use super::{EraseScheme, NextPulse, NoParameters, PlaneProgress, PlaneView, Policy, SchemeParams};

/// ISPE in loops of half the length.
#[derive(Clone, Copy, Debug)]
pub struct HalfStep;

impl Policy for HalfStep {
    const NAME: &'static str = "half-step";
    const HELP: &'static str = "ISPE in loops of half the length";
    type Parameters = NoParameters;
}

impl EraseScheme for HalfStep {
    fn step(params: &SchemeParams, progress: PlaneProgress, view: &PlaneView) -> (PlaneProgress, NextPulse) {
        if progress.level > 0 && view.fail_bits <= params.pass_fail_bits {
            return (progress, NextPulse::Done);
        }
        // The voltage rises when that of this level has been applied for a full loop.
        let is_new = progress.level == 0 || progress.in_level >= params.pulses_per_loop;
        let level = (progress.level + u8::from(is_new)).min(params.max_loops);
        progress.pulse(level, params.pulses_per_loop.div_ceil(2), PulseKind::Full)
    }
}
