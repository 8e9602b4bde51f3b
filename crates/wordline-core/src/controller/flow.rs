//! A command on its way through array, register, channel and ECC, until its transactions are done.

use super::bus::Shipment;
use super::unit::{ARRAY, Command, REGISTER, SUSPENDED, Unit};
use super::{Controller, Decode, Stage};
use crate::config::{EccEngine, EraseYield};
use crate::engine::Event;
use crate::flash::{Class, Phase, Phases, TxnOp};
use crate::nand::NONE;
use wordline_cells::ecc::Verdict;

/// Which sense of a page has come to the controller.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ArrivedSense {
    /// Retry senses before it and it.
    pub retries: u8,
    /// Step of the retry table that it was sensed at.
    pub step: u8,
    /// Iterations that the decoder takes for it.
    pub iterations: u8,
}

impl Controller {
    /// Starts the next phase of the command in the array at `at`, if it has one; true if it has.
    #[inline(never)]
    pub(super) fn next_phase(&mut self, unit: u32, at: u64, stage: &mut Stage) -> bool {
        let state = &mut self.units[unit as usize];
        let command = &mut state.slots[ARRAY];
        let Some(phase) = command.resumed.take().or_else(|| command.phases.next_phase()) else {
            command.running = None;
            return false;
        };
        start_phase(state, unit, phase, at, stage);
        true
    }

    /// A `Die` event: a phase in the array of a unit has ended.
    #[inline(always)]
    pub fn phase_ended(&mut self, unit: u32, ticket: u64, stage: &mut Stage) {
        let state = &mut self.units[unit as usize];
        let is_there = state.has(ARRAY);
        let command = &mut state.slots[ARRAY];
        if command.ticket != ticket || !is_there {
            return;
        }
        let ended = command.running.take();
        if matches!(ended, Some(Phase::Sense(_))) && command.op == TxnOp::Read {
            self.counters.senses += 1;
            self.sensed(unit, stage);
        } else {
            self.other_phase_ended(unit, ended, stage);
        }
    }

    /// A phase other than the sense of a read has ended.
    #[inline(never)]
    fn other_phase_ended(&mut self, unit: u32, ended: Option<Phase>, stage: &mut Stage) {
        match ended {
            Some(Phase::Predict(_)) => self.checked_on_die(unit, stage),
            Some(Phase::Suspend(_)) => self.release(unit, ARRAY, stage),
            _ => {
                match ended {
                    Some(Phase::Reset(_)) => self.counters.resets += 1,
                    Some(Phase::SetFeature(_)) => self.counters.set_features += 1,
                    _ => {}
                }
                if self.units[unit as usize].slots[ARRAY].is_over() {
                    self.phases_are_over(unit, stage);
                } else {
                    self.next_phase(unit, stage.now, stage);
                }
            }
        }
    }

    /// The command in the array has no phase left.
    fn phases_are_over(&mut self, unit: u32, stage: &mut Stage) {
        match self.units[unit as usize].slots[ARRAY].op {
            TxnOp::Read => self.go_on(unit, ARRAY, stage),
            TxnOp::Program | TxnOp::Copyback | TxnOp::Adjust => self.complete_all(unit, stage),
            TxnOp::Erase => self.erase_loop_ended(unit, stage),
        }
    }

    fn erase_loop_ended(&mut self, unit: u32, stage: &mut Stage) {
        let state = &mut self.units[unit as usize];
        let command = &mut state.slots[ARRAY];
        self.erases.next_loop(unit, command, stage);
        if command.phases.is_empty() {
            self.counters.incomplete_erases += self.erases.ended(unit, command, stage);
            self.complete_all(unit, stage);
            return;
        }
        let read_waits = state.has_waiting(Class::UserRead) || state.has_waiting(Class::MapRead);
        if self.behaviour.erase_yield != EraseYield::None && read_waits && !state.has(SUSPENDED) {
            let command = state.lift(ARRAY);
            state.put(SUSPENDED, command);
            self.offer(unit);
            return;
        }
        self.next_phase(unit, stage.now, stage);
    }

