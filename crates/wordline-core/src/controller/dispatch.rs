//! What a channel does next: a page that waits goes first, then a command for a unit that is free.

use super::bus::Shipment;
use super::phase::{Phase, Phases};
use super::txn::{Class, Txn, TxnOp};
use super::unit::{ARRAY, Command, REGISTER, SUSPENDED, Unit};
use super::{Controller, Stage};
use crate::config::{EccEngine, Multiplane};
use crate::engine::{Event, Ns};
use crate::nand::NONE;
use crate::policy::program::ProgramContext;
use crate::policy::schedule;

/// How far down its queue a command looks for transactions that other planes can join with.
const PARTNER_SCAN_MAX: usize = 64;

/// Which commands may go out.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reach {
    /// None.
    None,
    /// Those that bring no data along.
    Short,
    /// All.
    Any,
}

/// What came of asking a unit for a command.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sent {
    /// One is on its way.
    Command,
    /// There is none that the unit can take; it is asked again when something changes.
    Nothing,
    /// There is one, out of reach for now.
    NotYet,
}

impl Controller {
    /// Gives the bus of a channel work until it is busy or there is none.
    pub(super) fn serve(&mut self, channel: u32, stage: &mut Stage) {
        loop {
            let bus = &mut self.buses[channel as usize];
            if bus.current.is_some() {
                // Its event is due, perhaps at this very instant.
                return;
            }
            if bus.free_at > stage.now {
                if bus.candidates != 0 || !bus.waiting.is_empty() {
                    self.wake_when_free(channel, stage);
                }
                return;
            }
            if bus.waiting.is_empty() {
                if bus.candidates != 0 && self.dispatch_one(channel, Reach::Any, stage) {
                    continue;
                }
                return;
            }
            let shipment = self.next_shipment(channel);
            let bus = &mut self.buses[channel as usize];
            let full = self.behaviour.ecc == EccEngine::Serial && bus.ecc_pages >= self.behaviour.ecc_buffer;
            let reach = match shipment {
                Some(_) if !full => self.reach_before_data(channel),
                _ => Reach::Any,
            };
            if reach != Reach::None && self.dispatch_before_data(channel, reach, stage) {
                continue;
            }
            let bus = &mut self.buses[channel as usize];
            match shipment {
                Some(_) if full => _ = bus.ecc_wait_since.get_or_insert(stage.now),
                Some(shipment) => {
                    bus.waiting.pop_front();
                    self.start_shipment(channel, shipment, stage);
                }
                None => {}
            }
            return;
        }
    }

    /// Which commands may go out although a page waits for the bus: those that bring no data along, so that
    /// their dies work while the page moves, or, after a page of every unit has passed, any.
    fn reach_before_data(&mut self, channel: u32) -> Reach {
        let bus = &mut self.buses[channel as usize];
        if !self.behaviour.commands_first {
            return Reach::None;
        }
        if bus.pages_in_a_row < self.units_per_channel.divisor() {
            return Reach::Short;
        }
        bus.pages_in_a_row = 0;
        Reach::Any
    }

    /// The first page that waits for the channel, without those whose command is over.
    fn next_shipment(&mut self, channel: u32) -> Option<Shipment> {
        loop {
            let shipment = *self.buses[channel as usize].waiting.front()?;
            if self.is_current(&shipment) {
                return Some(shipment);
            }
            self.buses[channel as usize].waiting.pop_front();
        }
    }

    /// True while a shipment's page still waits to be shipped.
    pub(super) fn is_current(&self, shipment: &Shipment) -> bool {
        let command = &self.units[shipment.unit as usize].slots[shipment.slot as usize];
        command.serial == shipment.serial && command.to_ship >> shipment.plane & 1 == 1
    }

    #[inline(always)]
    pub(super) fn start_shipment(&mut self, channel: u32, shipment: Shipment, stage: &mut Stage) {
        let command = &self.units[shipment.unit as usize].slots[shipment.slot as usize];
        let id = command.txns[shipment.plane as usize];
        let decodes = command.decodes >> shipment.plane & 1 == 1;
        let txn = &mut self.txns[id];
        txn.sensed = self.retries.sensed_at(shipment.unit, shipment.slot).unwrap_or(command.phase_end);
        txn.shipped = stage.now;
        let time = stage.nand.timing.data_out(txn.bytes);
        stage.timeline.channel(channel, "data out", stage.now, time, txn);
        let bus = &mut self.buses[channel as usize];
        bus.end_ecc_wait(stage.now);
        bus.free_at = stage.now + time;
        bus.current = Some(shipment);
        bus.ecc_pages += 1;
        bus.pages_in_a_row += 1;
        *(if decodes { &mut bus.time.correct } else { &mut bus.time.uncorrectable }) += time;
        bus.ticket = stage.events.push(bus.free_at, Event::Bus(channel));
    }

    /// See [`Controller::dispatch_one`].
    #[inline(never)]
    fn dispatch_before_data(&mut self, channel: u32, reach: Reach, stage: &mut Stage) -> bool {
        self.dispatch_one(channel, reach, stage)
    }

