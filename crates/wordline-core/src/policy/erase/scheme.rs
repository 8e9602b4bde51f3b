//! The schemes that erase loop by loop, asked block by block.

use serde::{Deserialize, Serialize};

use super::{PlaneProgress, PlaneView, SchemeParams, Step};
use super::{aero, aero_cons, dpes, i_ispe, ispe, m_ispe};

/// The schemes of AERO's evaluation, and m-ISPE for measuring.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scheme {
    /// Full pulses at rising voltages until verify passes.
    Ispe,
    /// ISPE in loops of 0.5 ms.
    MIspe,
    /// Begins with the loop that erased the block last time.
    IIspe,
    /// ISPE at a lower voltage while the block is young.
    Dpes,
    /// AERO without the ECC margin.
    AeroCons,
    /// Pulses as long as the fail bits say, less what ECC can bear.
    Aero,
}

impl Scheme {
    /// All of them.
    pub const ALL: [Scheme; 6] =
        [Scheme::Ispe, Scheme::MIspe, Scheme::IIspe, Scheme::Dpes, Scheme::AeroCons, Scheme::Aero];

    /// The five that the paper compares.
    pub const COMPARED: [Scheme; 5] =
        [Scheme::Ispe, Scheme::IIspe, Scheme::Dpes, Scheme::AeroCons, Scheme::Aero];

    /// Its name in configurations.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Scheme::Ispe => "ispe",
            Scheme::MIspe => "m-ispe",
            Scheme::IIspe => "i-ispe",
            Scheme::Dpes => "dpes",
            Scheme::AeroCons => "aero-cons",
            Scheme::Aero => "aero",
        }
    }

    /// What to do next to a block: asked before the first pulse and after each verify.
    #[must_use]
    pub fn step(
        self,
        params: &SchemeParams,
        progress: PlaneProgress,
        view: &PlaneView,
    ) -> (PlaneProgress, Step) {
        match self {
            Scheme::Ispe => ispe::step(params, progress, view),
            Scheme::MIspe => m_ispe::step(params, progress, view),
            Scheme::IIspe => i_ispe::step(params, progress, view),
            Scheme::Dpes => dpes::step(params, progress, view),
            Scheme::AeroCons => aero_cons::step(params, progress, view),
            Scheme::Aero => aero::step(params, progress, view),
        }
    }

    /// Errors in 1 KiB that the scheme costs a block of this age, beside those of an incomplete erase.
    #[must_use]
    pub fn window_bits(self, params: &SchemeParams, pec: u32) -> f32 {
        if self == Scheme::Dpes && pec < params.dpes.until_pec { params.dpes.window_bits } else { 0.0 }
    }

    /// tPROG of a block of this age over the plain one: 1 but for DPES.
    #[must_use]
    pub fn program_stretch(self, params: &SchemeParams, pec: u32) -> f64 {
        if self == Scheme::Dpes { dpes::program_stretch(&params.dpes, pec) } else { 1.0 }
    }
}
