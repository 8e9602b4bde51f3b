//! What a read-retry policy sees, and what is remembered for it while a command reads. The model of the cells is behind these
//! views: a policy asks what a controller could find out, and no more.

use serde::{Deserialize, Serialize};

use super::{DeviceView, Modifiers};
use crate::engine::Ns;
use wordline_cells::geometry::BlockId;
use wordline_cells::read::{Condition, Page, PrechargeCut, ReadModel, ReadTimingTables};

/// What a policy may ask of the chip's model before a run: what its maker says, and what profiling shows.
#[derive(Clone, Copy, Debug)]
pub struct ChipView<'a> {
    model: &'a ReadModel,
}

impl<'a> ChipView<'a> {
    /// A chip as policies see it.
    pub(crate) fn new(model: &'a ReadModel) -> ChipView<'a> {
        ChipView { model }
    }

    /// Steps of its retry table behind the default V_REF.
    #[must_use]
    pub fn table_steps(&self) -> u8 {
        self.model.table_steps()
    }

    /// A cut of tPRE by a fraction.
    #[must_use]
    pub fn cut(&self, fraction: f32) -> PrechargeCut {
        self.model.cut(fraction)
    }

    /// The read-timing parameter tables (RPT) that profiling each of the device's dies gives; nothing without a chip.
    #[must_use]
    pub fn timing_tables(&self, device: &DeviceView<'_>) -> Option<ReadTimingTables> {
        let geometry = &device.geometry;
        self.model.timing_tables(
            device.correctable_bits,
            geometry.dies(),
            geometry.blocks() / geometry.dies(),
            geometry.pages_per_block,
        )
    }
}

/// The model of a page that is about to be read. Policies have what [`PageView`] tells of it.
#[derive(Clone, Copy, Debug)]
pub struct PageModel<'a> {
    reads: &'a ReadModel,
    condition: &'a Condition,
}

impl<'a> PageModel<'a> {
    /// A page of such a chip, by what it has been through.
    pub(crate) fn new(reads: &'a ReadModel, condition: &'a Condition) -> PageModel<'a> {
        PageModel { reads, condition }
    }
}

/// What the controller knows of a page before it is read.
#[derive(Clone, Copy, Debug)]
pub struct PageView<'a> {
    /// Its die.
    pub die: u32,
    /// Its block.
    pub block: BlockId,
    /// Its horizontal layer.
    pub layer: u32,
    /// P/E cycles of its block; those in SLC mode count by their wear.
    pub pec: u32,
    /// Its wordline has merged states.
    pub is_merged: bool,
    /// What it hides.
    pub model: PageModel<'a>,
}

impl PageView<'_> {
    /// Age of its data, months.
    #[inline]
    #[must_use]
    pub fn months(&self) -> f32 {
        self.model.condition.months
    }

    /// Errors in a 1-KiB codeword that erasing and programming its block in less time has added. The controller knows
    /// them: it ended the erase, and it chose the speed.
    #[inline]
    #[must_use]
    pub fn added_bits(&self) -> f32 {
        self.model.condition.residual_bits
    }

    /// The default V_REF fails in the mean page of such chips with as many P/E cycles and data as old.
    #[must_use]
    pub fn is_expected_to_fail(&self) -> bool {
        self.model.reads.expects_failure(self.pec as f32, self.months())
    }
}

/// A sense that has failed, or will, and what can be learnt from it.
#[derive(Clone, Copy, Debug)]
pub struct FailedSense<'a> {
    reads: &'a ReadModel,
    page: &'a Page,
    attempt: u8,
}

impl<'a> FailedSense<'a> {
    /// Of a page, the sense with this number of a round, from 0.
    pub(crate) fn new(reads: &'a ReadModel, page: &'a Page, attempt: u8) -> FailedSense<'a> {
        FailedSense { reads, page, attempt }
    }

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
