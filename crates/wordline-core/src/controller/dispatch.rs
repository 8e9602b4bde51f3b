//! What a channel does next: a page that waits goes first, then a command for a LUN that is free.

use super::array::start_phase;
use super::bus::{Bus, Shipment};
use super::command::{Command, Place};
use super::loading::{Load, pages_of};
use super::lun::Lun;
use super::{Behaviour, Controller, Shared};
use crate::config::{EccEngine, Multiplane};
use crate::engine::Ns;
use crate::flash::{Class, Handling, Phase, Phases, Txn, TxnOp};
use crate::nand::{ChannelId, LunId, NONE, Nand};
use crate::policy::program::ProgramContext;
use crate::policy::schedule::LunView;

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

/// The result of asking a LUN for a command.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sent {
    /// One is on its way.
    Command,
    /// There is none that the LUN can take; it is asked again when something changes.
    Nothing,
    /// There is one, out of reach for now.
    NotYet,
}

impl Controller {
    /// Gives the bus of a channel, which is free, work as long as there is some and nothing else happens.
    #[inline(never)]
    pub(super) fn serve(&mut self, channel: ChannelId, shared: &mut Shared) {
        loop {
            let goes_on = if self.channels[channel].waiting.is_empty() {
                self.dispatch_one(channel, Reach::Any, shared)
            } else {
                self.ship_next(channel, shared)
            };
            let bus = &self.channels[channel];
            if !goes_on || !bus.has_work() {
                return;
            }
            if bus.free_at > shared.now && !self.comes_free_next(channel, shared) {
                return;
            }
        }
    }

    /// Ships the page that waits longest for the channel, or sends a command that may go before it. True if a command
    /// was sent, after which the bus may have more to do.
    #[inline(never)]
    fn ship_next(&mut self, channel: ChannelId, shared: &mut Shared) -> bool {
        let shipment = self.next_shipment(channel);
        let bus = &mut self.channels[channel];
        let full = self.behaviour.ecc == EccEngine::Serial && bus.ecc_pages >= self.behaviour.ecc_buffer;
        let has_commands = bus.has_commands();
        let reach = match shipment {
            Some(_) if !full => self.reach_before_data(channel),
            _ => Reach::Any,
        };
        if has_commands && reach != Reach::None && self.dispatch_before_data(channel, reach, shared) {
            return true;
        }
        let bus = &mut self.channels[channel];
        match shipment {
            Some(_) if full => _ = bus.ecc_wait_since.get_or_insert(shared.now),
            Some(shipment) => {
                bus.waiting.pop_front();
                self.start_shipment(channel, shipment, shared);
            }
            // The page that waited for the ECC engine is not needed any more.
            None => bus.end_ecc_wait(shared.now),
        }
        false
    }

    /// Which commands may go out although a page waits for the bus: those that bring no data along, so that
    /// their dies work while the page moves, or, after a page of every LUN has passed, any.
    fn reach_before_data(&mut self, channel: ChannelId) -> Reach {
        let bus = &mut self.channels[channel];
        if !self.behaviour.commands_first {
            return Reach::None;
        }
        if bus.pages_in_a_row < self.luns.per_channel() {
            return Reach::Short;
        }
        bus.pages_in_a_row = 0;
        Reach::Any
    }

    /// The first page that waits for the channel, without those whose command is over.
    fn next_shipment(&mut self, channel: ChannelId) -> Option<Shipment> {
        loop {
            let shipment = *self.channels[channel].waiting.front()?;
            if self.is_current(&shipment) {
                return Some(shipment);
            }
            self.channels[channel].waiting.pop_front();
        }
    }

    /// See [`Controller::dispatch_one`].
    #[inline(never)]
    fn dispatch_before_data(&mut self, channel: ChannelId, reach: Reach, shared: &mut Shared) -> bool {
        self.dispatch_one(channel, reach, shared)
    }

    /// Sends one command to the next LUN that can take one; false when none can.
    #[inline(always)]
    fn dispatch_one(&mut self, channel: ChannelId, reach: Reach, shared: &mut Shared) -> bool {
        match self.channels[channel].loading {
            None => self.dispatch_among(u64::MAX, channel, reach, shared),
            Some(load) => self.dispatch_beside_load(load, channel, reach, shared),
        }
    }