    /// A program, erase or adjustment is over: all its transactions are done.
    fn complete_all(&mut self, unit: u32, stage: &mut Stage) {
        for &id in self.units[unit as usize].slots[ARRAY].txns() {
            let txn = &stage.outbox.txns[id];
            if txn.op == TxnOp::Adjust {
                stage.nand.adjusted(txn.ppn, txn.invalid);
            }
            stage.outbox.txns.handling(id).sensed = stage.now;
            stage.done.push(id);
        }
        self.release(unit, ARRAY, stage);
    }

    /// A place of the unit is free again.
    #[inline(always)]
    fn release(&mut self, unit: u32, slot: usize, stage: &mut Stage) {
        let state = &mut self.units[unit as usize];
        state.free(slot);
        if !state.is_idle() {
            self.released_beside(unit, slot, stage);
        } else if state.has_work() {
            self.offer(unit);
        }
    }

    /// A place of the unit is free, and there is a command in another that may have waited for it.
    #[inline(never)]
    fn released_beside(&mut self, unit: u32, slot: usize, stage: &mut Stage) {
        let state = &mut self.units[unit as usize];
        if state.has(if slot == ARRAY { REGISTER } else { ARRAY }) {
            self.other_goes_on(unit, slot, stage);
        }
        if self.units[unit as usize].has_work() {
            self.offer(unit);
        }
    }

    fn other_goes_on(&mut self, unit: u32, slot: usize, stage: &mut Stage) {
        let state = &mut self.units[unit as usize];
        if slot == ARRAY && state.slots[REGISTER].op == TxnOp::Program {
            // The next program's data is in, or on its way in, already.
            let command = state.lift(REGISTER);
            let at = state.put(ARRAY, command).phase_end.max(stage.now);
            self.next_phase(unit, at, stage);
        } else if slot == REGISTER && state.slots[ARRAY].sense_waits {
            state.slots[ARRAY].sense_waits = false;
            self.sensed(unit, stage);
        }
    }

    /// A sense has ended.
    #[inline(always)]
    fn sensed(&mut self, unit: u32, stage: &mut Stage) {
        if !self.retries.are_off() {
            self.retried_sensed(unit, stage);
            return;
        }
        let state = &mut self.units[unit as usize];
        if state.slots[ARRAY].to_ship != 0 || state.has(REGISTER) {
            state.slots[ARRAY].sense_waits = true;
        } else {
            let pages = state.slots[ARRAY].pending;
            self.ship_now(unit, pages, pages, stage);
        }
    }

    /// A sense of a read that may fail has ended.
    #[inline(never)]
    fn retried_sensed(&mut self, unit: u32, stage: &mut Stage) {
        let state = &mut self.units[unit as usize];
        let leaving = state.slots[ARRAY].to_ship & self.retries.sensing(unit);
        if leaving != 0 || state.has(REGISTER) {
            state.slots[ARRAY].sense_waits = true;
        } else {
            self.retry_sensed(unit, stage);
        }
    }

    /// Pages in the register cross the channel, those in `decoding` to be decoded; the array goes on with
    /// its next phase.
    #[inline(never)]
    pub(super) fn ship(&mut self, unit: u32, pages: u8, decoding: u8, stage: &mut Stage) {
        self.ship_now(unit, pages, decoding, stage);
    }

