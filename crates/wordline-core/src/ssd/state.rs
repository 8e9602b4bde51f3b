//! What a run has changed: written between two steps, and taken back by an SSD of the same configuration.
//!
//! A state has two halves. The *drive* is what outlives a run: what is in the flash and in the DRAM, how worn the
//! blocks are, what policies have learned. The *run* is the rest: what is under way, what was measured, how far
//! the host has come.

use std::io;

use super::Ssd;
use crate::cache::{Cache, CacheCounters};
use crate::controller::Shared;
use crate::engine::{Event, LoadError, Loader, Saver, State};
use crate::flash::Owner;
use crate::metrics::{Life, Timeline};
use crate::nand::Ppn;

impl Ssd {
    /// Writes the whole state.
    ///
    /// # Errors
    /// What is written to fails.
    pub fn save(&self, to: &mut Saver<'_>) -> io::Result<()> {
        to.value(&self.shared.now)?;
        self.shared.nand.save(to)?;
        self.ftl.save(to)?;
        self.cache.save(to)?;
        self.zoned.save(to)?;
        to.value(&(self.life_before, self.life()))?;
        self.controller.save_learned(to)?;
        self.save_run(to)
    }

    /// Goes on where the run was that was saved, instead of beginning. The configuration, the flows and the options
    /// are those of that run.
    ///
    /// # Errors
    /// [`LoadError`]. The SSD is then of no further use.
    pub fn resume(&mut self, from: &mut Loader<'_>) -> Result<(), LoadError> {
        (self.life_before, _) = self.load_drive(from)?;
        self.controller.load_learned(from)?;
        self.load_run(from)
    }

    /// Takes the drive of a run that has ended, and goes on with its clock. What was measured stays behind. `learned`
    /// says whether the read policy is the one that it was, and goes on with what it has learned.
    ///
    /// # Errors
    /// [`LoadError`]. The SSD is then of no further use.
    pub fn take_drive(&mut self, from: &mut Loader<'_>, learned: bool) -> Result<(), LoadError> {
        (_, self.life_before) = self.load_drive(from)?;
        if learned {
            self.controller.load_learned(from)?;
        }
        self.begin_anew();
        Ok(())
    }

    /// True where the drive can be taken by another run: nothing is under way.
    #[must_use]
    pub fn is_at_rest(&self) -> bool {
        let is_over = !self.begun || self.host.requests.is_empty() && !self.host.is_expecting();
        let is_moving = self.cache.as_ref().is_some_and(|cache| cache.dram.is_waited_for());
        is_over && !is_moving && self.shared.outbox.txns.is_empty()
    }

    /// Clocks and counters of the run begin at this moment; what came before on this drive does not count in it.
    fn begin_anew(&mut self) {
        self.begin_clocks_anew();
        self.ftl.begin_anew(&self.shared.nand, self.cache.iter().flat_map(Cache::dirty));
    }

    /// The same without the FTL.
    pub(super) fn begin_clocks_anew(&mut self) {
        self.began_at = self.shared.now;
        self.look();
        self.metrics.begin_at(self.began_at);
        self.shared.timeline.begin_at(self.began_at);
        if let Some(cache) = &mut self.cache {
            cache.counters = CacheCounters::default();
        }
        self.counted_before = self.counted().into_iter().flat_map(|counted| counted.values).collect();
    }

    /// Returns what had happened to the drive before the run that wrote it, and after that.
    fn load_drive(&mut self, from: &mut Loader<'_>) -> Result<(Life, Life), LoadError> {
        self.shared.now = from.value()?;
        self.shared.nand.load(from)?;
        from.check(|| self.shared.nand.is_sound(self.shared.now))?;
        self.ftl.load(from)?;
        self.cache.load(from)?;
        self.zoned.load(from)?;
        let life = from.value()?;
        from.check(|| self.cache.as_ref().is_none_or(|cache| cache.is_sound(|lpn| self.ftl.has_page(lpn))))?;
        Ok(life)
    }

    /// Whether events and transactions name only what there is, for so many LUNs and channels.
    fn is_sound(&self, luns: usize, channels: usize) -> bool {
        let Shared { events, outbox, nand, .. } = &self.shared;
        let requests = &self.host.requests;
        let is_sound = |event: Event| match event {
            Event::Die(lun) | Event::Look(lun) => lun.index() < luns,
            Event::Bus(channel) => channel.index() < channels,
            Event::Fetched(id) | Event::Respond(id) => requests.has(id),
            Event::Arrival(flow) => (flow as usize) < self.host.flow_count(),
            Event::Decoded(id) => self.controller.decodes(id),
            Event::Dram(_) => self.cache.is_some(),
            Event::Alarm(_) => true,
        };
        let has_owner = |owner: Owner| match owner {
            Owner::Request(id) => requests.has(id),
            Owner::Slot(lpn) => self.cache.as_ref().is_some_and(|cache| cache.flushes(lpn)),
            _ => self.ftl.has_owner(owner),
        };
        let is_page = |ppn: Ppn| u64::from(ppn) < nand.geometry.pages();
        events.all().all(|(at, event)| at >= self.shared.now && is_sound(event))
            && outbox.urgent == self.ftl.urgent(luns)
            && outbox.txns.owners().chain(self.ftl.waiting_owners()).all(has_owner)
            && self.cache.iter().flat_map(Cache::owners).all(has_owner)
            && outbox.orders.iter().all(|&id| outbox.txns.has(id))
            && outbox.txns.are_sound(
                is_page,
                |mode| self.ftl.has_mode(mode),
                |carried| self.ftl.has_unit(carried),
            )
            && self.host.is_sound(|id| self.shared.failures.iter().any(|failure| failure.request == id))
            && self.ftl.are_programs_sound(&outbox.txns)
            && self.controller.is_sound((luns, channels), outbox)
            && (self.ftl.blocks().may_overtake()
                || self.controller.are_programs_in_order(&outbox.txns, |ppn| nand.geometry.block_of(ppn)))
    }