    /// The same while data of a program come: other LUNs get commands that bring none along, then the next page comes.
    #[inline(never)]
    fn dispatch_beside_load(
        &mut self,
        load: Load,
        channel: ChannelId,
        reach: Reach,
        shared: &mut Shared,
    ) -> bool {
        let others = !(1 << self.luns[load.lun].local);
        if self.dispatch_among(others, channel, Reach::Short, shared) {
            return true;
        }
        if reach == Reach::Any {
            self.go_on_loading(channel, load, shared);
        }
        reach == Reach::Any
    }

    /// The same for some of the LUNs.
    #[inline(always)]
    fn dispatch_among(&mut self, luns: u64, channel: ChannelId, reach: Reach, shared: &mut Shared) -> bool {
        let first = self.luns.first_of(channel);
        let mut left = self.channels[channel].candidates & luns;
        while left != 0 {
            // Round robin: the first candidate at or after the turn.
            let after = left & self.channels[channel].from_turn;
            let local = if after != 0 { after } else { left }.trailing_zeros();
            let sent = self.dispatch_to(first + local, channel, reach, shared);
            let can_take_more = self.behaviour.cache_register;
            let bus = &mut self.channels[channel];
            match sent {
                Sent::Command => {
                    bus.from_turn = u64::MAX << local << 1;
                    bus.candidates &= !(u64::from(!can_take_more) << local);
                    return true;
                }
                Sent::Nothing => bus.candidates &= !(1 << local),
                Sent::NotYet => {}
            }
            left &= !(1 << local);
        }
        false
    }

    /// Sends a command to a LUN if it has one and can take it.
    #[inline(always)]
    fn dispatch_to(&mut self, lun: LunId, channel: ChannelId, reach: Reach, shared: &mut Shared) -> Sent {
        if !self.luns[lun].is_idle() {
            return self.dispatch_beside(lun, channel, reach, shared);
        }
        let Some(class) = self.choose(lun, shared) else { return Sent::Nothing };
        if class.writes() && reach == Reach::Short {
            return Sent::NotYet;
        }
        self.send(lun, channel, class, Place::Array, shared);
        Sent::Command
    }

    /// The queue of a LUN that the scheduling policy serves next.
    #[inline(always)]
    fn choose(&self, lun: LunId, shared: &Shared) -> Option<Class> {
        let overdue_since = shared.now.saturating_sub(self.behaviour.max_wait);
        self.behaviour.schedule.next(&self.view(lun, shared), overdue_since)
    }

