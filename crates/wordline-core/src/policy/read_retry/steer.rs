//! How a read goes on: source and modifiers turned into phases.

use super::{
    ChipView, DeviceView, FailedSense, ModifiersRun, PageView, ReadContext, ReadProgress, ReadRetry,
    RetryKeys, SourceMemory, SourceRun,
};
use crate::engine::{Ns, state};
use crate::flash::{Phase, Phases};
use crate::policy::Counted;
use wordline_cells::ecc::Predictor;
use wordline_cells::read::ReadAt;

/// A policy in a run, with what it has learnt.
#[derive(Debug)]
pub struct ReadPolicy {
    source: SourceRun,
    modifiers: ModifiersRun,
    /// Steps of the chip's retry table behind the default V_REF.
    table_steps: u8,
    /// Number of the last sense of a round, from 0; it is the same for all pages.
    last_attempt: u8,
    /// Senses beside each reference that soft decisions take; 0 where there are none.
    soft_senses: u8,
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

state! {
    ReadPolicy {
        parts: source, modifiers;
        derived: table_steps, last_attempt, soft_senses;
    }
}

impl ReadPolicy {
    /// The policy of a configuration that has been checked.
    #[must_use]
    pub fn new(
        retry: ReadRetry,
        keys: &RetryKeys,
        device: &DeviceView<'_>,
        chip: &ChipView<'_>,
    ) -> ReadPolicy {
        let modifiers = ModifiersRun::new(retry, &keys.modifiers, device, chip);
        let source = SourceRun::new(retry.source, &keys.sources, device, chip);
        let table_steps = chip.table_steps();
        let has = |attempt: &u8| source.position(*attempt, &SourceMemory::default(), table_steps).is_some();
        let last_attempt = (0..u8::MAX).take_while(has).last().unwrap_or(0);
        ReadPolicy { source, soft_senses: modifiers.soft_senses(), modifiers, table_steps, last_attempt }
    }

    /// A page of a command that has reached the die: what is known of it.
    #[must_use]
    pub fn page(&mut self, progress: &mut ReadProgress, page: &PageView<'_>) -> SourceMemory {
        self.modifiers.page(&mut progress.modifiers, page);
        let memory = self.source.page(page);
        progress.is_retrying |= self.source.expects_failure(&memory);
        memory
    }

    /// The command has reached the die, and its pages are known: its first phases.
    #[must_use]
    pub fn begin(&self, progress: &mut ReadProgress, context: &ReadContext<'_>) -> Phases {
        self.sense(progress, context, 0)
    }

    /// A sense has ended and the page register is free to take its data.
    #[must_use]
    pub fn sensed(&self, progress: &mut ReadProgress, context: &ReadContext<'_>) -> ReadPlan {
        if self.source.checks_on_die(progress) {
            let phases = Phases::of(&[Phase::Predict(context.times.on_die_check)]);
            return ReadPlan { phases, ..ReadPlan::default() };
        }
        let mut plan = ReadPlan { ships: true, ..ReadPlan::default() };
        if self.modifiers.senses_on(progress) {
            plan.phases = if progress.soft > 0 {
                self.soft_sense(progress, context)
            } else if self.has_next(context) {
                self.next_sense(progress, context)
            } else {
                Phases::default()
            };
            plan.senses = !plan.phases.is_empty();
        }
        plan
    }

    /// The check on the die has ended and found doomed pages: sense those again, without a command.
    #[must_use]
    pub fn doomed(&self, progress: &mut ReadProgress, context: &ReadContext<'_>) -> Phases {
        progress.on_die += 1;
        progress.retries = progress.retries.saturating_add(1);
        self.sense(progress, context, 0)
    }

