//! The SSD: one loop that owns every stage, and the only place that calls more than one.
//!
//! ```text
//! workload ─HostRequest→ host ─PageOp→ (cache) → ftl ─Txn→ controller ─Phase…→ die / channel / ecc
//! metrics  ←─completed── host ←─served────────── ftl ←──── done ───── controller
//! ```
//!
//! Stages take values and leave values in outboxes; [`Ssd::settle`] carries those from one stage to
//! the next until all are empty. Nothing is called back.

mod account;
mod accounts;
mod answers;
mod buffer;
mod dump;
mod live;
mod observers;
mod power;
mod precondition;
mod requests;
mod state;
mod steady;
mod timed_aging;
mod view;
mod watchdog;
mod window;
mod zoned;

use serde::{Deserialize, Serialize};

use crate::cache::{Cache, CacheOut};
use crate::config::Config;
use crate::controller::{Controller, Shared};
use crate::engine::{Alarm, Event, EventQueue, Ns, TIME_MAX};
use crate::error::SimError;
use crate::flash::{Outbox, Owner, SectorMask, full_page};
use crate::ftl::{Ftl, Remains, Step};
use crate::host::{Cores, FlowInput, Host, Link};
use crate::metrics::{Life, Metrics, Preconditioned, RequestLog, Timeline};
use crate::nand::Nand;
use crate::options::RunOptions;
use account::Account;
pub use accounts::Accounts;
use observers::Observers;
pub use power::{PowerCut, PowerLog, PowerReport};
pub use precondition::Overwrites;
pub use steady::{Steady, TimedAging};
use watchdog::Watchdog;
use window::Window;
use wordline_cells::ns_from_us;
use zoned::Zoned;

/// How far a run has come.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// Requests submitted.
    pub submitted: u64,
    /// Requests completed and counted.
    pub completed: u64,
    /// Simulated time, ns.
    pub now: Ns,
}

/// A simulated SSD with its host.
#[derive(Debug)]
pub struct Ssd {
    shared: Shared,
    host: Host,
    link: Link,
    cores: Cores,
    cache: Option<Cache>,
    ftl: Ftl,
    controller: Controller,
    metrics: Metrics,
    window: Window,
    cache_out: CacheOut,
    seed: u64,
    sectors_per_page: u32,
    full_page: SectorMask,
    sector_shift: u32,
    /// What happened before the run.
    preconditioned: Preconditioned,
    /// How overwriting until it is steady has ended, where that was asked for.
    steady: Option<Steady>,
    blocks_in_use: BlocksInUse,
    /// Alarms that ring at intervals among the events to come.
    timers: usize,
    /// The host has begun.
    begun: bool,
    /// When, ns: later than 0 on an SSD that has been used in an earlier run.
    began_at: Ns,
    /// What policies had counted by then.
    counted_before: Vec<u64>,
    /// What had happened to the drive by then.
    life_before: Life,
    /// What survives a power loss, while there is no power.
    remains: Option<Remains>,
    observers: Observers,
    power_log: PowerLog,
    /// Backup power saves what only the cache holds.
    is_protected: bool,
    /// The firmware's own time for a flush, ns.
    flush_time: Ns,
    watchdog: Watchdog,
    /// There on a drive of zones.
    zoned: Option<Box<Zoned>>,
}

/// Blocks that were neither free nor bad when a run began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlocksInUse {
    /// Before `refresh.at_start` did its work.
    pub before_refresh: usize,
    /// Afterwards, where that was done without time.
    pub at_start: usize,
}

/// Events between two reports of progress.
const EVENTS_PER_REPORT: u32 = 1 << 16;

/// The step of the FTL: what it may see of the stages' common state.
#[inline(always)]
fn step_of(shared: &mut Shared) -> Step<'_> {
    Step { nand: &mut shared.nand, now: shared.now, out: &mut shared.outbox, failures: &mut shared.failures }
}

