//! `baseline`: the regular read-retry. Each step senses, ships and decodes with the next entry of the
//! chip's retry table, and the next step starts only when the last one is known to have failed, so
//! that N steps take N times `tR + tDMA + tECC` on top of the first read (PR2/AR2, Eq. 2 and 3,
//! Fig. 12a).

use super::{ChipView, DeviceView, NoParameters, Policy, Source};
use wordline_cells::read::ReadAt;

/// The chip's retry table, from its beginning.
#[derive(Clone, Copy, Debug)]
pub struct Baseline;

impl Policy for Baseline {
    const NAME: &'static str = "baseline";
    const HELP: &'static str = "the chip's retry table, step by step from its beginning";
    type Parameters = NoParameters;
}

impl Source for Baseline {
    type Memory = ();

    fn new(_: &NoParameters, _: &DeviceView<'_>, _: &ChipView<'_>) -> Baseline {
        Baseline
    }

    fn position(&self, attempt: u8, _: &(), table_steps: u8) -> Option<ReadAt> {
        position(attempt, table_steps)
    }
}

/// The step of the table that comes with this number, where there is one.
pub(super) fn position(attempt: u8, table_steps: u8) -> Option<ReadAt> {
    (attempt <= table_steps).then_some(ReadAt::Entry(attempt))
}
