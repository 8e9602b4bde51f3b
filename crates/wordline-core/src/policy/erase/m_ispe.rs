//! `m-ispe`: ISPE in loops of 0.5 ms, for measuring (AERO, Section 5.1).
//!
//! The voltage rises every seven loops, as if they were one of ISPE. A block that took n loops needs
//! N_ISPE = ceil(n / 7) of ISPE, and 0.5 x (1 + (n - 1) mod 7) ms of the last one.

use super::plane::PulseKind;
use super::{EraseScheme, NextPulse, NoParameters, PlaneProgress, PlaneView, Policy, SchemeParams};

/// ISPE in loops of 0.5 ms, for measuring.
#[derive(Clone, Copy, Debug)]
pub struct MIspe;

impl Policy for MIspe {
    const NAME: &'static str = "m-ispe";
    const HELP: &'static str = "ISPE in loops of 0.5 ms, for measuring";
    type Parameters = NoParameters;
}

impl EraseScheme for MIspe {
    fn step(params: &SchemeParams, progress: PlaneProgress, view: &PlaneView) -> (PlaneProgress, NextPulse) {
        if progress.level > 0 && view.fail_bits <= params.pass_fail_bits {
            return (progress, NextPulse::Done);
        }
        let level = (1 + progress.pulses / params.pulses_per_loop).min(params.max_loops);
        progress.pulse(level, 1, PulseKind::Full)
    }
}