/// See [`Shared::horizon`]. Checked mode looks at what is at work whenever time goes on, so nothing is brought forward.
fn horizon(is_checked: bool) -> Ns {
    if is_checked { 0 } else { Ns::MAX }
}

/// The error of a run that takes longer than the latest time.
#[cold]
fn too_late() -> SimError {
    SimError::TooLate(
        "the run passes 146 years of simulated time; run fewer requests, shorten the times of [nand], [channel], [ecc] \
         and [host], or end it with host.duration_s"
            .to_owned(),
    )
}

impl Ssd {
    /// An SSD with its host; nothing has happened yet.
    #[must_use]
    pub fn new(config: &Config, flows: Vec<FlowInput>, options: &RunOptions) -> Ssd {
        let geometry = config.geometry();
        let planes_per_lun = Controller::dies_per_lun(config) * geometry.planes_per_die;
        let sectors = config.sectors_per_unit();
        let nand = Nand::new(config);
        let controller = Controller::new(config, &nand);
        let shared = Shared {
            now: 0,
            events: EventQueue::new(),
            nand,
            outbox: Outbox::new(controller.luns().len()),
            done: Vec::new(),
            failures: Vec::new(),
            oldest_write: None,
            timeline: Timeline::new(options.timeline),
            horizon: horizon(options.check),
        };
        Ssd {
            shared,
            metrics: Metrics::new(
                config,
                flows.len(),
                flows.iter().any(|flow| flow.ramp > 0),
                RequestLog::new(options.log_requests),
            ),
            window: Window::default(),
            host: Host::new(config, flows),
            link: Link::new(config),
            cores: Cores::new(&config.controller, config.zones.append_ns),
            cache: Cache::new(config),
            ftl: Ftl::new(config, planes_per_lun, options),
            observers: Observers::new(options.check.then(|| Account::new(&controller))),
            controller,
            watchdog: Watchdog::new(u64::from(geometry.planes()) * u64::from(geometry.pages_per_block)),
            zoned: Zoned::new(config).map(Box::new),
            cache_out: CacheOut::default(),
            seed: config.seed,
            sectors_per_page: sectors,
            full_page: full_page(sectors),
            sector_shift: sectors.trailing_zeros(),
            preconditioned: Preconditioned::default(),
            steady: None,
            blocks_in_use: BlocksInUse::default(),
            timers: 0,
            begun: false,
            began_at: 0,
            counted_before: Vec::new(),
            life_before: Life::default(),
            remains: None,
            power_log: PowerLog::default(),
            is_protected: config.power.protected,
            flush_time: ns_from_us(config.controller.flush_us),
        }
    }

    /// Runs until every request of every flow is complete.
    ///
    /// `report` is told of progress now and then; when it returns false the run stops.
    ///
    /// # Errors
    /// [`SimError::OutOfSpace`], [`SimError::Stuck`], [`SimError::Workload`], [`SimError::Request`], [`SimError::Check`], or
    /// [`SimError::Stopped`] when `report` says so.
    pub fn run(&mut self, report: &mut dyn FnMut(&Progress) -> bool) -> Result<(), SimError> {
        self.begin_run()?;
        while self.steps()? {
            if !report(&self.progress()) {
                // What there is so far can be looked at.
                self.metrics.finish();
                return Err(SimError::Stopped);
            }
        }
        self.metrics.finish();
        self.check_nothing_is_left()
    }

    /// Runs until `at`, ns since the run began, or until nothing is to come; true if something is. [`Ssd::run`] goes on from there.
    ///
    /// # Errors
    /// See [`Ssd::run`].
    pub fn run_until(&mut self, at: Ns, report: &mut dyn FnMut(&Progress) -> bool) -> Result<bool, SimError> {
        self.begin_run()?;
        let at = at.saturating_add(self.began_at);
        let horizon = self.shared.horizon;
        self.shared.horizon = at.min(horizon);
        let mut until_report = EVENTS_PER_REPORT;
        while !self.shared.events.is_quiet_until(at) {
            self.step()?;
            until_report -= 1;
            if until_report == 0 {
                until_report = EVENTS_PER_REPORT;
                if !report(&self.progress()) {
                    self.metrics.finish();
                    return Err(SimError::Stopped);
                }
            }
        }
        self.shared.horizon = horizon;
        let goes_on = !self.shared.events.is_empty();
        if goes_on {
            self.look();
            self.shared.now = self.shared.now.max(at);
        }
        Ok(goes_on)
    }

