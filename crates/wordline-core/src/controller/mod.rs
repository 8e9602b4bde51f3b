//! The flash controller: queues of transactions, the dies that work on them, the channels between.
//!
//! `unit.rs` is a scheduling unit and its queues, `dispatch.rs` chooses what a channel does next,
//! `flow.rs` is the way of a command through array, channel and ECC.

mod bus;
mod dispatch;
mod erasing;
mod flow;
mod retry;
mod unit;

pub use bus::{Bus, ChannelTime};
pub use unit::Unit;

use erasing::Erasing;

use crate::config::{BusOrder, Config, EccEngine, EraseYield, Multiplane, ScheduleUnit};
use crate::engine::{Divider, Event, EventQueue, Ns, Slab, ns_from_us};
use crate::flash::{Class, Outbox};
use crate::metrics::{ControllerCounters, Latency, Timeline};
use crate::nand::Nand;
use crate::policy::erase::{RoundTimes, Scheme};
use crate::policy::program::Program;
use crate::policy::schedule::Schedule;

/// How the controller behaves, from the configuration.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Behaviour {
    erase: Scheme,
    program: Program,
    schedule: Schedule,
    multiplane: Multiplane,
    /// Planes of a die may have transactions in one command.
    joins_planes: bool,
    cache_register: bool,
    suspend_program: bool,
    /// Some operation may be interrupted for a read.
    may_suspend: bool,
    erase_yield: EraseYield,
    suspend_min_remaining: Ns,
    max_suspends: u32,
    max_read_burst: u32,
    ecc: EccEngine,
    decode: wordline_cells::ecc::DecodeTime,
    ecc_buffer: u32,
    hold_die: bool,
    commands_first: bool,
}

/// A page in the ECC engine.
#[derive(Clone, Copy, Debug)]
struct Decode {
    txn: u32,
    unit: u32,
    serial: u32,
    plane: u8,
    ok: bool,
    /// The die has moved on: nothing but the transaction waits for the result.
    detached: bool,
    arrival: flow::Arrival,
}

/// What the loop and the controller work on together.
#[derive(Debug)]
pub struct Stage {
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
    /// Slices of the timeline, where one is kept.
    pub timeline: Timeline,
}

/// The flash controller.
#[derive(Debug)]
pub struct Controller {
    behaviour: Behaviour,
    decodes: Slab<Decode>,
    units: Vec<Unit>,
    buses: Vec<Bus>,
    units_per_channel: u32,
    /// By the pages of a unit.
    by_unit: Divider,
    serial: u32,
    retries: retry::Retries,
    /// Channels for which something changed.
    dirty: u64,
    /// By unit: the erase that is under way.
    erasing: Vec<Erasing>,
    round_times: RoundTimes,
    /// tBERS of every erase command: pulses, verifies and feature commands, without what came between.
    pub erase_times: Latency,
    /// What happened, for the results.
    pub counters: ControllerCounters,
}

impl Controller {
    /// An idle controller.
    #[must_use]
    pub fn new(config: &Config, nand: &Nand) -> Controller {
        let geometry = config.geometry();
        let dies_per_unit = Controller::dies_per_unit(config);
        let behaviour = Behaviour {
            erase: config.erase.scheme,
            program: config.program.policy,
            schedule: config.schedule.policy,
            multiplane: config.nand.multiplane,
            joins_planes: config.nand.multiplane != Multiplane::Off && geometry.planes_per_die > 1,
            cache_register: config.nand.cache_register,
            suspend_program: config.program.suspend,
            may_suspend: config.program.suspend || config.erase.yield_at == EraseYield::Suspend,
            erase_yield: config.erase.yield_at,
            suspend_min_remaining: ns_from_us(config.schedule.suspend_min_remaining_us),
            max_suspends: config.schedule.max_suspends,
            max_read_burst: config.schedule.max_read_burst,
            ecc: config.ecc.engine,
            decode: config.ecc.decode_time(),
            ecc_buffer: config.ecc.buffer_pages,
            hold_die: config.ecc.hold_die,
            commands_first: config.channel.order == BusOrder::CommandsFirst,
        };
        let units = geometry.dies() / dies_per_unit;
        let units_per_channel = geometry.dies_per_channel() / dies_per_unit;
        let pages_per_plane = geometry.blocks_per_plane * geometry.pages_per_block;
        Controller {
            behaviour,
            decodes: Slab::default(),
            units: (0..units)
                .map(|unit| Unit::new(unit / units_per_channel, unit % units_per_channel))
                .collect(),
            buses: (0..geometry.channels).map(|_| Bus::default()).collect(),
            units_per_channel,
            by_unit: Divider::new(pages_per_plane * geometry.planes_per_die * dies_per_unit),
            serial: 0,
            retries: retry::Retries::new(config, nand, units),
            dirty: 0,
            round_times: erasing::round_times(config),
            erasing: vec![Erasing::default(); units as usize],
            erase_times: Latency::new(config.metrics.digits),
            counters: ControllerCounters::default(),
        }
    }

