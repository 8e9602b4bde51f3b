//! `dpes`: dynamic program and erase scaling (AERO, Sections 3.3 and 7.1, after Jeong et al.).
//!
//! Until 3K P/E cycles the erase voltage is 8-10 % lower, which spares the cells; programs then take 10 %
//! longer at 0.5K and 30 % at 2.5K P/E cycles (Table 2), since they must form narrower states. From 3K on it
//! is plain ISPE. The cells need not come down as far in the narrower window, so loops stay as long.

use super::{DpesParams, PlaneProgress, PlaneView, SchemeParams, Step, ispe};

pub(super) fn step(
    params: &SchemeParams,
    progress: PlaneProgress,
    view: &PlaneView,
) -> (PlaneProgress, Step) {
    let (progress, mut step) = ispe::step(params, progress, view);
    if let Step::Pulse(order) = &mut step
        && view.pec < params.dpes.until_pec
    {
        order.voltage_cut = params.dpes.voltage_cut;
    }
    (progress, step)
}

/// tPROG over the plain one. The paper has 1.1 at 0.5K and 1.3 at 2.5K; between them linear.
pub(super) fn program_stretch(dpes: &DpesParams, pec: u32) -> f64 {
    if pec >= dpes.until_pec {
        return 1.0;
    }
    1.1 + 0.2 * ((f64::from(pec) - 500.0) / 2000.0).clamp(0.0, 1.0)
}
