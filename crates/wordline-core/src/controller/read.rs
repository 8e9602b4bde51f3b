//! What happens to a read command, and what follows: by the table of its states, `read_state.rs`. Where a page is on its way is
//! `transfer.rs`, what the policy and the ECC have to do with it `retry.rs`.

use super::command::{Command, Place, planes};
use super::read_state::{Reaction, ReadEvent, ReadState};
use super::{Controller, Stage};
use crate::engine::Ns;
use crate::flash::{Failure, Owner, Phase, Status};
use crate::policy::read_retry::{ReadContext, ReadPolicy, ReadProgress};
use wordline_cells::ids::UnitId;

/// What happens.
impl Controller {
    /// A read command reaches the die: its first phases.
    #[inline(never)]
    pub(super) fn begin_read(&mut self, unit: UnitId, stage: &Stage) {
        self.retries.begin(unit, &self.units[unit][Place::Array], stage);
        let phases = self.ask(unit, Place::Array, stage, ReadPolicy::begin);
        self.units[unit][Place::Array].phases = phases;
    }

    /// A sense has ended.
    #[inline(always)]
    pub(super) fn sense_ended(&mut self, unit: UnitId, stage: &mut Stage) {
        self.counters.senses += 1;
        if stage.nand.counts_reads() {
            self.count_sense(unit, stage);
        }
        if self.retries.are_off() {
            // A command senses once, so nothing of its own is in the register.
            let state = &self.units[unit];
            let register_is_free = !state.has(Place::Register) || state.has_next_program();
            self.react(unit, Place::Array, ReadEvent::SenseEnded { register_is_free }, stage);
        } else {
            self.retried_sense_ended(unit, stage);
        }
    }

    /// See [`Controller::sense_ended`], where reads may fail.
    #[inline(never)]
    fn retried_sense_ended(&mut self, unit: UnitId, stage: &mut Stage) {
        let state = &self.units[unit];
        let are_leaving = state[Place::Array].read.to_ship & self.retries.sensing(unit) != 0;
        let register_is_free = !are_leaving && (!state.has(Place::Register) || state.has_next_program());
        self.react(unit, Place::Array, ReadEvent::SenseEnded { register_is_free }, stage);
    }

    /// A phase other than a sense has ended.
    #[inline(never)]
    pub(super) fn read_phase_ended(&mut self, unit: UnitId, ended: Option<Phase>, stage: &mut Stage) {
        let is_last = self.units[unit][Place::Array].is_over();
        let event = match ended {
            Some(Phase::Predict(_)) => ReadEvent::CheckEnded,
            _ => ReadEvent::PhaseEnded { is_last },
        };
        self.react(unit, Place::Array, event, stage);
    }

    /// The command that was there before has left the page register.
    #[inline(never)]
    pub(super) fn register_freed(&mut self, unit: UnitId, stage: &mut Stage) {
        self.react(unit, Place::Array, ReadEvent::RegisterFreed, stage);
    }

    /// It is known of a page whether it decodes: it has been decoded, or will be while the command does not wait for it.
    #[inline(always)]
    pub(super) fn page_judged(&mut self, unit: UnitId, place: Place, stage: &mut Stage) {
        let read = &self.units[unit][place].read;
        if read.pending == 0 && self.retries.are_off() {
            // The common case takes a shortcut: there is nothing left to do.
            self.release(unit, place, stage);
        } else if read.pending == 0 || read.to_ship == 0 {
            self.last_page_judged(unit, place, stage);
        }
    }

    /// No page is left in the page register, or all are decoded.
    #[inline(never)]
    fn last_page_judged(&mut self, unit: UnitId, place: Place, stage: &mut Stage) {
        let rest = self.units[unit][place].read.rest();
        self.react(unit, place, ReadEvent::PageJudged(rest), stage);
    }
}

/// What follows.
impl Controller {
    #[inline(always)]
    fn react(&mut self, unit: UnitId, place: Place, event: ReadEvent, stage: &mut Stage) {
        let read = &mut self.units[unit][place].read;
        match read.state.reaction(event) {
            Reaction::Nothing => {}
            Reaction::Wait => read.state = ReadState::Sensed,
            Reaction::Take if self.retries.are_off() => self.take_good(unit, stage),
            Reaction::Take => self.take(unit, stage),
            Reaction::Sort => self.sort(unit, stage),
            Reaction::NextPhase => _ = self.next_phase(unit, stage.now, stage),
            Reaction::Retry => self.retry(unit, stage),
            Reaction::Close => self.close(unit, place, stage),
            Reaction::Release => self.release(unit, place, stage),
        }
    }

