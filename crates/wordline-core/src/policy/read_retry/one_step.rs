//! `one_step`: a page that fails at the default V_REF decodes at the next sense, whatever its errors.
//! A bound, not a mechanism: RiF's SSD_real, "the optimal read-retry solution" with one retry step
//! ("Impact of Read-Retry on SSD's Performance").

use super::{ChipView, DeviceView, FailedSense, NoParameters, Policy, Source};
use wordline_cells::read::ReadAt;

/// A page that fails decodes at the next sense.
#[derive(Clone, Copy, Debug)]
pub struct OneStep;

impl Policy for OneStep {
    const NAME: &'static str = "one_step";
    const HELP: &'static str = "a page that fails decodes at the next sense: a bound (SSD_real)";
    type Parameters = NoParameters;
}

impl Source for OneStep {
    type Memory = f32;

    fn is_bound() -> bool {
        true
    }

    fn new(_: &NoParameters, _: &DeviceView<'_>, _: &ChipView<'_>) -> OneStep {
        OneStep
    }

    fn position(&self, attempt: u8, estimate: &f32, _: u8) -> Option<ReadAt> {
        match attempt {
            0 => Some(ReadAt::Entry(0)),
            1 => Some(ReadAt::Steps(*estimate)),
            _ => None,
        }
    }

    fn estimate(&self, estimate: &mut f32, sense: &FailedSense<'_>) {
        *estimate = sense.optimum();
    }

    fn decodes_anyway(&self, retries: u8) -> bool {
        retries > 0
    }
}
