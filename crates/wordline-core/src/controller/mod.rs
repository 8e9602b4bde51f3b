//! The flash controller: queues of transactions, the dies that work on them, the channels between.
//!
//! `lun.rs` is a LUN and its queues, `dispatch.rs` chooses what a channel does next, `loading.rs` brings the
//! data of programs, `array.rs` carries out the phases of a command, `power_budget.rs` limits the programs at a time. `read.rs` has the states of a read, `retry.rs` what its policy and the ECC know of it;
//! `transfer.rs` takes its pages through channel and ECC engine, and `die_commands.rs` sends what a retried read needs beside
//! its first command.

mod array;
mod at_work;
mod bus;
mod codewords;
mod command;
mod die_commands;
mod dispatch;
mod erasing;
mod loading;
mod lun;
mod power_budget;
mod read;
mod read_state;
mod retry;
mod transfer;

pub use at_work::{COMMANDS, DATA_OUT, ECC_WAIT, Stretch};
pub use bus::{Bus, ChannelTime};
pub use lun::Lun;

use std::io;

use bus::Channels;
use command::Place;
use erasing::Erases;
use lun::Luns;
use power_budget::PowerBudget;
use transfer::Decoding;

use crate::config::{BusOrder, Config, EccEngine, EraseYield, Multiplane, ScheduleUnit, SuspendLoaded};
use crate::engine::{Event, EventQueue, LoadError, Loader, Ns, Saver, Slab, State, state};
use crate::flash::{Class, Failure, Outbox, Txn, Txns};
use crate::metrics::{ControllerCounters, Timeline, Times};
use crate::nand::{BlockId, ChannelId, LunId, NONE, Nand, Ppn};
use crate::policy::Counted;
use crate::policy::program::{Program, ProgramKeys};
use crate::policy::schedule::{Schedule, ScheduleKeys};
use wordline_cells::ns_from_us;

/// How the controller behaves, from the configuration.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Behaviour {
    program: Program,
    schedule: Schedule,
    /// User reads wait by priority, and so do user writes where programs of a block may overtake each other.
    by_priority: bool,
    writes_by_priority: bool,
    multiplane: Multiplane,
    /// Planes of a die may have transactions in one command.
    joins_planes: bool,
    cache_register: bool,
    /// Data of a program come page by page, and reads pass between them.
    loads_by_page: bool,
    suspend_program: bool,
    suspend_loaded: SuspendLoaded,
    /// Some operation may be interrupted for a read.
    may_suspend: bool,
    erase_yield: EraseYield,
    suspend_min_remaining: Ns,
    /// A program is suspended only each time that it has run for so long; 0: at any time.
    suspend_every: Ns,
    /// While the oldest write is this old, nothing is suspended; see [`Shared::oldest_write`].
    suspend_write_limit: Ns,
    max_suspends: u32,
    /// How long something may wait behind what the scheduling policy prefers.
    max_wait: Ns,
    ecc: EccEngine,
    decode: wordline_cells::ecc::DecodeTime,
    ecc_buffer: u32,
    hold_die: bool,
    commands_first: bool,
    /// A page that does not decode may be made again from its stripe: the FTL says whether it is lost.
    have_parity: bool,
    schedule_keys: ScheduleKeys,
    program_keys: ProgramKeys,
}

/// What the loop shares with the controller, and lends the other stages in parts: time, events to come, flash, transactions.
#[derive(Debug)]
pub struct Shared {
    /// Simulated time.
    pub now: Ns,
    /// Events to come.
    pub events: EventQueue,
    /// The flash array.
    pub nand: Nand,
    /// What has left the FTL.
    pub outbox: Outbox,
    /// Transactions that are done, for the FTL: it reads them where they are, and the loop forgets them then.
    pub done: Vec<u32>,
    /// What has failed of requests under way; a request may be there more than once.
    pub failures: Vec<Failure>,
    /// When the device took the oldest write of the host that is not complete, ns; `None` where its age does not matter.
    pub oldest_write: Option<Ns>,
    /// Slices of the timeline, where one is kept.
    pub timeline: Timeline,
    /// Until when nothing comes from outside that is not among the events, ns.
    pub horizon: Ns,
}

impl Shared {
    /// True when nothing happens up to and at `time`: a lone consequence of what happens now may be brought forward to then
    /// without an event of its own.
    #[inline]
    #[must_use]
    pub fn is_quiet_until(&self, time: Ns) -> bool {
        time <= self.horizon && self.events.is_quiet_until(time)
    }
}

/// The flash controller.
#[derive(Debug)]
pub struct Controller {
    behaviour: Behaviour,
    /// Pages in the ECC engines.
    in_ecc: Slab<Decoding>,
    luns: Luns,
    channels: Channels,
    retries: retry::Retries,
    erases: Erases,
    power: PowerBudget,
    /// What happened, for the results.
    pub counters: ControllerCounters,
}

