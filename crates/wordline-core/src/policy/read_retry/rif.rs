//! `rif`: the die checks each page that it has sensed and senses a doomed one again, with a V_REF as
//! good as `swift_read`'s, before anything crosses the channel (RiF, "Key Idea"). Only a page that the
//! check takes for good and that is not costs a transfer and a decoding; the controller then goes on as
//! with `swift_read`.
//!
//! The slides leave open whether the second sense is checked too. `read.on_die_retries` says how often a
//! read may be sensed again on the die; what comes of the last time is not checked, so that 1 stands for
//! no second check.

use super::{ChipView, DeviceView, FailedSense, Policy, ReadProgress, Refusal, Source, sentinel};
use crate::parameter::section;
use wordline_cells::ecc::Predictor;
use wordline_cells::read::ReadAt;

section! {
    /// The keys of `rif`.
    #[derive(Copy)]
    pub struct Keys {
        /// Times that `rif` senses a doomed page again on the die; the last time is not checked again.
        on_die_retries: u8 = 3, whole(1, 7).when("read.retry", &["rif"]);
    }
}

/// As `swift_read`, but the die itself finds out that the page would fail.
#[derive(Clone, Debug)]
pub struct Rif {
    predictor: Predictor,
    on_die_retries: u8,
}

impl Policy for Rif {
    const NAME: &'static str = "rif";
    const HELP: &'static str =
        "the die checks what it sensed and senses a doomed page again, before it is moved (RiF)";
    type Parameters = Keys;

    fn check(_: &Keys, device: &DeviceView<'_>) -> Result<(), Refusal> {
        if device.has_on_die_check {
            return Ok(());
        }
        Err(Refusal::of_device(
            "needs a die that checks what it has sensed",
            "set nand.on_die_check = true, or take swift_read, which retries from the controller",
        ))
    }
}

impl Source for Rif {
    type Memory = f32;

    fn new(keys: &Keys, device: &DeviceView<'_>, _: &ChipView<'_>) -> Rif {
        Rif {
            predictor: Predictor::ldpc(device.geometry.page_bytes, device.decoder_iterations),
            on_die_retries: keys.on_die_retries,
        }
    }

    fn position(&self, attempt: u8, estimate: &f32, table_steps: u8) -> Option<ReadAt> {
        sentinel::position(attempt, *estimate, table_steps)
    }

    fn estimate(&self, estimate: &mut f32, sense: &FailedSense<'_>) {
        *estimate = sense.counting();
    }

    /// Once a page has failed in the controller, the die's check has been wrong about it.
    fn checks_on_die(&self, progress: &ReadProgress) -> bool {
        !progress.is_retrying && progress.on_die < self.on_die_retries
    }

    fn predictor(&self) -> Option<&Predictor> {
        Some(&self.predictor)
    }
}
