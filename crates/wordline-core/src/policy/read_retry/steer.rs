//! How a read goes on: the three parts of a policy turned into phases.

use super::{Hints, ReadRetry, Voltages, ar2, pr2, rif};
use crate::config::Config;
use crate::engine::Ns;
use crate::flash::{Phase, Phases};

/// A policy with its parameters.
#[derive(Clone, Copy, Debug)]
pub struct ReadRules {
    /// The policy.
    pub retry: ReadRetry,
    /// Steps of the chip's retry table behind the default V_REF.
    pub table_steps: u8,
    pipeline_first: bool,
    shorten_first: bool,
    on_die_retries: u8,
}

/// What a policy knows of the command it steers.
#[derive(Clone, Copy, Debug)]
pub struct ReadContext {
    /// tR of the slowest page of the command.
    pub sense: Ns,
    /// The same with the shorter tPRE that is safe for all of its blocks.
    pub short_sense: Ns,
    /// tRST.
    pub reset: Ns,
    /// tSET.
    pub set_feature: Ns,
    /// Time of the check on the die.
    pub check: Ns,
    /// The array works on the command.
    pub is_running: bool,
    /// The model of the block says that the first read fails (`predictive`).
    pub expects_failure: bool,
    /// Number of the last sense of this round, from 0, of the page that was sensed least.
    pub attempt: u8,
}

/// How far a read command has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReadProgress {
    /// Senses that were started, the first not counted.
    pub retries: u8,
    /// Times that doomed pages were sensed again on the die's own account.
    pub on_die: u8,
    /// Senses are shortened.
    pub is_short: bool,
    /// The second round, at default timing.
    pub has_fallen_back: bool,
    /// The read is retried: a page has failed in the controller, or is expected to.
    pub is_retrying: bool,
}

/// What a read command does when a sense has ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReadPlan {
    /// Phases on the die, in order.
    pub phases: Phases,
    /// The pages that were just sensed cross the channel.
    pub ships: bool,
    /// A sense is among the phases.
    pub senses: bool,
}

impl ReadRules {
    /// The policy of a configuration that has been checked.
    #[must_use]
    pub fn new(config: &Config, table_steps: u8) -> ReadRules {
        ReadRules {
            retry: config.read.retry,
            table_steps,
            pipeline_first: config.read.pipeline_first,
            shorten_first: config.read.shorten_first,
            on_die_retries: config.read.on_die_retries,
        }
    }

    /// The command has reached the die.
    #[must_use]
    pub fn begin(&self, progress: &mut ReadProgress, context: &ReadContext) -> Phases {
        progress.is_retrying = context.expects_failure;
        if self.may_shorten(context) && (self.shorten_first || progress.is_retrying) {
            return ar2::shorten(progress, context);
        }
        Phases::of(&[Phase::Sense(context.sense)])
    }

    /// A sense has ended and the page register is free to take its data.
    #[must_use]
    pub fn sensed(&self, progress: &mut ReadProgress, context: &ReadContext) -> ReadPlan {
        if self.retry.voltages == Voltages::Rif
            && rif::checks(progress.on_die, self.on_die_retries, progress.is_retrying)
        {
            let phases = Phases::of(&[Phase::Predict(context.check)]);
            return ReadPlan { phases, ..ReadPlan::default() };
        }
        let mut plan = ReadPlan { ships: true, ..ReadPlan::default() };
        let goes_on = self.retry.pipelined && pr2::goes_on(progress.is_retrying, self.pipeline_first);
        if goes_on && self.has_next(context) {
            plan.phases = self.next_sense(progress, context);
            plan.senses = true;
        }
        plan
    }

    /// The check on the die has ended and found doomed pages: sense those again.
    #[must_use]
    pub fn doomed(&self, progress: &mut ReadProgress, context: &ReadContext) -> Phases {
        progress.on_die += 1;
        self.next_sense(progress, context)
    }

    /// Nothing of the command is under way any more, and some pages have not decoded: the next phases,
    /// or none when everything has been tried.
    #[must_use]
    pub fn failed(&self, progress: &mut ReadProgress, context: &ReadContext) -> Phases {
        progress.is_retrying = true;
        if self.has_next(context) {
            self.next_sense(progress, context)
        } else if progress.is_short {
            progress.retries += 1;
            ar2::fall_back(progress, context)
        } else {
            Phases::default()
        }
    }

    /// All pages of the command have been decoded: what the die still has to do.
    #[must_use]
    pub fn finished(&self, progress: &ReadProgress, context: &ReadContext) -> Phases {
        let (reset, roll_back) = (Phase::Reset(context.reset), Phase::SetFeature(context.set_feature));
        match (context.is_running, progress.is_short) {
            (false, false) => Phases::default(),
            (true, false) => Phases::of(&[reset]),
            (false, true) => Phases::of(&[roll_back]),
            (true, true) => Phases::of(&[reset, roll_back]),
        }
    }

    /// Where a page is sensed, in steps of the table from the default V_REF.
    #[inline]
    #[must_use]
    pub fn position(&self, attempt: u8, hints: &Hints) -> f32 {
        self.retry.position(attempt, hints, self.table_steps).unwrap_or(0.0)
    }

    /// True while there are voltages that were not tried. How many there are is the same for all pages.
    fn has_next(&self, context: &ReadContext) -> bool {
        self.retry.position(context.attempt + 1, &Hints::default(), self.table_steps).is_some()
    }

    /// There is a safe way to shorten senses.
    fn may_shorten(&self, context: &ReadContext) -> bool {
        self.retry.shortened && context.short_sense < context.sense
    }

    fn next_sense(&self, progress: &mut ReadProgress, context: &ReadContext) -> Phases {
        progress.retries += 1;
        if self.may_shorten(context) && !progress.is_short && !progress.has_fallen_back {
            return ar2::shorten(progress, context);
        }
        Phases::of(&[Phase::Sense(ar2::sense(progress, context))])
    }
}
