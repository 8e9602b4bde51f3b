//! The array of a LUN: phases begin and end, commands are released, reads suspend programs and erases. What follows in a
//! read is in `read.rs`.

use super::command::{Command, Place};
use super::lun::Lun;
use super::{Controller, Shared};
use crate::config::{EraseYield, SuspendLoaded};
use crate::engine::{Event, Ns};
use crate::flash::{Phase, Phases, TxnOp};
use crate::nand::{LunId, NONE};

impl Controller {
    /// Starts the next phase of the command in the array at `at`, if it has one; true if it has.
    #[inline(never)]
    pub(super) fn next_phase(&mut self, lun: LunId, at: u64, shared: &mut Shared) -> bool {
        let state = &mut self.luns[lun];
        let command = &mut state[Place::Array];
        let Some(phase) = command.resumed.take().or_else(|| command.phases.next_phase()) else {
            command.running = None;
            return false;
        };
        start_phase(state, lun, phase, at, shared);
        self.send_phase(lun, phase, shared);
        true
    }

    /// A `Die` event: a phase in the array of a LUN has ended.
    #[inline(always)]
    pub fn phase_ended(&mut self, lun: LunId, ticket: u64, shared: &mut Shared) {
        let state = &mut self.luns[lun];
        let is_there = state.has(Place::Array);
        let command = &mut state[Place::Array];
        if command.ticket != ticket || !is_there {
            return;
        }
        let ended = command.running.take();
        if matches!(ended, Some(Phase::Sense(_))) && command.op == TxnOp::Read {
            self.sense_ended(lun, shared);
        } else {
            self.other_phase_ended(lun, ended, shared);
        }
    }

    /// A phase other than the sense of a read has ended.
    #[inline(never)]
    fn other_phase_ended(&mut self, lun: LunId, ended: Option<Phase>, shared: &mut Shared) {
        match ended {
            Some(Phase::Suspend(_)) => return self.release(lun, Place::Array, shared),
            Some(Phase::Reset(_)) => self.counters.resets += 1,
            Some(Phase::SetFeature(_)) => self.counters.set_features += 1,
            _ => {}
        }
        let command = &self.luns[lun][Place::Array];
        match command.op {
            TxnOp::Read => self.read_phase_ended(lun, ended, shared),
            _ if !command.is_over() => {
                self.next_phase(lun, shared.now, shared);
                // The phase before may have been one that no read interrupts.
                self.look_again(lun, shared);
            }
            TxnOp::Program | TxnOp::Copyback | TxnOp::Adjust => self.complete_all(lun, shared),
            TxnOp::Erase => self.erase_loop_ended(lun, shared),
        }
    }

    fn erase_loop_ended(&mut self, lun: LunId, shared: &mut Shared) {
        let state = &mut self.luns[lun];
        let command = &mut state[Place::Array];
        self.erases.next_loop(lun, command, shared);
        if command.phases.is_empty() {
            self.counters.incomplete_erases += self.erases.ended(lun, command, shared);
            self.complete_all(lun, shared);
            return;
        }
        let state = &self.luns[lun];
        let yields = self.behaviour.erase_yield != EraseYield::None
            && state.has_read_waiting()
            && !state.has(Place::Suspended)
            && !self.is_overdue(&state[Place::Array], shared);
        let state = &mut self.luns[lun];
        if yields {
            let command = state.lift(Place::Array);
            state.put(Place::Suspended, command);
            self.offer(lun);
            return;
        }
        self.next_phase(lun, shared.now, shared);
    }

    /// A program, erase or adjustment is over: all its transactions are done.
    fn complete_all(&mut self, lun: LunId, shared: &mut Shared) {
        let op = self.luns[lun][Place::Array].op;
        for &id in self.luns[lun][Place::Array].txns() {
            let txn = &shared.outbox.txns[id];
            if txn.op == TxnOp::Adjust {
                shared.nand.adjusted(txn.ppn, txn.invalid);
            }
            shared.outbox.txns.handling(id).sensed = shared.now;
            shared.done.push(id);
        }
        self.give_power_back(op, shared);
        self.release(lun, Place::Array, shared);
    }