    fn save_run(&self, to: &mut Saver<'_>) -> io::Result<()> {
        let shared = &self.shared;
        shared.events.save(to)?;
        shared.outbox.save(to)?;
        to.value(&shared.timeline)?;
        to.value(&(&shared.failures, shared.oldest_write))?;
        self.ftl.save_shadow(to)?;
        self.controller.save(to)?;
        self.host.save(to)?;
        self.link.save(to)?;
        self.cores.save(to)?;
        self.metrics.save(to)?;
        to.value(&(self.preconditioned, self.steady))?;
        to.value(&(self.blocks_in_use, self.timers, self.begun, self.began_at))?;
        to.value(&self.counted_before)?;
        to.value(&(self.power_log, &self.observers.account, &self.window))
    }

    fn load_run(&mut self, from: &mut Loader<'_>) -> Result<(), LoadError> {
        let (luns, channels) = (self.controller.luns().len(), self.controller.buses().len());
        let shared = &mut self.shared;
        shared.events.load(from)?;
        shared.outbox.load(from)?;
        shared.timeline = from.value::<Timeline>()?;
        (shared.failures, shared.oldest_write) = from.value()?;
        self.ftl.load_shadow(from)?;
        self.controller.load(from)?;
        self.host.load(from)?;
        self.link.load(from)?;
        self.cores.load(from)?;
        self.metrics.load(from)?;
        (self.preconditioned, self.steady) = from.value()?;
        (self.blocks_in_use, self.timers, self.begun, self.began_at) = from.value()?;
        self.counted_before = from.value()?;
        (self.power_log, self.observers.account, self.window) = from.value()?;
        from.check(|| self.is_sound(luns, channels))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Layer, resolve};
    use crate::engine::Ns;
    use crate::host::{FlowInput, HostRequest, Op, Replay};
    use crate::ssd::RunOptions;

    const SMALL: [&str; 8] = [
        "ssd.channels=1",
        "ssd.chips_per_channel=1",
        "ssd.dies_per_chip=1",
        "ssd.planes_per_die=1",
        "ssd.blocks_per_plane=64",
        "ssd.pages_per_block=24",
        "ssd.page_bytes=4096",
        "ssd.overprovisioning=0.25",
    ];

    fn with(settings: &[&str]) -> Ssd {
        let layers: Vec<Layer> =
            SMALL.iter().chain(settings).map(|each| Layer::assignment(each).unwrap()).collect();
        let config = resolve(&layers).unwrap_or_else(|error| panic!("{error}")).config;
        let requests = (0..900).map(|place| Ok(HostRequest::new(0, Op::Write, place * 131 % 900 * 8, 8)));
        let flow = FlowInput::new("flow", Box::new(requests), Replay::Closed { depth: 40 });
        let options = RunOptions { check: true, ..RunOptions::default() };
        Ssd::new(&config, vec![flow], &options)
    }

    /// Runs one, turns the order of its programs that wait, and gives its state to a second one.
    fn turned(settings: &[&str], at: Ns) -> (Ssd, Result<(), LoadError>) {
        let mut ssd = with(settings);
        ssd.run_until(at, &mut |_| true).unwrap();
        let count = ssd.controller.turn_programs(&mut ssd.shared.outbox.txns);
        assert!(count > 1, "{settings:?}: no programs wait");
        let mut bytes = Vec::new();
        ssd.save(&mut Saver::new(&mut bytes)).unwrap();
        let mut other = with(settings);
        let result = other.resume(&mut Loader::new(&mut &*bytes));
        (other, result)
    }

    #[test]
    fn programs_that_wait_in_another_order_than_their_pages_are_refused() {
        for settings in [
            &[] as &[&str],
            &["program.policy=two-step"],
            &["cache.mode=write", "cache.capacity_bytes=131072"],
            &["schedule.policy=mqsim-priority-out-of-order"],
        ] {
            for at in [4_000_000, 40_000_000] {
                let (_, result) = turned(settings, at);
                result.expect_err("a program waits before one of an earlier page");
            }
        }
    }

    #[test]
    fn where_programs_may_overtake_any_order_ends_with_the_data_in_place() {
        let settings = ["nand.multiplane=overtaking"];
        let (mut ssd, result) = turned(&settings, 4_000_000);
        result.unwrap();
        // Checked mode compares each read, and all tables at the end.
        ssd.run(&mut |_| true).unwrap();
        let mut plain = with(&settings);
        plain.run(&mut |_| true).unwrap();
        assert_eq!(ssd.metrics.all.count(), plain.metrics.all.count());
    }
}
