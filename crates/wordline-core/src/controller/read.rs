//! What happens to a read command, and what follows: by the table of its states, `read_state.rs`. Where a page is on its way is
//! `transfer.rs`, what the policy and the ECC have to do with it `retry.rs`.

use super::command::{Command, Place, planes};
use super::read_state::{Reaction, ReadEvent, ReadState};
use super::{Controller, Shared};
use crate::engine::Ns;
use crate::flash::{Failure, Owner, Phase, Status};
use crate::policy::read_retry::{ReadContext, ReadPolicy, ReadProgress};
use wordline_cells::ids::LunId;

/// What happens.
impl Controller {
    /// A read command reaches the die: its first phases.
    #[inline(never)]
    pub(super) fn begin_read(&mut self, lun: LunId, shared: &Shared) {
        self.retries.begin(lun, &self.luns[lun][Place::Array], shared);
        let phases = self.ask(lun, Place::Array, shared, ReadPolicy::begin);
        self.luns[lun][Place::Array].phases = phases;
    }

    /// A sense has ended.
    #[inline(always)]
    pub(super) fn sense_ended(&mut self, lun: LunId, shared: &mut Shared) {
        self.counters.senses += 1;
        if shared.nand.counts_reads() {
            self.count_sense(lun, shared);
        }
        if self.retries.are_off() {
            // A command senses once, so nothing of its own is in the register.
            let state = &self.luns[lun];
            let register_is_free = !state.has(Place::Register) || state.has_next_program();
            self.react(lun, Place::Array, ReadEvent::SenseEnded { register_is_free }, shared);
        } else {
            self.retried_sense_ended(lun, shared);
        }
    }

    /// See [`Controller::sense_ended`], where reads may fail.
    #[inline(never)]
    fn retried_sense_ended(&mut self, lun: LunId, shared: &mut Shared) {
        let state = &self.luns[lun];
        let are_leaving = state[Place::Array].read.to_ship & self.retries.sensing(lun) != 0;
        let register_is_free = !are_leaving && (!state.has(Place::Register) || state.has_next_program());
        self.react(lun, Place::Array, ReadEvent::SenseEnded { register_is_free }, shared);
    }

    /// A phase other than a sense has ended.
    #[inline(never)]
    pub(super) fn read_phase_ended(&mut self, lun: LunId, ended: Option<Phase>, shared: &mut Shared) {
        let is_last = self.luns[lun][Place::Array].is_over();
        let event = match ended {
            Some(Phase::Predict(_)) => ReadEvent::CheckEnded,
            _ => ReadEvent::PhaseEnded { is_last },
        };
        self.react(lun, Place::Array, event, shared);
    }

    /// The command that was there before has left the page register.
    #[inline(never)]
    pub(super) fn register_freed(&mut self, lun: LunId, shared: &mut Shared) {
        self.react(lun, Place::Array, ReadEvent::RegisterFreed, shared);
    }

    /// It is known of a page whether it decodes: it has been decoded, or will be while the command does not wait for it.
    #[inline(always)]
    pub(super) fn page_judged(&mut self, lun: LunId, place: Place, shared: &mut Shared) {
        let read = &self.luns[lun][place].read;
        if read.pending == 0 && self.retries.are_off() {
            // The common case takes a shortcut: there is nothing left to do.
            self.release(lun, place, shared);
        } else if read.pending == 0 || read.to_ship == 0 {
            self.last_page_judged(lun, place, shared);
        }
    }

    /// No page is left in the page register, or all are decoded.
    #[inline(never)]
    fn last_page_judged(&mut self, lun: LunId, place: Place, shared: &mut Shared) {
        let rest = self.luns[lun][place].read.rest();
        self.react(lun, place, ReadEvent::PageJudged(rest), shared);
    }
}

/// What follows.
impl Controller {
    #[inline(always)]
    fn react(&mut self, lun: LunId, place: Place, event: ReadEvent, shared: &mut Shared) {
        let read = &mut self.luns[lun][place].read;
        match read.state.reaction(event) {
            Reaction::Nothing => {}
            Reaction::Wait => read.state = ReadState::Sensed,
            Reaction::Take if self.retries.are_off() => self.take_good(lun, shared),
            Reaction::Take => self.take(lun, shared),
            Reaction::Sort => self.sort(lun, shared),
            Reaction::NextPhase => _ = self.next_phase(lun, shared.now, shared),
            Reaction::Retry => self.retry(lun, shared),
            Reaction::Close => self.close(lun, place, shared),
            Reaction::Release => self.release(lun, place, shared),
        }
    }

