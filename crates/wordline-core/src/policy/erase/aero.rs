//! `aero`: AERO (ASPLOS '24, Sections 4 and 6): pulses as long as the fail bits say, less what ECC can bear.
//!
//! Parameters: tSE (1 ms), the misprediction rate, and the RBER requirement for which the table was profiled.

use super::ept::Time;
use super::{PlaneProgress, PlaneView, SchemeParams, Step, felp};

pub(super) fn step(
    params: &SchemeParams,
    progress: PlaneProgress,
    view: &PlaneView,
) -> (PlaneProgress, Step) {
    felp::step(params, progress, view, Time::WithMargin)
}
