//! `ispe`: incremental step pulse erasure (AERO, Section 3.2), the baseline of its evaluation.
//!
//! Loops of a full pulse (tEP, 3.5 ms) and a verify (tVR), each at a higher voltage, until verify finds
//! no more than F_PASS fail bits: tBERS = (tEP + tVR) x N_ISPE (Eq. 1).

use super::plane::PulseKind;
use super::{EraseScheme, NextPulse, NoParameters, PlaneProgress, PlaneView, Policy, SchemeParams};

/// Full pulses at rising voltages until verify passes.
#[derive(Clone, Copy, Debug)]
pub struct Ispe;

impl Policy for Ispe {
    const NAME: &'static str = "ispe";
    const HELP: &'static str = "full pulses at rising voltages until verify passes";
    type Parameters = NoParameters;
}

impl EraseScheme for Ispe {
    fn step(params: &SchemeParams, progress: PlaneProgress, view: &PlaneView) -> (PlaneProgress, NextPulse) {
        if progress.level > 0 && view.fail_bits <= params.pass_fail_bits {
            return (progress, NextPulse::Done);
        }
        progress.pulse((progress.level + 1).min(params.max_loops), params.pulses_per_loop, PulseKind::Full)
    }
}
