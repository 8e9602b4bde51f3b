//! Slot `erase`: which pulse next?

mod aero;
mod aero_cons;
mod dpes;
pub mod ept;
mod felp;
mod fixed;
mod i_ispe;
mod ispe;
mod m_ispe;
mod plane;
mod round;

pub use aero::{MispredictPulse, ShallowFlag};
pub use dpes::DpesParams;
pub use ept::Ept;
pub use fixed::whole;
pub use plane::{NextPulse, PlaneProgress, PlaneView, PulseKind, PulseOrder, SchemeParams};
pub use round::{RoundTimes, round};

use super::{DeviceView, NoParameters, Policy, Refusal, policies};

/// How a block is erased. What a scheme keeps of an erase is in its [`PlaneProgress`], what it keeps of a block is the
/// note in it; the controller and the block hold them.
pub trait EraseScheme: Policy {
    /// What to do next to a block: asked before the first pulse and after each verify.
    fn step(params: &SchemeParams, progress: PlaneProgress, view: &PlaneView) -> (PlaneProgress, NextPulse);

    /// Erases go loop by loop, each as long as its pulses; otherwise they take tBERS.
    fn is_by_loop() -> bool {
        true
    }

    /// Its pulses follow from a table that is profiled from the errors of the chip ([`Ept`]).
    fn is_profiled() -> bool {
        false
    }

    /// It may leave a block with fail bits beyond F_PASS, as many as its table says that the ECC makes up for.
    fn leaves_margin() -> bool {
        false
    }

    /// Errors in 1 KiB that the scheme costs a block of this age, beside those of an incomplete erase.
    fn window_bits(_: &SchemeParams, _pec: u32) -> f32 {
        0.0
    }

    /// tPROG of a block of this age over the plain one.
    fn program_stretch(_: &SchemeParams, _pec: u32) -> f64 {
        1.0
    }
}

policies! {
    /// The schemes of the slot.
    Scheme, EraseKeys [
        fixed::Fixed,
        ispe::Ispe,
        m_ispe::MIspe,
        i_ispe::IIspe,
        dpes::Dpes,
        aero_cons::AeroCons,
        aero::Aero,
    ]

    ask EraseScheme {
        /// See [`EraseScheme::step`].
        fn step(params: &SchemeParams, progress: PlaneProgress, view: &PlaneView) -> (PlaneProgress, NextPulse);
        /// See [`EraseScheme::is_by_loop`].
        fn is_by_loop() -> bool;
        /// See [`EraseScheme::is_profiled`].
        fn is_profiled() -> bool;
        /// See [`EraseScheme::leaves_margin`].
        fn leaves_margin() -> bool;
        /// See [`EraseScheme::window_bits`].
        fn window_bits(params: &SchemeParams, pec: u32) -> f32;
        /// See [`EraseScheme::program_stretch`].
        fn program_stretch(params: &SchemeParams, pec: u32) -> f64;
    }
}

/// What must fit together: a scheme's keys with each other, and with the device. tSE is checked whatever the scheme:
/// the device model of erases counts it in pulses before it knows the scheme.
///
/// # Errors
/// What does not fit.
pub fn check(scheme: Scheme, keys: &EraseKeys, device: &DeviceView<'_>) -> Result<(), Refusal> {
    scheme.check(keys, device)?;
    match device.erase_cells {
        Some(cells) => keys.shallow_pulses(&cells.constants).map(|_| ()),
        None => Ok(()),
    }
}

/// Schemes that use the errors of a chip need a chip whose read errors are known.
fn needs_read_model(device: &DeviceView<'_>) -> Result<(), Refusal> {
    if device.has_read_model {
        return Ok(());
    }
    Err(Refusal::of_device(
        "is profiled from the errors of a chip that says nothing of its reads",
        "take a chip with a [read] part, such as cells.chip = \"tlc-48l\"",
    ))
}