    /// What the scheduling policy sees of a LUN.
    #[inline(always)]
    fn view(&self, lun: LunId, shared: &Shared) -> LunView<'_> {
        self.luns[lun].view(shared.outbox.urgent[lun.index()], &self.behaviour.schedule_keys)
    }

    /// True when a command has been on its die for so long that reads may hold it up no more.
    #[inline]
    pub(super) fn is_overdue(&self, command: &Command, shared: &Shared) -> bool {
        let sent = shared.outbox.txns[command.txns[0]].handling.started;
        shared.now - sent >= self.behaviour.max_wait
    }

    /// Sends a command to a LUN that has one already, if that leaves room for it.
    #[inline(never)]
    fn dispatch_beside(&mut self, lun: LunId, channel: ChannelId, reach: Reach, shared: &mut Shared) -> Sent {
        let state = &self.luns[lun];
        let array_is_free = !state.has(Place::Array);
        let register_is_free = !state.has(Place::Register);
        let map_read_waits = state.has_waiting(Class::MapRead);
        let user_read_waits = state.has_waiting(Class::UserRead) || map_read_waits;
        let held_up = [Place::Suspended, Place::Dropped].into_iter().find(|&place| state.has(place));
        let (class, place) = if array_is_free && let Some(held_up) = held_up {
            let goes_on =
                || self.is_overdue(&state[held_up], shared) || self.resumes_before_reads(lun, shared);
            let has_power = !state[held_up].waits_for_power;
            if has_power && (!user_read_waits || goes_on()) {
                return self.go_on(lun, held_up, channel, reach, shared);
            }
            if !user_read_waits {
                return Sent::Nothing;
            }
            (if map_read_waits { Class::MapRead } else { Class::UserRead }, Place::Array)
        } else if held_up == Some(Place::Dropped) {
            return self.load_beside(lun, channel, reach, shared);
        } else {
            let Some(class) = self.choose(lun, shared) else { return Sent::Nothing };
            let writes = class.writes();
            if writes && reach == Reach::Short {
                return Sent::NotYet;
            }
            // While a program runs, only data can be loaded: a copyback would need the array to sense.
            let programs =
                || state[Place::Array].op == TxnOp::Program && state[Place::Array].running.is_some();
            let brings_data = || state.heads_of(class).all(|id| shared.outbox.txns[id].op == TxnOp::Program);
            if array_is_free {
                // A program's data comes in through the register that a read may still occupy.
                if writes && !register_is_free {
                    return Sent::Nothing;
                }
                (class, Place::Array)
            } else if self.behaviour.cache_register
                && writes
                && programs()
                && register_is_free
                && !user_read_waits
                && brings_data()
            {
                (class, Place::Register)
            } else {
                return Sent::Nothing;
            }
        };
        self.send(lun, channel, class, place, shared);
        Sent::Command
    }

    /// What reads have held up goes on in the array, which is free: a suspended command, or a program that is loaded again.
    fn go_on(
        &mut self,
        lun: LunId,
        held_up: Place,
        channel: ChannelId,
        reach: Reach,
        shared: &mut Shared,
    ) -> Sent {
        if held_up == Place::Dropped {
            return self.reload(lun, Place::Array, channel, reach, shared);
        }
        self.resume(lun, shared);
        if self.luns[lun].has(Place::Dropped) {
            return self.load_beside(lun, channel, reach, shared);
        }
        Sent::Nothing
    }

    /// The program that made way for reads is loaded again beside the one that runs, unless reads wait to interrupt that.
    fn load_beside(&mut self, lun: LunId, channel: ChannelId, reach: Reach, shared: &mut Shared) -> Sent {
        let state = &self.luns[lun];
        let running = &state[Place::Array];
        if running.op != TxnOp::Program || running.running.is_none() || state.has_read_waiting() {
            return Sent::Nothing;
        }
        self.reload(lun, Place::Register, channel, reach, shared)
    }

    /// Sends the program that made way for reads to its die once more.
    fn reload(
        &mut self,
        lun: LunId,
        place: Place,
        channel: ChannelId,
        reach: Reach,
        shared: &mut Shared,
    ) -> Sent {
        let state = &mut self.luns[lun];
        if state.has(Place::Register) {
            return Sent::Nothing;
        }
        if reach == Reach::Short {
            return Sent::NotYet;
        }
        let command = state.lift(Place::Dropped);
        let command = state.put(place, command);
        let bus = &mut self.channels[channel];
        let loads_by_page = self.behaviour.loads_by_page;
        let (loaded, is_complete) = take_to_die(loads_by_page, (lun, command), (channel, bus), shared);
        if is_complete {
            self.data_are_in(lun, place, loaded, shared);
        }
        Sent::Command
    }

    /// True where reads wait, and a program has its turn before them.
    #[inline(always)]
    fn goes_before_reads(&self, lun: LunId, shared: &Shared) -> bool {
        self.luns[lun].has_read_waiting() && self.resumes_before_reads(lun, shared)
    }

    #[inline(never)]
    fn resumes_before_reads(&self, lun: LunId, shared: &Shared) -> bool {
        self.behaviour.schedule.resumes_before_reads(&self.view(lun, shared))
    }

    /// Takes transactions off a queue and sends them to the die as one command.
    #[inline(always)]
    fn send(&mut self, lun: LunId, channel: ChannelId, class: Class, place: Place, shared: &mut Shared) {
        let serial = self.luns.next_serial();
        let has_its_turn = class.writes() && self.goes_before_reads(lun, shared);
        let state = &mut self.luns[lun];
        state.count_overtaken(class);
        let queue = if self.behaviour.by_priority { state.next_queue(class) } else { class as usize };
        gather(state, queue, place, &self.behaviour, shared);
        if class == Class::UserRead {
            let reads = 1 << Class::UserRead as u32 | 1 << Class::MapRead as u32;
            let others_wait = state.classes_waiting() & !reads != 0 || state.has(Place::Suspended);
            state.reads_in_a_row = if others_wait { state.reads_in_a_row + 1 } else { 0 };
        } else if class != Class::MapRead {
            state.reads_in_a_row = 0;
        }
        let command = &mut state[place];
        let planes = u32::from(command.planes);
        for &id in command.txns() {
            shared.outbox.txns.handling(id).started = shared.now;
        }
        let is_read = command.op == TxnOp::Read;
        command.serial = serial;
        // Where it can be suspended at some points alone, its turn is until the next one.
        command.has_its_turn = has_its_turn && self.behaviour.suspend_every == 0;
        if planes > 1 {
            self.counters.multiplane += 1;
        }
        let bus = &mut self.channels[channel];
        let loads_by_page = self.behaviour.loads_by_page;
        let (loaded, is_complete) = take_to_die(loads_by_page, (lun, command), (channel, bus), shared);
        if !is_complete {
            // It begins when its last page is there.
            return;
        }
        if is_read && self.retries.are_off() {
            self.counters.reads += u64::from(planes);
            let sense = Phase::Sense(command.slowest);
            start_phase(state, lun, sense, loaded, shared);
        } else {
            self.begin(lun, place, loaded, shared);
            if has_its_turn && place == Place::Array {
                self.look_again(lun, shared);
            }
        }
    }

    /// A command is on its way to the die: its first phases. With a plain read there is nothing more to it than
    /// its sense.
    #[inline(never)]
    pub(super) fn begin(&mut self, lun: LunId, place: Place, loaded: Ns, shared: &mut Shared) {
        let command = &mut self.luns[lun][place];
        let planes = u64::from(command.planes);
        match command.op {
            TxnOp::Read => {
                self.counters.reads += planes;
                self.begin_read(lun, shared);
            }
            TxnOp::Program => {
                self.counters.programs += u64::from(pages_of(command, shared));
                let context = ProgramContext {
                    keys: &self.behaviour.program_keys,
                    program: command.slowest,
                    speed: shared.outbox.txns[command.txns[0]].speed,
                    fast_share: shared.nand.fast_program.time_share,
                };
                let phases = self.behaviour.program.phases(&context);
                command.phases = phases.behind(self.erases.before_program(command, shared));
            }
            TxnOp::Copyback => {
                self.counters.programs += planes;
                self.counters.reads += planes;
                command.phases = command.phases.behind(self.erases.before_program(command, shared));
            }
            TxnOp::Erase => {
                self.counters.erases += planes;
                self.erases.begin(lun, command, shared);
            }
            TxnOp::Adjust => {
                self.counters.adjusts += planes;
                command.phases = Phases::of(&[Phase::Program(command.slowest)]);
            }
        }
        if place == Place::Array {
            self.begin_in_array(lun, loaded, shared);
        }
    }

    /// Lets a suspended program or erase go on.
    #[inline(never)]
    fn resume(&mut self, lun: LunId, shared: &mut Shared) {
        let state = &mut self.luns[lun];
        state.reads_in_a_row = 0;
        let mut command = state.lift(Place::Suspended);
        let has_its_turn = command.op == TxnOp::Program && state.has_read_waiting();
        command.has_its_turn = has_its_turn && self.behaviour.suspend_every == 0;
        if let Some(phase) = command.running.take() {
            command.resumed = Some(phase);
        }
        state.put(Place::Array, command);
        self.next_phase(lun, shared.now, shared);
        if has_its_turn {
            self.look_again(lun, shared);
        }
    }
}