state! {
    Controller {
        parts: luns, channels, retries, erases, power;
        values: in_ecc, counters;
        derived: behaviour;
    }
}

impl Controller {
    /// Whether a state names only what there is, for so many LUNs and channels.
    pub(crate) fn is_sound(&self, (luns, channels): (usize, usize), outbox: &Outbox) -> bool {
        let Outbox { txns, orders, .. } = outbox;
        let elsewhere = || orders.iter().copied().chain(self.in_ecc.iter().map(|page| page.txn));
        self.in_ecc.iter().all(|page| page.lun.index() < luns && txns.has(page.txn))
            && self.luns.are_sound(luns, txns, elsewhere())
            && self.channels.are_sound(channels, luns, self.luns.per_channel())
    }

    /// True where a page of this name is in an ECC engine.
    pub(crate) fn decodes(&self, id: u32) -> bool {
        self.in_ecc.has(id)
    }

    /// An idle controller.
    #[must_use]
    pub fn new(config: &Config, nand: &Nand) -> Controller {
        let geometry = config.geometry();
        let dies_per_lun = Controller::dies_per_lun(config);
        let by_priority = config.schedule.policy.is_by_priority();
        let behaviour = Behaviour {
            program: config.program.policy,
            schedule: config.schedule.policy,
            by_priority,
            writes_by_priority: by_priority && config.nand.multiplane == Multiplane::Overtaking,
            multiplane: config.nand.multiplane,
            joins_planes: config.nand.multiplane != Multiplane::Off && geometry.planes_per_die > 1,
            cache_register: config.nand.cache_register,
            loads_by_page: config.programs_wordlines(),
            suspend_program: config.program.suspend,
            suspend_loaded: config.program.suspend_loaded,
            may_suspend: config.program.suspend || config.erase.r#yield.stops_loops(),
            erase_yield: config.erase.r#yield,
            suspend_min_remaining: ns_from_us(config.schedule.suspend_min_remaining_us),
            suspend_every: ns_from_us(config.program.suspend_every_us),
            suspend_write_limit: ns_from_us(config.schedule.suspend_write_limit_us),
            max_suspends: config.schedule.max_suspends,
            max_wait: config.schedule.max_wait(),
            ecc: config.ecc.engine,
            decode: config.ecc.decode_time(),
            ecc_buffer: config.ecc.buffer_pages,
            hold_die: config.ecc.hold_die,
            commands_first: config.channel.order == BusOrder::CommandsFirst,
            have_parity: config.ftl.parity > 0,
            schedule_keys: config.schedule.policies,
            program_keys: config.program.policies,
        };
        let luns = geometry.dies() / dies_per_lun;
        let luns_per_channel = geometry.dies_per_channel() / dies_per_lun;
        let planes_per_lun = geometry.planes_per_die * dies_per_lun;
        let pages_per_plane = geometry.blocks_per_plane * geometry.pages_per_block;
        Controller {
            behaviour,
            in_ecc: Slab::default(),
            luns: Luns::new(luns, luns_per_channel, pages_per_plane * planes_per_lun),
            channels: Channels::new(geometry.channels),
            retries: retry::Retries::new(config, nand, luns),
            erases: Erases::new(config, luns),
            power: PowerBudget::new(config.nand.max_programs),
            counters: ControllerCounters::default(),
        }
    }

    /// Dies that serve one command at a time, together.
    #[must_use]
    pub fn dies_per_lun(config: &Config) -> u32 {
        match config.schedule.unit {
            ScheduleUnit::Die => 1,
            ScheduleUnit::Chip => config.ssd.dies_per_chip,
        }
    }

    /// The channels, for their time accounts.
    #[must_use]
    pub fn buses(&self) -> &[Bus] {
        self.channels.all()
    }

    /// Page reads of any kind, not of the host alone, by the number of retry senses that they took, from 0.
    #[must_use]
    pub fn retry_steps(&self) -> Vec<u64> {
        let mut steps = self.retries.steps.clone();
        if steps.is_empty() {
            steps.push(0);
        }
        let retried: u64 = steps.iter().sum();
        steps[0] = self.counters.reads - self.counters.uncorrectable_pages - retried;
        steps
    }

    /// What the read policy has counted of its own.
    #[must_use]
    pub fn counted(&self) -> Vec<Counted> {
        self.retries.policy.counted()
    }

    /// The LUNs, for their time accounts.
    #[must_use]
    pub fn luns(&self) -> &[Lun] {
        self.luns.all()
    }

    /// Whether programs of a block that wait end in the order of its pages, as far as queues decide.
    pub(crate) fn are_programs_in_order(&self, txns: &Txns, block_of: impl Fn(Ppn) -> BlockId) -> bool {
        self.luns.are_programs_in_order(txns, block_of)
    }

    /// Turns the order of the programs that wait; returns how many do so in a queue of several.
    #[cfg(test)]
    pub(crate) fn turn_programs(&mut self, txns: &mut Txns) -> usize {
        self.luns.turn_programs(txns)
    }