    /// Lets the host begin, the first time.
    fn begin_run(&mut self) -> Result<(), SimError> {
        if self.begun {
            return Ok(());
        }
        self.begun = true;
        self.host.start(self.shared.now, &mut |time, event| _ = self.shared.events.push(time, event))?;
        self.blocks_in_use.before_refresh = self.ftl.blocks().in_use();
        self.preconditioned += self.ftl.refresh_at_start(&mut step_of(&mut self.shared))?;
        self.blocks_in_use.at_start = self.ftl.blocks().in_use();
        self.start_timers();
        if let Some(cache) = &mut self.cache {
            cache.forget_alarm();
        }
        self.set_cache_alarm();
        self.fetch()?;
        self.settle()
    }

    fn start_timers(&mut self) {
        for alarm in Alarm::ALL.into_iter().filter(|alarm| alarm.is_periodic()) {
            if self.period_of(alarm) > 0 {
                self.shared.events.push(self.shared.now, alarm.event());
                self.timers += 1;
            }
        }
    }

    /// The next event and all that follows from it at once; false when there is none.
    #[inline(never)]
    fn step(&mut self) -> Result<bool, SimError> {
        if self.observers.account.is_some() {
            self.look();
        }
        let goes_on = self.advance()?;
        if self.observers.account.is_some() {
            self.look();
        }
        self.check_time()?;
        self.watch_event()?;
        Ok(goes_on)
    }

    /// As many steps as lie between two reports of progress; false when no event is left.
    #[inline(never)]
    fn steps(&mut self) -> Result<bool, SimError> {
        if self.observers.account.is_some() {
            return self.checked_steps(EVENTS_PER_REPORT);
        }
        for _ in 0..EVENTS_PER_REPORT {
            if !self.advance()? {
                self.check_time()?;
                return Ok(false);
            }
        }
        self.check_time()?;
        self.watch_events(EVENTS_PER_REPORT)?;
        Ok(true)
    }

    /// Time only runs forward, and steps are short, so it is enough to look at it now and then.
    fn check_time(&self) -> Result<(), SimError> {
        if self.shared.now > TIME_MAX { Err(too_late()) } else { Ok(()) }
    }

    /// See [`Ssd::step`].
    #[inline(always)]
    fn advance(&mut self) -> Result<bool, SimError> {
        let Some((time, ticket, event)) = self.shared.events.pop() else { return Ok(false) };
        debug_assert!(time >= self.shared.now, "time never runs back");
        let before = std::mem::replace(&mut self.shared.now, time);
        match event {
            Event::Arrival(flow) => {
                self.host.arrived(flow, time, &mut |at, event| _ = self.shared.events.push(at, event))?;
                self.look_ahead();
                self.fetch()?;
            }
            Event::Fetched(request) => self.begin_fetched(request)?,
            Event::Respond(request) => self.complete(request)?,
            Event::Alarm(number) => {
                let alarm = Alarm::numbered(number);
                if alarm.ends_with_host() && !self.host_goes_on() {
                    self.shared.now = before;
                    self.forget(alarm);
                    return Ok(true);
                }
                self.rings(alarm)?;
            }
            Event::Dram(_) => self.dram_ended()?,
            Event::Die(unit) => self.controller.phase_ended(unit, ticket, &mut self.shared),
            Event::Look(unit) => self.controller.look_again(unit, &mut self.shared),
            Event::Bus(channel) => self.controller.bus_freed(channel, ticket, &mut self.shared),
            Event::Decoded(page) => self.controller.decoded(page, &mut self.shared),
        }
        self.settle()?;
        Ok(true)
    }

