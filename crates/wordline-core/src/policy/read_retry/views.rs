//! What a read-retry policy sees, and what is remembered for it while a command reads.

use serde::{Deserialize, Serialize};

use super::Modifiers;
use crate::engine::Ns;
use wordline_cells::geometry::BlockId;
use wordline_cells::read::{Condition, Page, PrechargeCut, ReadModel};

/// What is remembered of a page while a command reads it: what its source knows or has found out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Hints {
    /// Step of the retry table to begin with.
    pub start: u8,
    /// Last step above `start` that is worth trying before those below.
    pub ceiling: u8,
    /// The first read is expected to fail: the command is a retry from its first sense on.
    pub expects_failure: bool,
    /// Newest estimate of the best read voltage, in steps of the table.
    pub estimate: f32,
    /// The source's own: where it keeps what it learns of such pages.
    pub group: u32,
}

/// What the controller knows of a page before it is read.
#[derive(Clone, Copy, Debug)]
pub struct PageView<'a> {
    /// What the model of the chip says of such pages.
    pub reads: &'a ReadModel,
    /// Its die.
    pub die: u32,
    /// Its block.
    pub block: BlockId,
    /// Its horizontal layer.
    pub layer: u32,
    /// P/E cycles of its block.
    pub pec: u32,
    /// Its wordline has merged states.
    pub is_merged: bool,
    /// What it has been through.
    pub(crate) condition: &'a Condition,
}

impl PageView<'_> {
    /// Age of its data, months.
    #[inline]
    #[must_use]
    pub fn months(&self) -> f32 {
        self.condition.months
    }

    /// Errors in a 1-KiB codeword that erasing and programming its block in less time has added. The controller knows
    /// them: it ended the erase, and it chose the speed.
    #[inline]
    #[must_use]
    pub fn added_bits(&self) -> f32 {
        self.condition.residual_bits
    }
}

/// A sense that has failed, or will, and what can be learnt from it.
#[derive(Clone, Copy, Debug)]
pub struct FailedSense<'a> {
    pub(crate) reads: &'a ReadModel,
    pub(crate) page: &'a Page,
    /// Its number in this round, from 0.
    pub attempt: u8,
}

impl FailedSense<'_> {
    /// The best read voltage as the errors in sentinel cells show it, in steps of the table.
    #[must_use]
    pub fn sentinel(&self) -> f32 {
        self.reads.sentinel(self.page, self.attempt)
    }

    /// The best read voltage as counts of the cells beside the read voltages show it, in steps of the table.
    #[must_use]
    pub fn counting(&self) -> f32 {
        self.reads.counting(self.page, self.attempt)
    }

    /// The best read voltage itself, in steps of the table: for bounds, no controller knows it.
    #[must_use]
    pub fn optimum(&self) -> f32 {
        self.page.state.optimum_steps
    }
}

/// How long a die takes for what a read consists of, beside its senses.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ReadTimes {
    /// SET FEATURE, its command included.
    pub set_feature: Ns,
    /// RESET, its command included.
    pub reset: Ns,
    /// The command of a retry sense.
    pub retry_command: Ns,
    /// The check of a sensed page on the die (RiF).
    pub on_die_check: Ns,
    /// Share of a sense that precharging takes.
    pub precharge_share: f64,
}

impl ReadTimes {
    /// tR with tPRE shorter by the fraction `cut`: `tR = senses x (tPRE + tEVAL + tDISCH)` (PR2/AR2, Eq. 1).
    #[inline]
    #[must_use]
    pub fn shortened(&self, sense: Ns, cut: f32) -> Ns {
        // Signed numbers are converted in one instruction.
        (sense as i64 as f64 * (1.0 - f64::from(cut) * self.precharge_share) + 0.5) as i64 as Ns
    }
}

/// What a policy knows of the command it steers.
#[derive(Clone, Copy, Debug)]
pub struct ReadContext<'a> {
    /// tR of the slowest page of the command.
    pub sense: Ns,
    /// The other times of the chip.
    pub times: &'a ReadTimes,
    /// The array works on the command.
    pub is_running: bool,
    /// Number of the last sense of this round, from 0, of the page that was sensed least.
    pub attempt: u8,
}

/// How far a read command has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ReadProgress {
    /// Senses that were started, the first not counted.
    pub retries: u8,
    /// Times that doomed pages were sensed again on the die's own account.
    pub on_die: u8,
    /// Times that the retry has started again from its first step.
    pub restarts: u8,
    /// Senses beside the references that were started for soft decisions.
    pub soft: u8,
    /// The read is retried: a page has failed in the controller, or is expected to.
    pub is_retrying: bool,
    /// By how much tPRE is shorter than by default, as the last SET FEATURE has it.
    pub cut: Option<PrechargeCut>,
    /// What the modifiers remember of the command.
    pub modifiers: Modifiers,
}

impl ReadProgress {
    /// Senses are shortened, which has to be set back.
    #[inline]
    #[must_use]
    pub fn is_short(&self) -> bool {
        self.cut.is_some()
    }
}