    /// Pages that all decode cross the channel.
    #[inline(always)]
    fn take_good(&mut self, lun: LunId, shared: &mut Shared) {
        let pages = self.luns[lun][Place::Array].read.pending;
        self.leave(lun, pages, pages, shared.now, shared);
    }

    /// Pages cross the channel, or are checked on the die first.
    #[inline(never)]
    fn take(&mut self, lun: LunId, shared: &mut Shared) {
        let before = self.retries.progress(lun);
        let good = self.retries.decoding(lun, &shared.nand);
        if shared.nand.counts_reads() {
            self.retries.note_errors(lun, good, &self.luns[lun][Place::Array], shared);
        }
        let plan = self.ask(lun, Place::Array, shared, ReadPolicy::sensed);
        let command = &mut self.luns[lun][Place::Array];
        command.read.state = ReadState::Sensing;
        command.phases = plan.phases;
        if !plan.ships {
            self.counters.on_die_checks += 1;
            self.next_phase(lun, shared.now, shared);
            return;
        }
        let (pending, sensed_at) = (command.read.pending, command.phase_end);
        // A plane whose page has been decoded while this sense ran drops out.
        let pages = self.retries.sensing(lun) & pending;
        if before.retries == 0 {
            self.counters.first_failures += u64::from((pages & !good).count_ones());
        }
        self.retries.note_shipped(lun, pages, sensed_at, &before);
        // The pages follow the command of the next sense, if there is one, without a gap.
        let mut free_at = shared.now;
        if plan.senses {
            self.retries.sense(lun, pending, false, &shared.nand);
            self.send_retry(lun, shared);
            free_at += shared.nand.timing.read.retry_command;
        }
        self.leave_rarely(lun, pages, good, free_at, shared);
    }

    /// See [`Reaction::Sort`].
    #[inline(never)]
    fn sort(&mut self, lun: LunId, shared: &mut Shared) {
        let before = self.retries.progress(lun);
        let sensed_at = self.luns[lun][Place::Array].phase_end;
        let good = self.retries.decoding(lun, &shared.nand);
        if shared.nand.counts_reads() {
            self.retries.note_errors(lun, good, &self.luns[lun][Place::Array], shared);
        }
        let doomed = self.retries.doomed(lun, good, &shared.nand);
        let sensed = self.retries.sensing(lun);
        let pages = sensed & !doomed;
        if before.retries == 0 {
            self.counters.first_failures += u64::from((sensed & !good).count_ones());
        }
        self.counters.needless_on_die_retries += u64::from((doomed & good).count_ones());
        self.counters.missed_on_die += u64::from((pages & !good).count_ones());
        self.retries.note_shipped(lun, pages, sensed_at, &before);
        if doomed != 0 {
            let phases = self.ask(lun, Place::Array, shared, ReadPolicy::doomed);
            self.retries.sense(lun, doomed, false, &shared.nand);
            self.counters.retry_senses += 1;
            self.luns[lun][Place::Array].phases = phases;
        }
        if pages == 0 {
            self.next_phase(lun, shared.now, shared);
        } else {
            self.leave_rarely(lun, pages, good, shared.now, shared);
        }
    }

    /// See [`Controller::leave`].
    #[inline(never)]
    fn leave_rarely(&mut self, lun: LunId, pages: u8, good: u8, free_at: Ns, shared: &mut Shared) {
        self.leave(lun, pages, good, free_at, shared);
    }

    /// Pages cross the channel from now on, `good` among them. The array begins its next phase, or rests; the next command
    /// can have it if all pages are good and the second page register takes them. The channel may bring the first of them at
    /// once if it is free by `free_at`: now, or when the command that the die has just been sent is over.
    #[inline(always)]
    fn leave(&mut self, lun: LunId, pages: u8, good: u8, free_at: Ns, shared: &mut Shared) {
        let command = &mut self.luns[lun][Place::Array];
        let all_are_good = command.read.take(pages, good);
        let serial = command.serial;
        let mut place = Place::Array;
        if command.is_over() || !self.next_phase(lun, shared.now, shared) {
            self.luns[lun][Place::Array].read.state = ReadState::Leaving;
            let moves = self.behaviour.cache_register
                && all_are_good
                && !self.behaviour.hold_die
                && !self.retries.is_short(lun)
                && !self.luns[lun].has(Place::Register);
            if moves {
                let state = &mut self.luns[lun];
                let command = state.lift(Place::Array);
                state.put(Place::Register, command);
                self.retries.moved_to_register(lun);
                place = Place::Register;
                self.offer(lun);
            }
        }
        self.ship((lun, place, serial), pages, free_at, shared);
    }