    /// Sends one command to the next unit that can take one; false when none can.
    #[inline(always)]
    fn dispatch_one(&mut self, channel: u32, reach: Reach, stage: &mut Stage) -> bool {
        let mut left = self.buses[channel as usize].candidates;
        while left != 0 {
            // Round robin: the first candidate at or after the turn.
            let units = self.units_per_channel.divisor();
            let after = left & (u64::MAX << self.buses[channel as usize].turn);
            let local = if after != 0 { after } else { left }.trailing_zeros();
            let sent = self.dispatch_to(channel * units + local, channel, reach, stage);
            let can_take_more = self.behaviour.cache_register;
            let bus = &mut self.buses[channel as usize];
            match sent {
                Sent::Command => {
                    bus.turn = if local + 1 == units { 0 } else { local + 1 };
                    if !can_take_more {
                        bus.candidates &= !(1 << local);
                    }
                    return true;
                }
                Sent::Nothing => bus.candidates &= !(1 << local),
                Sent::NotYet => {}
            }
            left &= !(1 << local);
        }
        false
    }

    /// Sends a command to a unit if it has one and can take it.
    fn dispatch_to(&mut self, unit: u32, channel: u32, reach: Reach, stage: &mut Stage) -> Sent {
        let state = &self.units[unit as usize];
        let view = state.view(stage.outbox.urgent[unit as usize] > 0, self.behaviour.max_read_burst);
        let array_is_free = !state.slots[ARRAY].is_there();
        let register_is_free = !state.slots[REGISTER].is_there();
        let user_read_waits = view.has(Class::UserRead) || view.has(Class::MapRead);
        let (class, slot) = if array_is_free && state.slots[SUSPENDED].is_there() {
            if !user_read_waits {
                self.resume(unit, stage);
                return Sent::Nothing;
            }
            (if view.has(Class::MapRead) { Class::MapRead } else { Class::UserRead }, ARRAY)
        } else {
            let Some(class) = schedule::choose(self.behaviour.schedule, &view) else { return Sent::Nothing };
            let writes = matches!(class, Class::UserWrite | Class::InternalWrite);
            if writes && reach == Reach::Short {
                return Sent::NotYet;
            }
            // Only data come in behind a program: a copyback would sense into the array that is busy.
            let programs = || state.slots[ARRAY].op == TxnOp::Program && state.slots[ARRAY].running.is_some();
            let brings_data = || self.txns[state.queues[class as usize].head].op == TxnOp::Program;
            if array_is_free {
                // A program's data comes in through the register that a read may still occupy.
                if writes && !register_is_free {
                    return Sent::Nothing;
                }
                (class, ARRAY)
            } else if self.behaviour.cache_register
                && writes
                && programs()
                && register_is_free
                && !user_read_waits
                && brings_data()
            {
                (class, REGISTER)
            } else {
                return Sent::Nothing;
            }
        };
        self.send(unit, channel, class, slot, stage);
        Sent::Command
    }

    /// Takes transactions off a queue and sends them to the die as one command.
    fn send(&mut self, unit: u32, channel: u32, class: Class, slot: usize, stage: &mut Stage) {
        self.gather(unit, class, slot, stage);
        let state = &mut self.units[unit as usize];
        let write_waits = state.queues[Class::UserWrite as usize].head != NONE;
        state.reads_in_a_row =
            if class == Class::UserRead && write_waits { state.reads_in_a_row + 1 } else { 0 };
        let command = &mut state.slots[slot];
        let planes = u32::from(command.planes);
        let timing = &stage.nand.timing;
        let mut bytes = 0;
        for &id in command.txns() {
            let txn = &mut self.txns[id];
            txn.started = stage.now;
            if command.op == TxnOp::Program {
                bytes += timing.data_in(txn.bytes);
            }
        }
        let bus_time = match command.op {
            TxnOp::Read => timing.read_command(planes),
            TxnOp::Program => timing.program_command(planes) + bytes,
            TxnOp::Copyback => timing.read_command(planes) + timing.program_command(planes),
            TxnOp::Erase => timing.erase_command(planes),
            TxnOp::Adjust => timing.program_command(planes),
        };
        let bus = &mut self.buses[channel as usize];
        bus.end_ecc_wait(stage.now);
        bus.free_at = stage.now + bus_time;
        let loaded = bus.free_at;
        let is_read = command.op == TxnOp::Read;
        *(if is_read { &mut bus.time.correct } else { &mut bus.time.write }) += bus_time;
        stage.timeline.channel(channel, "command", stage.now, bus_time, &self.txns[command.txns[0]]);

        self.serial = self.serial.wrapping_add(1);
        command.serial = self.serial;
        command.phase_end = loaded;
        match command.op {
            TxnOp::Read => {
                self.counters.reads += u64::from(planes);
                if self.retries.are_off() {
                    let sense = Phase::Sense(command.slowest);
                    self.start_phase(unit, sense, loaded, stage);
                } else {
                    command.phases = Phases::of(&[Phase::Sense(command.slowest)]);
                    self.begin_read(unit, stage);
                    self.next_phase(unit, loaded, stage);
                }
            }
            TxnOp::Program => {
                self.counters.programs += u64::from(planes);
                let context = ProgramContext {
                    program: command.slowest,
                    speed: self.txns[command.txns[0]].speed,
                    fast_share: stage.nand.fast_program.time_share,
                };
                command.phases = self.behaviour.program.phases(&context);
            }
            TxnOp::Copyback => {
                self.counters.programs += u64::from(planes);
                self.counters.reads += u64::from(planes);
            }
            TxnOp::Erase => {
                self.counters.erases += u64::from(planes);
                self.begin_erase(unit, stage);
            }
            TxnOp::Adjust => {
                self.counters.adjusts += u64::from(planes);
                command.phases = Phases::of(&[Phase::Program(command.slowest)]);
            }
        }
        if planes > 1 {
            self.counters.multiplane += 1;
        }
        if slot == ARRAY && !is_read {
            self.next_phase(unit, loaded, stage);
        }
    }