/// The bus takes a command to its die, with its data or the first page of them: when that is there, and whether it is all.
#[inline(always)]
fn take_to_die(
    loads_by_page: bool,
    (lun, command): (LunId, &mut Command),
    (channel, bus): (ChannelId, &mut Bus),
    shared: &mut Shared,
) -> (Ns, bool) {
    let is_read = command.op == TxnOp::Read;
    let load = if loads_by_page { Load::of(lun, command, shared) } else { None };
    let bus_time = match load {
        Some((_, first)) => first,
        None if is_read => shared.nand.timing.read_command(u32::from(command.planes)),
        None => load_time(command, shared),
    };
    if let Some((load, _)) = load {
        bus.loading = Some(load);
    }
    bus.end_ecc_wait(shared.now);
    let loaded = shared.now + bus_time;
    bus.free_at = loaded;
    *(if is_read { &mut bus.time.correct } else { &mut bus.time.write }) += bus_time;
    let what = (&shared.outbox.txns, command.txns[0]);
    shared.timeline.channel(channel, "command", shared.now, bus_time, what);
    command.phase_end = loaded;
    (loaded, load.is_none())
}

/// Forms a command from the head of a queue and what other planes of its die can do with it.
#[inline(always)]
fn gather(state: &mut Lun, queue: usize, place: Place, behaviour: &Behaviour, shared: &mut Shared) {
    let head = state.queues[queue].head;
    state.take(queue, &mut shared.outbox.txns, head, NONE);
    let txn = &shared.outbox.txns[head];
    let (op, plane, slowest) = (txn.op, txn.handling.plane, time_of(txn, &shared.nand));
    let command = state.put(place, Command::of_one(op, head, slowest));
    if op == TxnOp::Copyback {
        let Txn { source, source_mode, .. } = shared.outbox.txns[head];
        let page = shared.nand.geometry.page_in_block(source);
        let sense = shared.nand.sense(source_mode, source, page);
        command.phases = Phases::of(&[Phase::Sense(sense), Phase::Program(slowest)]);
    } else if behaviour.joins_planes && state.has_other_planes(queue, plane) {
        gather_partners(state, queue, place, behaviour.multiplane, shared);
    }
}