    /// tBERS of every block: pulses, verifies and feature commands of its command, without what came between.
    #[must_use]
    pub fn erase_times(&self) -> &Times {
        &self.erases.times
    }

    /// Power is gone: everything that was queued or under way is forgotten; the accounts stay.
    pub fn power_cut(&mut self, now: Ns) {
        self.in_ecc = Slab::default();
        self.luns.power_cut(now);
        self.channels.power_cut();
        self.power.power_cut();
    }

    /// Writes what the read policy has learned.
    ///
    /// # Errors
    /// What is written to fails.
    pub fn save_learned(&self, to: &mut Saver<'_>) -> io::Result<()> {
        self.retries.policy.save(to)
    }

    /// Takes back what [`Controller::save_learned`] wrote, where the read policy is the same.
    ///
    /// # Errors
    /// See [`LoadError`].
    pub fn load_learned(&mut self, from: &mut Loader<'_>) -> Result<(), LoadError> {
        self.retries.policy.load(from)
    }

    /// Takes a transaction from the FTL.
    #[inline(always)]
    pub fn enqueue(&mut self, id: u32, shared: &mut Shared) {
        let geometry = &shared.nand.geometry;
        let Txn { class, ppn, priority, .. } = shared.outbox.txns[id];
        // Each follows from the page alone, so that the processor can work them out side by side.
        let lun = self.luns.of_page(ppn);
        let die = geometry.die_of_page(ppn);
        let plane = (geometry.plane_of_page(ppn) - geometry.first_plane(die)) as u8;
        let handling = shared.outbox.txns.handling(id);
        handling.page = geometry.page_in_block(ppn);
        handling.die = die;
        handling.plane = plane;
        handling.created = shared.now;
        let queue = match class {
            Class::UserRead if self.behaviour.by_priority => lun::queue_by_priority(class, priority),
            Class::UserWrite if self.behaviour.writes_by_priority => lun::queue_by_priority(class, priority),
            class => class as usize,
        };
        self.luns[lun].push(&mut shared.outbox.txns, (class, queue), id, plane, shared.now);
        let is_busy = self.luns[lun].has(Place::Array);
        if is_busy && self.behaviour.may_suspend && matches!(class, Class::UserRead | Class::MapRead) {
            self.try_suspend(lun, shared);
        }
        // A busy LUN looks for itself when it comes free, unless it can load its next program meanwhile.
        if self.behaviour.cache_register || !is_busy {
            self.offer(lun);
        }
    }

    /// True where the array of a page's LUN is at the drive's own work: no read, write or mapping read of a request.
    #[must_use]
    pub fn is_at_own_work(&self, ppn: Ppn, txns: &Txns) -> bool {
        let lun = &self.luns[self.luns.of_page(ppn)];
        let is_own = |&id: &u32| {
            id != NONE && matches!(txns[id].class, Class::InternalRead | Class::InternalWrite | Class::Erase)
        };
        lun.has(Place::Array) && lun[Place::Array].txns().iter().any(is_own)
    }

    /// The channel of a LUN.
    #[inline]
    fn channel_of(&self, lun: LunId) -> ChannelId {
        self.luns[lun].channel
    }

    /// Notes that a LUN may have something to dispatch; the loop serves its channel next.
    #[inline]
    fn offer(&mut self, lun: LunId) {
        let Lun { channel, local, .. } = self.luns[lun];
        self.channels[channel].candidates |= 1 << local;
        self.channels.note(channel);
    }

    /// True when something changed for a channel.
    #[inline]
    #[must_use]
    pub fn is_dirty(&self) -> bool {
        self.channels.any_noted()
    }

    /// Serves every channel for which something changed. All else that follows from the present event has been done.
    #[inline]
    pub fn settle(&mut self, shared: &mut Shared) {
        while let Some(channel) = self.channels.take_noted() {
            let bus = &self.channels[channel];
            // The event at the end of a page's transfer comes back to its channel.
            if bus.current.is_some() || !bus.has_work() {
                continue;
            }
            if bus.free_at <= shared.now || self.comes_free_next(channel, shared) {
                self.serve(channel, shared);
            }
        }
    }

    /// A channel has work, but its bus is busy: true if nothing happens until it comes free, and it is free now. Otherwise an
    /// event wakes it, once.
    #[inline(never)]
    fn comes_free_next(&mut self, channel: ChannelId, shared: &mut Shared) -> bool {
        let is_last = !self.channels.any_noted();
        let bus = &mut self.channels[channel];
        if bus.ticket != 0 {
            return false;
        }
        let is_next = is_last && shared.is_quiet_until(bus.free_at);
        if is_next {
            shared.now = bus.free_at;
        } else {
            bus.ticket = shared.events.push(bus.free_at, Event::Bus(channel));
        }
        is_next
    }
}