    /// Pages that all decode cross the channel.
    #[inline(always)]
    fn take_good(&mut self, unit: UnitId, stage: &mut Stage) {
        let pages = self.units[unit][Place::Array].read.pending;
        self.leave(unit, pages, pages, stage.now, stage);
    }

    /// Pages cross the channel, or are checked on the die first.
    #[inline(never)]
    fn take(&mut self, unit: UnitId, stage: &mut Stage) {
        let before = self.retries.progress(unit);
        let good = self.retries.decoding(unit, &stage.nand);
        if stage.nand.counts_reads() {
            self.retries.note_errors(unit, good, &self.units[unit][Place::Array], stage);
        }
        let plan = self.ask(unit, Place::Array, stage, ReadPolicy::sensed);
        let command = &mut self.units[unit][Place::Array];
        command.read.state = ReadState::Sensing;
        command.phases = plan.phases;
        if !plan.ships {
            self.counters.on_die_checks += 1;
            self.next_phase(unit, stage.now, stage);
            return;
        }
        let (pending, sensed_at) = (command.read.pending, command.phase_end);
        // A plane whose page has been decoded while this sense ran drops out.
        let pages = self.retries.sensing(unit) & pending;
        if before.retries == 0 {
            self.counters.first_failures += u64::from((pages & !good).count_ones());
        }
        self.retries.note_shipped(unit, pages, sensed_at, &before);
        // The pages follow the command of the next sense, if there is one, without a gap.
        let mut free_at = stage.now;
        if plan.senses {
            self.retries.sense(unit, pending, false, &stage.nand);
            self.send_retry(unit, stage);
            free_at += stage.nand.timing.read.retry_command;
        }
        self.leave_rarely(unit, pages, good, free_at, stage);
    }

    /// See [`Reaction::Sort`].
    #[inline(never)]
    fn sort(&mut self, unit: UnitId, stage: &mut Stage) {
        let before = self.retries.progress(unit);
        let sensed_at = self.units[unit][Place::Array].phase_end;
        let good = self.retries.decoding(unit, &stage.nand);
        if stage.nand.counts_reads() {
            self.retries.note_errors(unit, good, &self.units[unit][Place::Array], stage);
        }
        let doomed = self.retries.doomed(unit, good, &stage.nand);
        let sensed = self.retries.sensing(unit);
        let pages = sensed & !doomed;
        if before.retries == 0 {
            self.counters.first_failures += u64::from((sensed & !good).count_ones());
        }
        self.counters.needless_on_die_retries += u64::from((doomed & good).count_ones());
        self.counters.missed_on_die += u64::from((pages & !good).count_ones());
        self.retries.note_shipped(unit, pages, sensed_at, &before);
        if doomed != 0 {
            let phases = self.ask(unit, Place::Array, stage, ReadPolicy::doomed);
            self.retries.sense(unit, doomed, false, &stage.nand);
            self.counters.retry_senses += 1;
            self.units[unit][Place::Array].phases = phases;
        }
        if pages == 0 {
            self.next_phase(unit, stage.now, stage);
        } else {
            self.leave_rarely(unit, pages, good, stage.now, stage);
        }
    }

    /// See [`Controller::leave`].
    #[inline(never)]
    fn leave_rarely(&mut self, unit: UnitId, pages: u8, good: u8, free_at: Ns, stage: &mut Stage) {
        self.leave(unit, pages, good, free_at, stage);
    }

    /// Pages cross the channel from now on, `good` among them. The array begins its next phase, or rests; the next command
    /// can have it if all pages are good and the second page register takes them. The channel may bring the first of them at
    /// once if it is free by `free_at`: now, or when the command that the die has just been sent is over.
    #[inline(always)]
    fn leave(&mut self, unit: UnitId, pages: u8, good: u8, free_at: Ns, stage: &mut Stage) {
        let command = &mut self.units[unit][Place::Array];
        let all_are_good = command.read.take(pages, good);
        let serial = command.serial;
        let mut place = Place::Array;
        if command.is_over() || !self.next_phase(unit, stage.now, stage) {
            self.units[unit][Place::Array].read.state = ReadState::Leaving;
            let moves = self.behaviour.cache_register
                && all_are_good
                && !self.behaviour.hold_die
                && !self.retries.is_short(unit)
                && !self.units[unit].has(Place::Register);
            if moves {
                let state = &mut self.units[unit];
                let command = state.lift(Place::Array);
                state.put(Place::Register, command);
                self.retries.moved_to_register(unit);
                place = Place::Register;
                self.offer(unit);
            }
        }
        self.ship((unit, place, serial), pages, free_at, stage);
    }

