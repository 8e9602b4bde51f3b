//! `swift_read` (SWR): as with sentinels the first read fails at the controller; then the die counts
//! the cells on either side of its read voltages and finds the best V_REF from that (Swift-Read,
//! ISSCC 2022, through RiF: "reduces # of read-retry steps to almost 1"). It differs from `sentinel` in
//! how far off the estimate is, which is the device model's business.

use super::{ChipView, DeviceView, FailedSense, NoParameters, Policy, Source, sentinel};
use wordline_cells::read::ReadAt;

/// After the first failure an estimate from counting cells on the die.
#[derive(Clone, Copy, Debug)]
pub struct SwiftRead;

impl Policy for SwiftRead {
    const NAME: &'static str = "swift_read";
    const HELP: &'static str = "after the first failure an estimate from cells that the die counts (SWR)";
    type Parameters = NoParameters;
}

impl Source for SwiftRead {
    type Memory = f32;

    fn new(_: &NoParameters, _: &DeviceView<'_>, _: &ChipView<'_>) -> SwiftRead {
        SwiftRead
    }

    fn position(&self, attempt: u8, estimate: &f32, table_steps: u8) -> Option<ReadAt> {
        sentinel::position(attempt, *estimate, table_steps)
    }

    fn estimate(&self, estimate: &mut f32, sense: &FailedSense<'_>) {
        *estimate = sense.counting();
    }
}