    /// See [`Controller::ship`].
    #[inline(always)]
    fn ship_now(&mut self, unit: u32, pages: u8, decoding: u8, stage: &mut Stage) {
        let command = &mut self.units[unit as usize].slots[ARRAY];
        command.to_ship |= pages;
        command.decodes = command.decodes & !pages | decoding & pages;
        let all_decode = command.pending & !(pages & decoding) == 0;
        let (serial, planes) = (command.serial, command.planes);
        let mut slot = ARRAY;
        let is_over = command.is_over();
        if is_over {
            command.running = None;
        }
        if !is_over && self.next_phase(unit, stage.now, stage) {
            // The array goes on with this command while its pages leave the register.
        } else if self.behaviour.cache_register
            && all_decode
            && !self.behaviour.hold_die
            && !self.retries.is_short(unit)
        {
            let state = &mut self.units[unit as usize];
            let command = state.lift(ARRAY);
            state.put(REGISTER, command);
            self.retries.moved_to_register(unit);
            slot = REGISTER;
            self.offer(unit);
        }
        let channel = self.channel_of(unit);
        if pages == 1 && self.can_ship_at_once(channel, stage) {
            self.start_shipment(channel, Shipment { unit, slot: slot as u8, plane: 0, serial }, stage);
            return;
        }
        let bus = &mut self.channels[channel as usize];
        for plane in (0..planes).filter(|plane| pages >> plane & 1 == 1) {
            bus.waiting.push_back(Shipment { unit, slot: slot as u8, plane, serial });
        }
        self.channels.note(channel);
    }

    /// True when a page would be the next on the bus anyway: the common case, which takes the shortcut.
    #[inline(always)]
    fn can_ship_at_once(&self, channel: u32, stage: &Stage) -> bool {
        let bus = &self.channels[channel as usize];
        let is_free = bus.current.is_none() && bus.free_at <= stage.now && bus.waiting.is_empty();
        is_free && !self.behaviour.commands_first && self.behaviour.ecc != EccEngine::Serial
    }

    /// A `Bus` event: the bus of a channel comes free, perhaps because a page has arrived.
    #[inline(always)]
    pub fn bus_freed(&mut self, channel: u32, ticket: u64, stage: &mut Stage) {
        let bus = &mut self.channels[channel as usize];
        if bus.ticket != ticket {
            return;
        }
        bus.ticket = 0;
        let arrived = bus.current.take();
        self.channels.note(channel);
        if let Some(shipment) = arrived {
            if self.is_current(&shipment) {
                self.page_arrived(channel, shipment, stage);
            } else {
                self.leave_ecc(channel);
            }
        }
    }

    fn leave_ecc(&mut self, channel: u32) {
        let bus = &mut self.channels[channel as usize];
        bus.ecc_pages -= 1;
        self.channels.note(channel);
    }

    #[inline(always)]
    fn page_arrived(&mut self, channel: u32, shipment: Shipment, stage: &mut Stage) {
        let Shipment { unit, slot, plane, serial } = shipment;
        let command = &mut self.units[unit as usize].slots[slot as usize];
        let bit = 1u8 << plane;
        command.to_ship &= !bit;
        let ok = command.decodes & bit != 0;
        let txn = command.txns[plane as usize];
        let arrival = self.retries.arrival(unit, slot as usize, plane);
        if self.behaviour.ecc == EccEngine::None {
            self.leave_ecc(channel);
            self.judged(unit, slot as usize, plane, ok, arrival, stage);
            return;
        }
        let detached = ok && !self.behaviour.hold_die;
        if detached {
            command.pending &= !bit;
            self.retries.decoded(unit, slot as usize, plane, arrival);
        } else {
            command.decoding += 1;
        }
        let time = self.behaviour.decode.ns(Verdict { ok, iterations: arrival.iterations });
        let bus = &mut self.channels[channel as usize];
        let end = match self.behaviour.ecc {
            EccEngine::Serial => {
                bus.ecc_free_at = bus.ecc_free_at.max(stage.now) + time;
                bus.ecc_free_at
            }
            _ => stage.now + time,
        };
        bus.ecc_busy += time;
        stage.timeline.ecc(channel, end - time, time, &stage.outbox.txns[txn]);
        let id = self.decodes.insert(Decode { txn, unit, serial, plane, ok, detached, arrival });
        stage.events.push(end, Event::Decoded(id));
        if detached {
            self.go_on(unit, slot as usize, stage);
        }
    }