    /// A place of the LUN is free again.
    #[inline(always)]
    pub(super) fn release(&mut self, lun: LunId, place: Place, shared: &mut Shared) {
        let state = &mut self.luns[lun];
        state.free(place);
        if !state.is_idle() {
            self.released_beside(lun, place, shared);
        } else if state.has_work() {
            self.offer(lun);
        }
    }

    /// A place of the LUN is free, and there is a command in another that may have waited for it.
    #[inline(never)]
    fn released_beside(&mut self, lun: LunId, place: Place, shared: &mut Shared) {
        let state = &mut self.luns[lun];
        if state.has(if place == Place::Array { Place::Register } else { Place::Array }) {
            self.other_goes_on(lun, place, shared);
        }
        if self.luns[lun].has_work() {
            self.offer(lun);
        }
    }

    fn other_goes_on(&mut self, lun: LunId, place: Place, shared: &mut Shared) {
        let state = &mut self.luns[lun];
        if place == Place::Array && state.has_next_program() {
            if state.has(Place::Suspended) {
                // The program before it is not over.
                return;
            }
            // The next program's data is in, or on its way in, already.
            let command = state.lift(Place::Register);
            let at = state.put(Place::Array, command).phase_end.max(shared.now);
            if self.behaviour.loads_by_page && self.is_loading(lun) {
                // It begins when its last page is there.
                return;
            }
            self.begin_in_array(lun, at, shared);
            // Reads had no place beside its data until now.
            self.look_again(lun, shared);
        } else if place == Place::Register {
            self.register_freed(lun, shared);
        }
    }

    /// Abandons what the array is doing for its read, and takes the time that is saved off the account.
    pub(super) fn abandon(&mut self, lun: LunId, shared: &mut Shared) {
        let state = &mut self.luns[lun];
        let command = &mut state[Place::Array];
        if command.running.take().is_some() {
            state.busy[kind(command.op)] -= command.phase_end - shared.now;
            shared.timeline.end_array(lun, shared.now);
        }
    }

    /// True while a write of the host has taken so long that nothing is suspended.
    fn write_comes_first(&self, oldest_write: Option<Ns>, now: Ns) -> bool {
        oldest_write.is_some_and(|taken| now - taken >= self.behaviour.suspend_write_limit)
    }

    /// The oldest write of the host is complete, and now another is: reads that waited for it may interrupt something.
    #[inline(never)]
    pub fn oldest_write_changed(&mut self, oldest_write: Option<Ns>, shared: &mut Shared) {
        let before = std::mem::replace(&mut shared.oldest_write, oldest_write);
        if self.write_comes_first(before, shared.now) && !self.write_comes_first(oldest_write, shared.now) {
            (0..self.luns.all().len() as u32).for_each(|lun| self.look_again(LunId::new(lun), shared));
        }
    }

    /// Looks again whether waiting reads interrupt what a LUN does: something that kept them from it has changed.
    #[inline(never)]
    pub fn look_again(&mut self, lun: LunId, shared: &mut Shared) {
        let state = &self.luns[lun];
        if self.behaviour.may_suspend && state.has(Place::Array) && state.has_read_waiting() {
            self.try_suspend(lun, shared);
        }
    }

    /// How long a program runs on before it can be suspended.
    fn until_suspend_point(&self, phase: Phase, remaining: Ns) -> Ns {
        let (Phase::Program(time), every @ 1..) = (phase, self.behaviour.suspend_every) else { return 0 };
        match time - remaining {
            0 => every,
            run => run.next_multiple_of(every) - run,
        }
    }

