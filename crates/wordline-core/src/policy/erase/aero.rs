//! `aero`: AERO (ASPLOS '24, Sections 4 and 6): pulses as long as the fail bits say, less what ECC can bear.

use super::ept::Time;
use super::{
    DeviceView, EraseScheme, NextPulse, PlaneProgress, PlaneView, Policy, Refusal, SchemeParams, felp,
    needs_read_model,
};
use crate::parameter::{choices, section};
use wordline_cells::erase::EraseConstants;

choices! {
    /// How a block makes up for a wrong prediction.
    pub enum MispredictPulse {
        /// A further pulse, after the verify that found it
        Apart = "apart",
        /// The predicted pulse is longer
        Longer = "longer",
    }
}

choices! {
    /// What becomes of shallow erasure in a block whose remainder took the rest of tEP.
    pub enum ShallowFlag {
        /// Later erases of the block begin with a full pulse
        Sticky = "sticky",
        /// Every erase begins with a shallow erasure
        None = "none",
    }
}

section! {
    /// The keys of AERO, of which `aero-cons` takes all but the last.
    #[derive(Copy)]
    pub struct Keys {
        /// Time of AERO's shallow erasure (tSE).
        shallow_us: f64 = 1000.0,
            operation().source("AERO section 5.3").when("erase.scheme", &["aero", "aero-cons"]);
        /// The flag of a block whose remainder took the rest of tEP.
        shallow_flag: ShallowFlag = ShallowFlag::Sticky,
            word(ShallowFlag::CHOICES)
                .source("sticky: AERO section 6; none: the simulator of AERO's authors")
                .when("erase.scheme", &["aero", "aero-cons"]);
        /// Share of AERO's predictions after which a block needs 0.5 ms more.
        mispredict_rate: f64 = 0.0,
            fraction().source("AERO section 7.4").when("erase.scheme", &["aero", "aero-cons"]);
        /// The 0.5 ms that a wrong prediction adds.
        mispredict_pulse: MispredictPulse = MispredictPulse::Apart,
            word(MispredictPulse::CHOICES)
                .source("apart: AERO section 6; longer: the simulator of AERO's authors")
                .when("erase.scheme", &["aero", "aero-cons"]);
        /// Errors in 1 KiB that AERO's table may leave a block with after a year.
        rber_requirement_bits: f64 = 63.0,
            number(0.0, 8192.0).unit("bits").source("AERO section 5.4").when("erase.scheme", &["aero"]);
    }
}

impl Keys {
    /// A block whose remainder took the rest of tEP gets no shallow erasure any more.
    pub(super) fn keeps_shallow_flag(&self) -> bool {
        self.shallow_flag == ShallowFlag::Sticky
    }

    /// A block makes up for a wrong prediction within the predicted pulse.
    pub(super) fn lengthens_mispredicted(&self) -> bool {
        self.mispredict_pulse == MispredictPulse::Longer
    }

    /// tSE in the short pulses of a chip.
    ///
    /// # Errors
    /// It is no multiple of one, or no shorter than a loop.
    pub fn shallow_pulses(&self, chip: &EraseConstants) -> Result<u8, Refusal> {
        let pulse_us = chip.pulse_ms * 1000.0;
        let loop_us = pulse_us * f64::from(chip.pulses_per_loop);
        let pulses = self.shallow_us / pulse_us;
        let whole = libm::round(pulses);
        if whole >= 1.0 && self.shallow_us < loop_us && (pulses - whole).abs() <= 1e-9 {
            return Ok(whole as u8);
        }
        Err(Refusal::of_key(
            "erase.shallow_us",
            format!("`erase.shallow_us` = {} is no shallow erasure", self.shallow_us),
            format!("take a multiple of the chip's {pulse_us} us up to {}", loop_us - pulse_us),
        ))
    }
}

/// Pulses as long as the fail bits say, less what ECC can bear.
#[derive(Clone, Copy, Debug)]
pub struct Aero;

impl Policy for Aero {
    const NAME: &'static str = "aero";
    const HELP: &'static str = "pulses as long as the fail bits say, less what ECC can bear";
    type Parameters = Keys;

    fn check(_: &Keys, device: &DeviceView<'_>) -> Result<(), Refusal> {
        needs_read_model(device)
    }
}

impl EraseScheme for Aero {
    fn step(params: &SchemeParams, progress: PlaneProgress, view: &PlaneView) -> (PlaneProgress, NextPulse) {
        felp::step(params, progress, view, Time::WithMargin)
    }

    fn is_profiled() -> bool {
        true
    }

    fn leaves_margin() -> bool {
        true
    }
}