    /// How far the run has come.
    #[must_use]
    pub fn progress(&self) -> Progress {
        Progress {
            submitted: self.host.submitted,
            completed: self.metrics.completed_count(),
            now: self.now(),
        }
    }

    /// Carries values from stage to stage until all outboxes are empty.
    #[inline(always)]
    fn settle(&mut self) -> Result<(), SimError> {
        if self.shared.done.is_empty() && self.shared.outbox.served.is_empty() {
            // Nothing comes back: at most there is something to send.
            if !self.shared.outbox.orders.is_empty() {
                self.send();
            }
            // Before the controller brings forward what it takes for the next event.
            self.set_packing_alarm();
            if self.controller.is_dirty() {
                self.controller.settle(&mut self.shared);
            }
            if self.shared.done.is_empty() {
                return Ok(());
            }
        }
        self.settle_all()
    }

    /// Events for the next page that waits for more mapping units, and for the time when the host may count as idle.
    #[inline(always)]
    fn set_packing_alarm(&mut self) {
        if let Some(at) = self.ftl.packing_alarm(self.shared.now) {
            self.shared.events.push(at, Alarm::Packing.event());
        }
        if let Some(at) = self.ftl.idle_alarm() {
            self.shared.events.push(at.max(self.shared.now), Alarm::Idle.event());
        }
        if let Some(at) = self.ftl.journal_alarm(self.shared.now) {
            self.shared.events.push(at, Alarm::Journal.event());
        }
    }

    /// Carries transactions to the controller.
    #[inline(never)]
    fn send(&mut self) {
        self.ftl.sent(&self.shared.outbox);
        self.shared.oldest_write = self.host.oldest_write();
        if self.observers.notices.is_some() {
            self.watch_sent();
        }
        for at in 0..self.shared.outbox.orders.len() {
            self.controller.enqueue(self.shared.outbox.orders[at], &mut self.shared);
        }
        self.shared.outbox.orders.clear();
    }

    #[inline(never)]
    fn settle_all(&mut self) -> Result<(), SimError> {
        loop {
            while !self.shared.done.is_empty()
                || !self.shared.outbox.orders.is_empty()
                || !self.shared.outbox.served.is_empty()
            {
                for at in 0..self.shared.done.len() {
                    let id = self.shared.done[at];
                    self.watch_done(id);
                    self.ftl.done(id, &mut step_of(&mut self.shared))?;
                    self.shared.outbox.txns.remove(id);
                }
                self.shared.done.clear();
                if !self.shared.outbox.orders.is_empty() {
                    self.send();
                }
                // An owner that is served may ask for more, and some of that is served at once.
                let mut next = 0;
                while let Some(&owner) = self.shared.outbox.served.get(next) {
                    if let Owner::Slot(_) = owner {
                        next += self.flushed(next)?;
                        continue;
                    }
                    next += 1;
                    self.served(owner)?;
                }
                self.shared.outbox.served.clear();
            }
            self.set_packing_alarm();
            if self.controller.is_dirty() {
                self.controller.settle(&mut self.shared);
            }
            if self.shared.done.is_empty() {
                return Ok(());
            }
        }
    }

    /// How often an alarm rings, ns; 0 where it never does, or not at intervals.
    fn period_of(&self, alarm: Alarm) -> Ns {
        match alarm {
            Alarm::Refresh => self.ftl.refresh_scan_period(),
            Alarm::Rewrites => self.ftl.rewrite_scan_period(),
            Alarm::OpenGroups => self.ftl.open_scan_period(),
            Alarm::Cache | Alarm::Packing | Alarm::Idle | Alarm::Journal => 0,
        }
    }