/// Adds to a command of one transaction what other planes of its die can do with it.
#[inline(never)]
fn gather_partners(state: &mut Lun, queue: usize, place: Place, multiplane: Multiplane, shared: &mut Shared) {
    let Shared { outbox, nand, .. } = shared;
    let txns = &mut outbox.txns;
    let Txn { op, speed, mode, handling: Handling { die, page, plane, .. }, .. } = txns[state[place].txns[0]];
    let any_page = multiplane == Multiplane::Any || op == TxnOp::Erase;
    let all = (1u8 << (nand.geometry.planes_per_die - 1) << 1).wrapping_sub(1);
    let overtaking = op == TxnOp::Read || multiplane == Multiplane::Overtaking;
    // Planes that have a page in the command, or whose next program is not for this page index:
    // programs of a block must not overtake each other.
    let mut closed = 1u8 << plane;
    let (mut before, mut at, mut looked) = (NONE, state.queues[queue].head, 0);
    while at != NONE && closed != all && looked < PARTNER_SCAN_MAX {
        if overtaking && !any_page {
            // What is of another page is passed over: long queues of GC's reads are hardly anything else.
            while at != NONE && looked < PARTNER_SCAN_MAX && txns[at].handling.page != page {
                (before, at) = (at, txns[at].handling.next);
                looked += 1;
            }
            if at == NONE || looked == PARTNER_SCAN_MAX {
                return;
            }
        }
        let txn = &txns[at];
        let Handling { next, die: of_die, page: of_page, plane: of_plane, .. } = txn.handling;
        let bit = 1u8 << of_plane;
        looked += 1;
        if closed & bit == 0 && of_die == die && txn.op == op {
            if (any_page || of_page == page) && (txn.speed, txn.mode) == (speed, mode) {
                state[place].add(at, time_of(txn, nand));
                state.take(queue, txns, at, before);
                closed |= bit;
                at = next;
                continue;
            }
            if !overtaking {
                closed |= bit;
            }
        } else if closed & bit == 0 && of_die == die && !overtaking && txn.op == TxnOp::Copyback {
            closed |= bit;
        }
        before = at;
        at = next;
    }
}

/// Bus time of a command, with the data that it brings along.
#[inline(never)]
fn load_time(command: &Command, shared: &Shared) -> Ns {
    let timing = &shared.nand.timing;
    let planes = u32::from(command.planes);
    match command.op {
        TxnOp::Read => timing.read_command(planes),
        TxnOp::Program => {
            let data = command.txns().iter().map(|&id| timing.data_in(shared.outbox.txns[id].bytes));
            timing.program_command(planes) + data.sum::<Ns>()
        }
        TxnOp::Copyback => timing.read_command(planes) + timing.program_command(planes),
        TxnOp::Erase => timing.erase_command(planes),
        TxnOp::Adjust => timing.program_command(planes),
    }
}

/// tR or tPROG of a transaction's page.
#[inline(always)]
fn time_of(txn: &Txn, nand: &Nand) -> Ns {
    if txn.op == TxnOp::Read { sense_of(txn, nand) } else { array_time_of(txn, nand) }
}

/// tR of the page of a read.
#[inline(always)]
fn sense_of(txn: &Txn, nand: &Nand) -> Ns {
    nand.sense(txn.mode, txn.ppn, txn.handling.page)
}

/// See [`time_of`].
#[inline(never)]
fn array_time_of(txn: &Txn, nand: &Nand) -> Ns {
    match txn.op {
        TxnOp::Read => sense_of(txn, nand),
        TxnOp::Program => nand.program_together_ns(txn.mode, txn.ppn, txn.handling.page, txn.pages),
        TxnOp::Copyback => nand.program_ns(txn.mode, txn.ppn, txn.handling.page),
        TxnOp::Erase => 0,
        TxnOp::Adjust => nand.adjust_time(txn.invalid),
    }
}
