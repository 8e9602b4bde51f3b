//! `ideal`: every page decodes at the first sense. The upper bound that the retry papers call NoRR
//! (PR2/AR2, Section 7.2) and SSD_zero (RiF, "Experiment Settings").

use super::{ChipView, DeviceView, NoParameters, Policy, Source};
use wordline_cells::read::ReadAt;

/// No page ever fails to decode.
#[derive(Clone, Copy, Debug)]
pub struct Ideal;

impl Policy for Ideal {
    const NAME: &'static str = "ideal";
    const HELP: &'static str = "every page decodes at the first sense: a bound (NoRR, SSD_zero)";
    type Parameters = NoParameters;
}

impl Source for Ideal {
    type Memory = ();

    fn is_bound() -> bool {
        true
    }

    fn is_ideal() -> bool {
        true
    }

    fn new(_: &NoParameters, _: &DeviceView<'_>, _: &ChipView<'_>) -> Ideal {
        Ideal
    }

    fn position(&self, attempt: u8, _: &(), _: u8) -> Option<ReadAt> {
        (attempt == 0).then_some(ReadAt::Entry(0))
    }
}