    /// An alarm does not ring, since nothing comes from the host any more.
    #[cold]
    fn forget(&mut self, alarm: Alarm) {
        match alarm {
            // What is left in the cache stays there.
            Alarm::Idle => self.ftl.forget_idle_alarm(),
            // What is left waits for the next change.
            Alarm::Journal => self.ftl.forget_journal_alarm(),
            _ => self.timers -= 1,
        }
    }

    /// True while the host has requests under way or to come.
    fn host_goes_on(&self) -> bool {
        !self.host.requests.is_empty() || self.host.is_expecting()
    }

    /// An alarm rings.
    #[inline(never)]
    fn rings(&mut self, alarm: Alarm) -> Result<(), SimError> {
        if alarm.is_periodic() {
            self.timers -= 1;
            // They may be years apart.
            self.check_time()?;
        }
        let step = &mut step_of(&mut self.shared);
        match alarm {
            Alarm::Refresh => self.ftl.look_for_due_blocks(step)?,
            Alarm::Rewrites => self.ftl.look_for_due_rewrites(step)?,
            Alarm::OpenGroups => self.ftl.close_idle_groups(step)?,
            Alarm::Cache => self.cache_rings()?,
            Alarm::Packing => {
                let leaving = self.cache.as_ref().map_or(0, Cache::leaving_for_others);
                self.ftl.pad_due_pages(leaving, step)?;
            }
            Alarm::Idle => self.ftl.fold_if_idle(step)?,
            Alarm::Journal => self.ftl.journal_rings(step)?,
        }
        // They go on as long as the host does and something else is to come: they must keep neither
        // an idle SSD running nor one that is stuck.
        let goes_on = self.host.is_live
            || self.shared.events.len() > self.timers
            || !self.shared.outbox.orders.is_empty();
        if alarm.is_periodic() && goes_on && self.host_goes_on() {
            self.shared.events.push(self.shared.now + self.period_of(alarm), alarm.event());
            self.timers += 1;
        }
        Ok(())
    }

    /// No event is left: nothing may wait for one.
    fn check_nothing_is_stuck(&self) -> Result<(), SimError> {
        match self.ftl.stuck() {
            Some(words) if self.shared.outbox.txns.is_empty() => Err(SimError::OutOfSpace(words)),
            _ => Ok(()),
        }
    }

    /// No event is left: neither may a request be.
    fn check_nothing_is_left(&self) -> Result<(), SimError> {
        let stuck = if self.shared.outbox.txns.is_empty() { self.ftl.stuck() } else { None };
        if self.host.requests.is_empty() && self.shared.outbox.txns.is_empty() && stuck.is_none() {
            return if self.ftl.is_checked() { self.verify() } else { Ok(()) };
        }
        Err(match stuck {
            Some(words) => SimError::OutOfSpace(words),
            None => SimError::Check(format!(
                "at {} ns after {} completed no event is left, but {} requests and {} transactions are not done",
                self.shared.now,
                self.metrics.completed_count(),
                self.host.requests.len(),
                self.shared.outbox.txns.len()
            )),
        })
    }

    /// Checked mode: all accounts agree, now that nothing is under way.
    fn verify(&self) -> Result<(), SimError> {
        let breakdown = &self.metrics.breakdown;
        let parts = breakdown.queue + breakdown.array + breakdown.channel_wait + breakdown.transfer;
        if parts != breakdown.total {
            return Err(SimError::Check(format!(
                "the parts of all reads last {parts} ns, their total {}",
                breakdown.total
            )));
        }
        self.verify_account()?;
        if self.observers.account.as_ref().is_some_and(|account| !account.was_cut) {
            self.controller.verify()?;
        }
        self.ftl.verify_merged(&self.shared.nand)?;
        self.ftl.verify_modes(&self.shared.nand)?;
        let cache = self.cache.as_ref();
        self.ftl.verify(&|lpn| cache.map_or(0, |cache| cache.dirty_sectors(lpn)))
    }
}
