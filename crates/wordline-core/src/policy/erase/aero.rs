//! `aero`: AERO (ASPLOS '24, Sections 4 and 6): pulses as long as the fail bits say, less what ECC can bear.
//!
//! Parameters: tSE (1 ms), the misprediction rate, and the RBER requirement for which the table was profiled.

use super::ept::Time;
use super::{
    EraseScheme, NoParameters, PlaneProgress, PlaneView, Policy, Refusal, SchemeParams, Step, felp,
    needs_read_model,
};
use crate::config::Config;

/// Pulses as long as the fail bits say, less what ECC can bear.
#[derive(Clone, Copy, Debug)]
pub struct Aero;

impl Policy for Aero {
    const NAME: &'static str = "aero";
    const HELP: &'static str = "pulses as long as the fail bits say, less what ECC can bear";
    type Parameters = NoParameters;

    fn check(config: &Config) -> Result<(), Refusal> {
        needs_read_model(config)
    }
}

impl EraseScheme for Aero {
    fn step(params: &SchemeParams, progress: PlaneProgress, view: &PlaneView) -> (PlaneProgress, Step) {
        felp::step(params, progress, view, Time::WithMargin)
    }

    fn is_profiled() -> bool {
        true
    }
}
