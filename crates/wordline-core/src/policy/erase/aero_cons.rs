//! `aero-cons`: AERO without the ECC margin (ASPLOS '24, Section 7.1): every block is erased completely.
//!
//! Shallow erasure and the shallow-erasure flags are the same; of the table it takes t1 where AERO takes t2.

use super::ept::Time;
use super::{
    DeviceView, EraseScheme, NextPulse, NoParameters, PlaneProgress, PlaneView, Policy, Refusal,
    SchemeParams, felp, needs_read_model,
};

/// AERO without the ECC margin: every block is erased completely.
#[derive(Clone, Copy, Debug)]
pub struct AeroCons;

impl Policy for AeroCons {
    const NAME: &'static str = "aero-cons";
    const HELP: &'static str = "AERO without the ECC margin: every block is erased completely";
    type Parameters = NoParameters;

    fn check(_: &NoParameters, device: &DeviceView<'_>) -> Result<(), Refusal> {
        needs_read_model(device)
    }
}

impl EraseScheme for AeroCons {
    fn step(params: &SchemeParams, progress: PlaneProgress, view: &PlaneView) -> (PlaneProgress, NextPulse) {
        felp::step(params, progress, view, Time::Complete)
    }

    fn is_profiled() -> bool {
        true
    }
}
