//! `dpes`: dynamic program and erase scaling (AERO, Sections 3.3 and 7.1, after Jeong et al.).
//!
//! Until 3K P/E cycles the erase voltage is 8-10 % lower, which spares the cells; programs then take 10 %
//! longer at 0.5K and 30 % at 2.5K P/E cycles (Table 2), since they must form narrower states. From 3K on it
//! is plain ISPE. The cells need not come down as far in the narrower window, so loops stay as long.

use super::ispe::Ispe;
use super::{EraseScheme, NextPulse, NoParameters, PlaneProgress, PlaneView, Policy, SchemeParams};

/// Parameters of DPES (AERO, Section 7.1, after Jeong et al.).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DpesParams {
    /// P/E cycles from which it is no longer applicable.
    pub until_pec: u32,
    /// Share by which the erase voltage is lowered.
    pub voltage_cut: f64,
    /// Errors in 1 KiB that the narrower voltage window costs meanwhile.
    pub window_bits: f32,
}

impl Default for DpesParams {
    /// 9 % less voltage until 3K cycles; 8 bits are a guess (the paper: "rather high").
    fn default() -> Self {
        DpesParams { until_pec: 3000, voltage_cut: 0.09, window_bits: 8.0 }
    }
}

/// ISPE at a lower voltage while the block is young.
#[derive(Clone, Copy, Debug)]
pub struct Dpes;

impl Policy for Dpes {
    const NAME: &'static str = "dpes";
    const HELP: &'static str = "ISPE at a lower voltage while the block is young";
    type Parameters = NoParameters;
}

impl EraseScheme for Dpes {
    fn step(params: &SchemeParams, progress: PlaneProgress, view: &PlaneView) -> (PlaneProgress, NextPulse) {
        let (progress, mut step) = Ispe::step(params, progress, view);
        if let NextPulse::Pulse(order) = &mut step
            && view.pec < params.dpes.until_pec
        {
            order.voltage_cut = params.dpes.voltage_cut;
        }
        (progress, step)
    }

    fn window_bits(params: &SchemeParams, pec: u32) -> f32 {
        if pec < params.dpes.until_pec { params.dpes.window_bits } else { 0.0 }
    }

    fn program_stretch(params: &SchemeParams, pec: u32) -> f64 {
        program_stretch(&params.dpes, pec)
    }
}

/// tPROG over the plain one. The paper has 1.1 at 0.5K and 1.3 at 2.5K; between them linear.
fn program_stretch(dpes: &DpesParams, pec: u32) -> f64 {
    if pec >= dpes.until_pec {
        return 1.0;
    }
    1.1 + 0.2 * ((f64::from(pec) - 500.0) / 2000.0).clamp(0.0, 1.0)
}
