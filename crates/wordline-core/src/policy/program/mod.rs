//! Slot `program`: how fast to program a page, and when to program it again?

mod normal;
pub mod ofwar;
mod two_speed;
mod two_step;

use super::{DeviceView, NoParameters, Policy, Refusal, policies};
use crate::engine::Ns;
use crate::flash::{Phase, Phases, Speed};
use wordline_cells::PageOrder;
use wordline_cells::program::FastProgram;

pub use ofwar::{FastWriteCounts, QueueAtPowerLoss, QueuedUntil, RewriteDeadline, StaleEntries};
pub use two_speed::{Deadline, FastFirst, FastWrites, NextAction, Thresholds, View};

/// What a policy knows of the program it steers.
#[derive(Clone, Copy, Debug)]
pub struct ProgramContext<'a> {
    /// The keys of all policies.
    pub keys: &'a ProgramKeys,
    /// tPROG of the slowest page of the command.
    pub program: Ns,
    /// How fast its pages are wanted.
    pub speed: Speed,
    /// Time of a fast program over tPROG.
    pub fast_share: f64,
}

/// How pages are programmed: pure functions. What waits to be rewritten is in `ftl/two_speed/`.
pub trait ProgramPolicy: Policy {
    /// The phases that program the pages of a command.
    #[inline]
    fn phases(context: &ProgramContext<'_>) -> Phases {
        Phases::of(&[Phase::Program(context.program)])
    }

    /// In which order the pages of a block are programmed.
    fn page_order() -> PageOrder {
        PageOrder::default()
    }

    /// Program step of fast writes over the normal one, where some pages are programmed fast, for a short retention, and
    /// are written again: there is a write queue and a rewrite queue, and [`ProgramPolicy::next`] is asked.
    fn fast_dvpp(_: &ProgramKeys) -> Option<f64> {
        None
    }

    /// How these writes and their rewrites go, where data written fast into blocks at their rated P/E cycles lasts so long (ns).
    fn fast_writes(_: &ProgramKeys, _rated_retention: Ns) -> Option<FastWrites> {
        None
    }

    /// What the controller does next with the two queues.
    fn next(view: &View, _: &Thresholds) -> NextAction {
        if view.is_idle || view.queued == 0 { NextAction::Nothing } else { NextAction::Write(Speed::Normal) }
    }
}

policies! {
    /// The policies of the slot.
    Program, ProgramKeys [
        normal::Normal,
        ofwar::Ofwar,
        two_step::TwoStep,
    ]

    ask ProgramPolicy {
        /// See [`ProgramPolicy::phases`].
        fn phases(context: &ProgramContext<'_>) -> Phases;
        /// See [`ProgramPolicy::page_order`].
        fn page_order() -> PageOrder;
        /// See [`ProgramPolicy::fast_dvpp`].
        fn fast_dvpp(keys: &ProgramKeys) -> Option<f64>;
        /// See [`ProgramPolicy::fast_writes`].
        fn fast_writes(keys: &ProgramKeys, rated_retention: Ns) -> Option<FastWrites>;
        /// See [`ProgramPolicy::next`].
        fn next(view: &View, thresholds: &Thresholds) -> NextAction;
    }
}

/// Policies that write fast need to know how long the chip holds such data.
fn needs_fast_program<'a>(device: &DeviceView<'a>) -> Result<&'a FastProgram, Refusal> {
    device.fast_program.ok_or_else(|| {
        Refusal::of_device(
            "asks the chip how long data last that were programmed fast, and there is no chip that says it",
            "set cells.chip = \"tlc-48l\" or \"mlc-ofwar\", or name a chip of yours with a [program] part",
        )
    })
}
