//! `sentinel` (SENC): the first read travels to the controller and fails; the errors in its sentinel
//! cells, whose data are known, give an estimate of the best V_REF for the next (Li et al., MICRO
//! 2020, through PR2/AR2, Section 9: 6.6 retry steps become 1.2; RiF, "Experiment Settings").
//!
//! Where an estimate misses, what that read found gives another; after a few, the chip's table is walked.
//! The paper's summary does not say what happens then.

use super::{ChipView, DeviceView, FailedSense, NoParameters, Policy, Source, baseline};
use wordline_cells::read::ReadAt;

/// After the first failure an estimate from sentinel cells.
#[derive(Clone, Copy, Debug)]
pub struct Sentinel;

impl Policy for Sentinel {
    const NAME: &'static str = "sentinel";
    const HELP: &'static str = "after the first failure an estimate from sentinel cells (SENC)";
    type Parameters = NoParameters;
}

impl Source for Sentinel {
    type Memory = f32;

    fn new(_: &NoParameters, _: &DeviceView<'_>, _: &ChipView<'_>) -> Sentinel {
        Sentinel
    }

    fn position(&self, attempt: u8, estimate: &f32, table_steps: u8) -> Option<ReadAt> {
        position(attempt, *estimate, table_steps)
    }

    fn estimate(&self, estimate: &mut f32, sense: &FailedSense<'_>) {
        *estimate = sense.sentinel();
    }
}

/// Reads at an estimate before the table is walked.
const ESTIMATES: u8 = 7;

/// The default V_REF, then estimates, then the table.
pub(super) fn position(attempt: u8, estimate: f32, table_steps: u8) -> Option<ReadAt> {
    match attempt {
        0 => Some(ReadAt::Entry(0)),
        1..=ESTIMATES => Some(ReadAt::Steps(estimate)),
        // The default V_REF has been read.
        _ => baseline::position(attempt - ESTIMATES, table_steps),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn estimates_come_first_then_the_table() {
        let tried: Vec<_> = (0..).map_while(|attempt| position(attempt, 9.25, 12)).collect();
        assert_eq!((tried[0], &tried[1..8]), (ReadAt::Entry(0), &[ReadAt::Steps(9.25); 7][..]));
        assert_eq!(tried[8..], (1u8..=12).map(ReadAt::Entry).collect::<Vec<_>>());
    }
}