    /// Nothing of the command is under way any more, and some pages have not decoded: the next phases,
    /// or none when everything has been tried.
    #[must_use]
    pub fn failed(&self, progress: &mut ReadProgress, context: &ReadContext<'_>) -> Phases {
        progress.is_retrying = true;
        if progress.soft > 0 {
            return self.soft_sense(progress, context);
        }
        if self.has_next(context) {
            return self.next_sense(progress, context);
        }
        let mut memory = progress.modifiers;
        if !self.modifiers.starts_again(&mut memory, progress) {
            return self.soft_sense(progress, context);
        }
        progress.modifiers = memory;
        progress.restarts += 1;
        self.next_sense(progress, context)
    }

    /// All pages of the command have been decoded: what the die still has to do.
    #[must_use]
    pub fn finished(&self, progress: &ReadProgress, context: &ReadContext<'_>) -> Phases {
        let times = context.times;
        let (reset, roll_back) = (Phase::Reset(times.reset), Phase::SetFeature(times.set_feature));
        match (context.is_running, progress.is_short()) {
            (false, false) => Phases::default(),
            (true, false) => Phases::of(&[reset]),
            (false, true) => Phases::of(&[roll_back]),
            (true, true) => Phases::of(&[reset, roll_back]),
        }
    }

    /// The voltages of a sense.
    #[inline]
    #[must_use]
    pub fn position(&self, attempt: u8, memory: &SourceMemory) -> ReadAt {
        self.source.position(attempt, memory, self.table_steps).unwrap_or(ReadAt::Entry(0))
    }

    /// Learns from a sense where the next should read.
    #[inline]
    pub fn estimate(&self, memory: &mut SourceMemory, sense: &FailedSense<'_>) {
        self.source.estimate(memory, sense);
    }

    /// The pages of a command decode after so many retry senses, whatever their errors.
    #[inline]
    #[must_use]
    pub fn decodes_anyway(&self, retries: u8) -> bool {
        self.source.decodes_anyway(retries)
    }

    /// Senses beside each reference that soft decisions take; 0 where there are none.
    #[inline]
    #[must_use]
    pub fn soft_senses(&self) -> u8 {
        self.soft_senses
    }

    /// The circuit with which the die checks pages.
    #[inline]
    #[must_use]
    pub fn predictor(&self) -> Option<&Predictor> {
        self.source.predictor()
    }

    /// A page decoded at a step of the table.
    #[inline]
    pub fn learn(&mut self, memory: &SourceMemory, step: u8) {
        self.source.learn(memory, step);
    }

    /// What source and modifiers have counted of their own.
    #[must_use]
    pub fn counted(&self) -> Vec<Counted> {
        [vec![self.source.counted()], self.modifiers.counted()].concat()
    }

    /// True while there are voltages that were not tried.
    fn has_next(&self, context: &ReadContext<'_>) -> bool {
        context.attempt < self.last_attempt
    }

    fn next_sense(&self, progress: &mut ReadProgress, context: &ReadContext<'_>) -> Phases {
        // The longest tables, walked twice, come to the end of a byte.
        progress.retries = progress.retries.saturating_add(1);
        self.sense(progress, context, context.times.retry_command)
    }

    /// The next sense beside the references, at the default timing; nothing where the last has been taken, or there is
    /// none.
    fn soft_sense(&self, progress: &mut ReadProgress, context: &ReadContext<'_>) -> Phases {
        if progress.soft == self.soft_senses {
            return Phases::default();
        }
        progress.soft += 1;
        self.next_sense(progress, context)
    }

    /// A sense at the timing that the modifiers want, set before it where another one is in force. `command` is the bus
    /// time of its command, unless that has passed.
    fn sense(&self, progress: &mut ReadProgress, context: &ReadContext<'_>, command: Ns) -> Phases {
        let cut = self.modifiers.timing(progress, context);
        let sense = cut.map_or(context.sense, |cut| context.times.shortened(context.sense, cut.fraction));
        let time = command + sense;
        if cut == progress.cut {
            return Phases::of(&[Phase::Sense(time)]);
        }
        progress.cut = cut;
        Phases::of(&[Phase::SetFeature(context.times.set_feature), Phase::Sense(time)])
    }
}