    /// A `Decoded` event: a page leaves the ECC engine.
    pub fn decoded(&mut self, id: u32, stage: &mut Stage) {
        let Decode { txn, unit, serial, plane, ok, detached, arrival } = self.decodes.remove(id);
        let channel = self.channel_of(unit);
        self.leave_ecc(channel);
        if detached {
            stage.done.push(txn);
            return;
        }
        let state = &mut self.units[unit as usize];
        let is_there = state.has(ARRAY);
        let command = &mut state.slots[ARRAY];
        if command.serial == serial && is_there {
            command.decoding -= 1;
            // A page that a pipelined read has decoded already may come once more.
            if command.pending >> plane & 1 == 1 {
                self.judged(unit, ARRAY, plane, ok, arrival, stage);
            } else {
                self.go_on(unit, ARRAY, stage);
            }
        }
    }

    /// It is known whether a page of a command decodes.
    #[inline(always)]
    fn judged(
        &mut self,
        unit: u32,
        slot: usize,
        plane: u8,
        ok: bool,
        arrival: ArrivedSense,
        stage: &mut Stage,
    ) {
        let is_plain = ok && self.retries.are_off();
        if !is_plain {
            return self.retried_judged(unit, slot, plane, ok, arrival, stage);
        }
        let command = &mut self.units[unit as usize].slots[slot];
        command.pending &= !(1 << plane);
        command.to_ship &= !(1 << plane);
        stage.done.push(command.txns[plane as usize]);
        if command.pending == 0 {
            command.sense_waits = false;
            self.release(unit, slot, stage);
        } else if command.to_ship == 0 {
            self.next_step(unit, slot, stage);
        }
    }

    /// See [`Controller::judged`], where reads may fail.
    #[inline(never)]
    fn retried_judged(
        &mut self,
        unit: u32,
        slot: usize,
        plane: u8,
        ok: bool,
        arrival: ArrivedSense,
        stage: &mut Stage,
    ) {
        if ok {
            let command = &mut self.units[unit as usize].slots[slot];
            command.pending &= !(1 << plane);
            command.to_ship &= !(1 << plane);
            stage.done.push(command.txns[plane as usize]);
            self.retries.decoded(unit, slot, plane, arrival);
        } else {
            self.counters.failed_decodes += 1;
        }
        self.go_on(unit, slot, stage);
    }

    /// Takes a read command on after its pages have left the register or the ECC engine.
    #[inline(always)]
    pub(super) fn go_on(&mut self, unit: u32, slot: usize, stage: &mut Stage) {
        let command = &mut self.units[unit as usize].slots[slot];
        if command.pending == 0 && self.retries.are_off() {
            command.sense_waits = false;
            self.release(unit, slot, stage);
        } else if command.pending == 0 || command.to_ship == 0 {
            self.next_step(unit, slot, stage);
        }
    }

    /// A read command whose pages are all decoded, or have all left the register.
    #[inline(never)]
    fn next_step(&mut self, unit: u32, slot: usize, stage: &mut Stage) {
        let command = &self.units[unit as usize].slots[slot];
        if command.pending == 0 {
            if command.finishing {
                if command.running.is_none() {
                    self.release(unit, slot, stage);
                }
                return;
            }
            let trailing = self.retry_finished(unit, slot, stage);
            let command = &mut self.units[unit as usize].slots[slot];
            command.finishing = true;
            command.sense_waits = false;
            if trailing.is_empty() {
                self.release(unit, slot, stage);
            } else {
                command.phases = trailing;
                self.abandon(unit, stage);
                self.next_phase(unit, stage.now, stage);
            }
            return;
        }
        if command.sense_waits {
            self.units[unit as usize].slots[slot].sense_waits = false;
            self.sensed(unit, stage);
        } else if command.decoding == 0 && command.running.is_none() {
            self.retry_failed(unit, stage);
        }
    }