    /// See [`Reaction::Retry`].
    #[inline(never)]
    fn retry(&mut self, lun: LunId, shared: &mut Shared) {
        let restarts = self.retries.progress(lun).restarts;
        let phases = self.ask(lun, Place::Array, shared, ReadPolicy::failed);
        if phases.is_empty() {
            return self.lose(lun, shared);
        }
        let falls_back = self.retries.progress(lun).restarts > restarts;
        self.counters.fallbacks += u64::from(falls_back);
        let command = &mut self.luns[lun][Place::Array];
        command.read.state = ReadState::Sensing;
        command.phases = phases;
        self.retries.sense(lun, command.read.pending, falls_back, &shared.nand);
        self.send_retry(lun, shared);
        self.next_phase(lun, shared.now, shared);
    }

    /// Everything has been tried: the data are lost, of a page the units that have not decoded at any step. The run counts it
    /// and goes on.
    #[inline(never)]
    fn lose(&mut self, lun: LunId, shared: &mut Shared) {
        self.retries.all_were_needed(lun);
        let command = &mut self.luns[lun][Place::Array];
        for plane in planes(std::mem::take(&mut command.read.pending)) {
            self.counters.uncorrectable_pages += 1;
            let id = command.txns[plane as usize];
            let before = shared.outbox.lost.len();
            for carried in shared.outbox.txns.all_carried(id) {
                if !self.retries.is_lost(lun, plane, carried.unit) {
                    continue;
                }
                if self.behaviour.have_parity {
                    shared.outbox.lost.push((id, carried.unit));
                } else if let Owner::Request(request) = carried.owner {
                    shared.failures.push(Failure { request, status: Status::UnrecoveredReadError });
                }
            }
            shared.outbox.txns.handling(id).is_lost = shared.outbox.lost.len() > before;
            shared.done.push(id);
        }
        self.close(lun, Place::Array, shared);
    }

    /// See [`Reaction::Close`].
    #[inline(never)]
    fn close(&mut self, lun: LunId, place: Place, shared: &mut Shared) {
        self.counters.wasted_senses += self.retries.wasted_senses(lun, place);
        let phases =
            self.ask(lun, place, shared, |policy, progress, context| policy.finished(progress, context));
        if phases.is_empty() {
            return self.release(lun, place, shared);
        }
        debug_assert!(
            place == Place::Array,
            "a command moves to the register when the array is done with it"
        );
        let command = &mut self.luns[lun][Place::Array];
        command.read.state = ReadState::Closing;
        command.phases = phases;
        self.abandon(lun, shared);
        self.next_phase(lun, shared.now, shared);
    }

    /// Asks the policy about a command. What it keeps of the command changes in place.
    fn ask<T>(
        &mut self,
        lun: LunId,
        place: Place,
        shared: &Shared,
        question: impl FnOnce(&ReadPolicy, &mut ReadProgress, &ReadContext<'_>) -> T,
    ) -> T {
        let Command { slowest, running, read, .. } = &self.luns[lun][place];
        let context = ReadContext {
            sense: *slowest,
            times: &shared.nand.timing.read,
            is_running: running.is_some(),
            attempt: self.retries.attempt(lun, place, read.pending),
        };
        let (policy, progress) = self.retries.asked(lun, place);
        question(policy, progress, &context)
    }

    /// Counts the sense that has ended in the blocks of its pages, but for pages that were decoded meanwhile.
    #[inline(never)]
    fn count_sense(&mut self, lun: LunId, shared: &mut Shared) {
        let command = &self.luns[lun][Place::Array];
        let sensed = self.retries.sensing(lun) & command.read.pending;
        for (plane, &id) in command.txns().iter().enumerate() {
            if sensed >> plane & 1 == 1 {
                let reads = shared.nand.sensed(shared.outbox.txns[id].ppn);
                self.counters.block_reads_max = self.counters.block_reads_max.max(reads.into());
            }
        }
    }
}