    /// See [`Reaction::Retry`].
    #[inline(never)]
    fn retry(&mut self, unit: UnitId, stage: &mut Stage) {
        let restarts = self.retries.progress(unit).restarts;
        let phases = self.ask(unit, Place::Array, stage, ReadPolicy::failed);
        if phases.is_empty() {
            return self.lose(unit, stage);
        }
        let falls_back = self.retries.progress(unit).restarts > restarts;
        self.counters.fallbacks += u64::from(falls_back);
        let command = &mut self.units[unit][Place::Array];
        command.read.state = ReadState::Sensing;
        command.phases = phases;
        self.retries.sense(unit, command.read.pending, falls_back, &stage.nand);
        self.send_retry(unit, stage);
        self.next_phase(unit, stage.now, stage);
    }

    /// Everything has been tried: the data are lost, of a page the units that have not decoded at any step. The run counts it
    /// and goes on.
    #[inline(never)]
    fn lose(&mut self, unit: UnitId, stage: &mut Stage) {
        self.retries.all_were_needed(unit);
        let command = &mut self.units[unit][Place::Array];
        for plane in planes(std::mem::take(&mut command.read.pending)) {
            self.counters.uncorrectable_pages += 1;
            let id = command.txns[plane as usize];
            let before = stage.outbox.lost.len();
            for carried in stage.outbox.txns.all_carried(id) {
                if !self.retries.is_lost(unit, plane, carried.unit) {
                    continue;
                }
                if self.behaviour.have_parity {
                    stage.outbox.lost.push((id, carried.unit));
                } else if let Owner::Request(request) = carried.owner {
                    stage.failures.push(Failure { request, status: Status::UnrecoveredReadError });
                }
            }
            stage.outbox.txns.handling(id).is_lost = stage.outbox.lost.len() > before;
            stage.done.push(id);
        }
        self.close(unit, Place::Array, stage);
    }

    /// See [`Reaction::Close`].
    #[inline(never)]
    fn close(&mut self, unit: UnitId, place: Place, stage: &mut Stage) {
        self.counters.wasted_senses += self.retries.wasted_senses(unit, place);
        let phases =
            self.ask(unit, place, stage, |policy, progress, context| policy.finished(progress, context));
        if phases.is_empty() {
            return self.release(unit, place, stage);
        }
        debug_assert!(
            place == Place::Array,
            "a command moves to the register when the array is done with it"
        );
        let command = &mut self.units[unit][Place::Array];
        command.read.state = ReadState::Closing;
        command.phases = phases;
        self.abandon(unit, stage);
        self.next_phase(unit, stage.now, stage);
    }

    /// Asks the policy about a command. What it keeps of the command changes in place.
    fn ask<T>(
        &mut self,
        unit: UnitId,
        place: Place,
        stage: &Stage,
        question: impl FnOnce(&ReadPolicy, &mut ReadProgress, &ReadContext<'_>) -> T,
    ) -> T {
        let Command { slowest, running, read, .. } = &self.units[unit][place];
        let context = ReadContext {
            sense: *slowest,
            times: &stage.nand.timing.read,
            is_running: running.is_some(),
            attempt: self.retries.attempt(unit, place, read.pending),
        };
        let (policy, progress) = self.retries.asked(unit, place);
        question(policy, progress, &context)
    }

    /// Counts the sense that has ended in the blocks of its pages, but for pages that were decoded meanwhile.
    #[inline(never)]
    fn count_sense(&mut self, unit: UnitId, stage: &mut Stage) {
        let command = &self.units[unit][Place::Array];
        let sensed = self.retries.sensing(unit) & command.read.pending;
        for (plane, &id) in command.txns().iter().enumerate() {
            if sensed >> plane & 1 == 1 {
                let reads = stage.nand.sensed(stage.outbox.txns[id].ppn);
                self.counters.block_reads_max = self.counters.block_reads_max.max(reads.into());
            }
        }
    }
}