    /// Abandons what the array is doing for its read, and takes the time that is saved off the account.
    fn abandon(&mut self, unit: u32, stage: &mut Stage) {
        let state = &mut self.units[unit as usize];
        let command = &mut state.slots[ARRAY];
        if command.running.take().is_some() {
            state.busy[kind(command.op)] -= command.phase_end - stage.now;
            stage.timeline.end_array(unit, stage.now);
        }
    }

    /// Interrupts a program or erase for a read that has just come, where that is allowed.
    #[inline(never)]
    pub(super) fn try_suspend(&mut self, unit: u32, stage: &mut Stage) {
        let state = &mut self.units[unit as usize];
        // With the next program's data in the register there is no place for a read's.
        let is_taken =
            state.has(SUSPENDED) || state.has(REGISTER) && state.slots[REGISTER].op == TxnOp::Program;
        let is_there = state.has(ARRAY);
        let command = &mut state.slots[ARRAY];
        let allowed = match command.op {
            TxnOp::Program => self.behaviour.suspend_program,
            TxnOp::Erase => self.behaviour.erase_yield == EraseYield::Suspend,
            TxnOp::Read | TxnOp::Copyback | TxnOp::Adjust => false,
        };
        let Some(phase) = command.running.filter(|phase| allowed && is_there && phase.is_suspendable())
        else {
            return;
        };
        let remaining = command.phase_end - stage.now;
        let has_begun = remaining <= phase.ns();
        if !has_begun
            || remaining <= self.behaviour.suspend_min_remaining
            || command.suspends >= self.behaviour.max_suspends
            || is_taken
        {
            return;
        }
        let timing = &stage.nand.timing;
        let (halt, left) = match phase {
            Phase::Program(_) => (timing.program_suspend, Phase::Program(remaining + timing.resume)),
            _ => (timing.erase_suspend, Phase::Pulse(remaining + timing.resume)),
        };
        let op = command.op;
        state.busy[kind(op)] -= remaining;
        command.suspends += 1;
        command.running = Some(left);
        command.ticket = 0;
        let command = state.lift(ARRAY);
        state.put(SUSPENDED, command);
        let halting = Command {
            op,
            planes: 1,
            serial: self.units.next_serial(),
            phases: Phases::of(&[Phase::Suspend(halt)]),
            ..Command::default()
        };
        self.units[unit as usize].put(ARRAY, halting);
        self.counters.suspends += 1;
        self.next_phase(unit, stage.now, stage);
    }
}

/// Starts a phase of the command in the array of a unit at `at`.
#[inline(always)]
pub(super) fn start_phase(state: &mut Unit, unit: u32, phase: Phase, at: u64, stage: &mut Stage) {
    let command = &mut state.slots[ARRAY];
    command.running = Some(phase);
    command.phase_end = at + phase.ns();
    command.ticket = stage.events.push(command.phase_end, Event::Die(unit));
    state.busy[kind(command.op)] += phase.ns();
    if stage.timeline.is_on() && command.txns[0] != NONE {
        show_phase(command, unit, phase, at, stage);
    }
}

/// Puts a phase on the timeline.
#[inline(never)]
fn show_phase(command: &Command, unit: u32, phase: Phase, at: u64, stage: &mut Stage) {
    let is_read = command.op == TxnOp::Read;
    let plane = if is_read { command.pending.trailing_zeros() as usize } else { 0 };
    match command.txns().get(plane) {
        Some(&id) => stage.timeline.array(unit, phase, at, &stage.outbox.txns[id]),
        None => stage.timeline.array_goes_on(unit, phase, at),
    }
}

/// Index into a unit's account of array time.
fn kind(op: TxnOp) -> usize {
    match op {
        TxnOp::Read => 0,
        TxnOp::Program | TxnOp::Copyback | TxnOp::Adjust => 1,
        TxnOp::Erase => 2,
    }
}