    /// Interrupts what is in the array for a read that has just come: a program or erase, where that is allowed.
    #[inline(never)]
    pub(super) fn try_suspend(&mut self, lun: LunId, shared: &mut Shared) {
        let state = &self.luns[lun];
        let command = &state[Place::Array];
        let allowed = match command.op {
            TxnOp::Program => self.behaviour.suspend_program,
            TxnOp::Erase => self.behaviour.erase_yield.stops_loops(),
            TxnOp::Read | TxnOp::Copyback | TxnOp::Adjust => false,
        };
        let Some(phase) = command.running.filter(|phase| allowed && phase.is_suspendable()) else {
            return;
        };
        let remaining = command.phase_end - shared.now;
        if remaining > phase.ns() {
            // Its data is still on its way: once the phase begins, reads look again.
            shared.events.push(command.phase_end - phase.ns(), Event::Look(lun));
            return;
        }
        let next_is_loaded = state.has_next_program();
        let is_taken = state.has(Place::Suspended)
            || next_is_loaded && self.behaviour.suspend_loaded == SuspendLoaded::Never;
        if remaining <= self.behaviour.suspend_min_remaining
            || command.suspends >= self.behaviour.max_suspends
            || command.has_its_turn
            || is_taken
            || self.write_comes_first(shared.oldest_write, shared.now)
            || self.is_overdue(command, shared)
        {
            return;
        }
        let until_point = self.until_suspend_point(phase, remaining);
        if until_point > 0 {
            // Reads look again there.
            if until_point < remaining {
                shared.events.push(shared.now + until_point, Event::Look(lun));
            }
            return;
        }
        let state = &mut self.luns[lun];
        let command = &mut state.commands[Place::Array as usize];
        let begins_again = command.op == TxnOp::Erase && self.behaviour.erase_yield == EraseYield::Restart;
        if begins_again && self.erases.is_last_loop(lun, command, shared) {
            return;
        }
        let timing = &shared.nand.timing;
        let (halt, left) = match phase {
            Phase::Program(_) => (timing.program_suspend, Phase::Program(remaining + timing.resume)),
            // The pulse that is cut short costs time alone, as in the simulator of AERO's authors. In a chip it would erase
            // and wear the cells somewhat.
            pulse if begins_again => (timing.erase_suspend, pulse),
            _ => (timing.erase_suspend, Phase::Pulse(remaining + timing.resume)),
        };
        let op = command.op;
        state.busy[kind(op)] -= remaining;
        command.suspends += 1;
        command.running = Some(left);
        command.ticket = 0;
        let command = state.lift(Place::Array);
        state.put(Place::Suspended, command);
        let halting = Command {
            op,
            planes: 1,
            serial: self.luns.next_serial(),
            phases: Phases::of(&[Phase::Suspend(halt)]),
            ..Command::default()
        };
        self.luns[lun].put(Place::Array, halting);
        self.counters.suspends += 1;
        if next_is_loaded {
            self.counters.loaded_suspends += 1;
            self.make_way(lun);
        }
        self.next_phase(lun, shared.now, shared);
    }
}

/// Starts a phase of the command in the array of a LUN at `at`.
#[inline(always)]
pub(super) fn start_phase(state: &mut Lun, lun: LunId, phase: Phase, at: u64, shared: &mut Shared) {
    let command = &mut state.commands[Place::Array as usize];
    command.running = Some(phase);
    command.phase_end = at + phase.ns();
    command.ticket = shared.events.push(command.phase_end, Event::Die(lun));
    state.busy[kind(command.op)] += phase.ns();
    if shared.timeline.is_on() && command.txns[0] != NONE {
        show_phase(command, lun, phase, at, shared);
    }
}

/// Puts a phase on the timeline.
#[inline(never)]
fn show_phase(command: &Command, lun: LunId, phase: Phase, at: u64, shared: &mut Shared) {
    let is_read = command.op == TxnOp::Read;
    let plane = if is_read { command.read.pending().trailing_zeros() as usize } else { 0 };
    match command.txns().get(plane) {
        Some(&id) => shared.timeline.array(lun, phase, at, (&shared.outbox.txns, id)),
        None => shared.timeline.array_goes_on(lun, phase, at),
    }
}

/// Index into a LUN's account of array time.
pub(super) fn kind(op: TxnOp) -> usize {
    match op {
        TxnOp::Read => 0,
        TxnOp::Program | TxnOp::Copyback | TxnOp::Adjust => 1,
        TxnOp::Erase => 2,
    }
}