    /// Dies that serve one command at a time, together.
    #[must_use]
    pub fn dies_per_unit(config: &Config) -> u32 {
        match config.schedule.unit {
            ScheduleUnit::Die => 1,
            ScheduleUnit::Chip => config.ssd.dies_per_chip,
        }
    }

    /// The channels, for their time accounts.
    #[must_use]
    pub fn buses(&self) -> &[Bus] {
        &self.buses
    }

    /// Page reads by the number of retry senses that they took, from 0.
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

    /// The units, for their time accounts.
    #[must_use]
    pub fn units(&self) -> &[Unit] {
        &self.units
    }

    /// Power is gone: everything that was queued or under way is forgotten; the accounts stay.
    pub fn power_cut(&mut self) {
        self.decodes = Slab::default();
        self.dirty = 0;
        for unit in &mut self.units {
            *unit = Unit { busy: unit.busy, ..Unit::new(unit.channel, unit.local) };
        }
        for bus in &mut self.buses {
            *bus = Bus { time: bus.time, ecc_busy: bus.ecc_busy, ..Bus::default() };
        }
    }

    /// Takes a transaction from the FTL.
    #[inline(always)]
    pub fn enqueue(&mut self, id: u32, stage: &mut Stage) {
        let geometry = &stage.nand.geometry;
        let txn = &mut stage.outbox.txns[id];
        let class = txn.class;
        // Each by the page alone, not one by the other: none has to wait for the one before.
        let unit = self.by_unit.quotient(txn.ppn);
        txn.page = geometry.page_in_block(txn.ppn);
        txn.die = geometry.die_of_page(txn.ppn);
        txn.plane = (geometry.plane_of_page(txn.ppn) - txn.die * geometry.planes_per_die) as u8;
        txn.created = stage.now;
        self.units[unit as usize].push(&mut stage.outbox.txns, class, id, stage.now);
        if self.behaviour.may_suspend && matches!(class, Class::UserRead | Class::MapRead) {
            self.try_suspend(unit, stage);
        }
        // A busy unit looks for itself when it comes free, unless it can load its next program meanwhile.
        if self.behaviour.cache_register || !self.units[unit as usize].has(unit::ARRAY) {
            self.offer(unit);
        }
    }

    /// The channel of a unit.
    #[inline]
    fn channel_of(&self, unit: u32) -> u32 {
        self.units[unit as usize].channel
    }

    /// Notes that a unit may have something to dispatch; the loop serves its channel next.
    #[inline]
    fn offer(&mut self, unit: u32) {
        let Unit { channel, local, .. } = self.units[unit as usize];
        self.buses[channel as usize].candidates |= 1 << local;
        self.dirty |= 1 << channel;
    }

    /// True when something changed for a channel.
    #[inline]
    #[must_use]
    pub fn is_dirty(&self) -> bool {
        self.dirty != 0
    }

    /// Serves every channel for which something changed.
    #[inline]
    pub fn settle(&mut self, stage: &mut Stage) {
        while self.dirty != 0 {
            let channel = self.dirty.trailing_zeros();
            self.dirty &= self.dirty - 1;
            let bus = &self.buses[channel as usize];
            // The event at the end of a page's transfer comes back to its channel.
            if bus.current.is_some() || !bus.has_work() {
                continue;
            }
            if bus.free_at > stage.now {
                self.wake_when_free(channel, stage);
            } else {
                self.serve(channel, stage);
            }
        }
    }

    /// Wakes a channel when its bus comes free, once.
    #[inline(never)]
    fn wake_when_free(&mut self, channel: u32, stage: &mut Stage) {
        let bus = &mut self.buses[channel as usize];
        if bus.ticket == 0 {
            bus.ticket = stage.events.push(bus.free_at, Event::Bus(channel));
        }
    }
}