    /// Forms a command from the head of a queue and what other planes of its die can do with it.
    fn gather(&mut self, unit: u32, class: Class, slot: usize, stage: &Stage) {
        let Unit { queues, heads, slots, .. } = &mut self.units[unit as usize];
        let (queue, created, command) =
            (&mut queues[class as usize], &mut heads[class as usize], &mut slots[slot]);
        let head = queue.head;
        queue.take(created, &mut self.txns, head, NONE);
        let Txn { op, source, .. } = self.txns[head];
        *command = Command { op, planes: 1, ..Command::default() };
        command.txns[0] = head;
        command.slowest = time_of(&self.txns[head], stage);
        if op == TxnOp::Copyback {
            let sense = stage.nand.sense(source, stage.nand.geometry.page_in_block(source));
            command.phases = Phases::of(&[Phase::Sense(sense), Phase::Program(command.slowest)]);
        }
        let alone = self.behaviour.multiplane == Multiplane::Off || op == TxnOp::Copyback;
        if !alone && queue.head != NONE && stage.nand.geometry.planes_per_die > 1 {
            self.gather_partners(unit, class, slot, stage);
        }
        let command = &mut self.units[unit as usize].slots[slot];
        command.pending = (1u16 << command.planes).wrapping_sub(1) as u8;
    }

    /// Adds to a command of one transaction what other planes of its die can do with it.
    #[inline(never)]
    fn gather_partners(&mut self, unit: u32, class: Class, slot: usize, stage: &Stage) {
        let Unit { queues, heads, slots, .. } = &mut self.units[unit as usize];
        let (queue, created, command) =
            (&mut queues[class as usize], &mut heads[class as usize], &mut slots[slot]);
        let Txn { op, die, page, plane, speed, .. } = self.txns[command.txns[0]];
        let any_page = self.behaviour.multiplane == Multiplane::Any || op == TxnOp::Erase;
        let all = (1u8 << (stage.nand.geometry.planes_per_die - 1) << 1).wrapping_sub(1);
        let overtaking = op == TxnOp::Read || self.behaviour.multiplane == Multiplane::Overtaking;
        // Planes that have a page in the command, or whose next program is not for this page index:
        // programs of a block must not overtake each other.
        let mut closed = 1u8 << plane;
        let (mut before, mut at, mut looked) = (NONE, queue.head, 0);
        while at != NONE && closed != all && looked < PARTNER_SCAN_MAX {
            let txn = &self.txns[at];
            let (next, bit) = (txn.next, 1u8 << txn.plane);
            looked += 1;
            if closed & bit == 0 && txn.die == die && txn.op == op {
                if (any_page || txn.page == page) && txn.speed == speed {
                    command.slowest = command.slowest.max(time_of(txn, stage));
                    command.txns[command.planes as usize] = at;
                    command.planes += 1;
                    queue.take(created, &mut self.txns, at, before);
                    closed |= bit;
                    at = next;
                    continue;
                }
                if !overtaking {
                    closed |= bit;
                }
            }
            before = at;
            at = next;
        }
    }

    /// Lets a suspended program or erase go on.
    #[inline(never)]
    fn resume(&mut self, unit: u32, stage: &mut Stage) {
        let state = &mut self.units[unit as usize];
        let mut command = std::mem::take(&mut state.slots[SUSPENDED]);
        if let Some(phase) = command.running.take() {
            command.resumed = Some(phase);
        }
        state.slots[ARRAY] = command;
        self.next_phase(unit, stage.now, stage);
    }
}

/// tR or tPROG of a transaction's page.
#[inline(always)]
fn time_of(txn: &Txn, stage: &Stage) -> Ns {
    match txn.op {
        TxnOp::Read => stage.nand.sense(txn.ppn, txn.page),
        TxnOp::Program | TxnOp::Copyback => stage.nand.program_ns(txn.ppn),
        TxnOp::Erase => 0,
        TxnOp::Adjust => stage.nand.adjust_time(txn.invalid),
    }
}
