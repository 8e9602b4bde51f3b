//! `aero-cons`: AERO without the ECC margin (ASPLOS '24, Section 7.1): every block is erased completely.
//!
//! Shallow erasure and the shallow-erasure flags are the same; of the table it takes t1 where AERO takes t2.

use super::ept::Time;
use super::{PlaneProgress, PlaneView, SchemeParams, Step, felp};

pub(super) fn step(
    params: &SchemeParams,
    progress: PlaneProgress,
    view: &PlaneView,
) -> (PlaneProgress, Step) {
    felp::step(params, progress, view, Time::Complete)
}
