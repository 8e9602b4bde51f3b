//! Power: what happens to an SSD that is switched off, or loses its power, and when it is back.
//!
//! `ftl/power.rs` says what is taken to outlive a power loss.

use serde::{Deserialize, Serialize};

use super::{Progress, Ssd, dump, step_of};
use crate::cache::{Cache, Transfer};
use crate::config::PowerConfig;
use crate::engine::Ns;
use crate::error::SimError;
use crate::flash::{Owner, Status};
use crate::ftl::Remains;

/// Reads of a replay that are asked for together. More would take memory, fewer would leave dies idle between them.
const REPLAY_BATCH: usize = 1 << 16;

/// Events between two looks whether a stage has done its work.
const EVENTS_PER_LOOK: usize = 16;

/// What a power loss found under way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PowerCut {
    /// Requests that the SSD had taken and not answered. They end with [`Status::AbortedPowerLoss`].
    pub interrupted_requests: usize,
    /// Requests that waited in submission queues. They end so, too.
    pub waiting_requests: usize,
    /// Pages whose programs were cut off.
    pub programs_cut_off: usize,
    /// Pages that had not gone to flash.
    pub queued_pages: usize,
    /// Pages that were written fast and have no newer copy.
    pub fast_pages: u64,
    /// Pages of which the volatile cache held data that the flash does not have, or, with a journal, that were on their way to it.
    pub lost_cache_pages: usize,
    /// Bytes of these pages.
    pub lost_bytes: u64,
    /// Such pages of a cache with backup power, which wrote them to flash.
    pub dumped_pages: usize,
    /// Bytes of these, of the pages of the write queue, of the programs cut off and of journal entries; 0 where there is no
    /// backup power.
    pub dumped_bytes: u64,
    /// How long backup power has to last for them, ns.
    pub dump_time: Ns,
}

/// What an SSD did before it was switched off, or after power came back, until it held no fast page and no changed mapping
/// entry alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PowerReport {
    /// Fast pages that it wrote again at normal speed.
    pub rewritten_pages: u64,
    /// Fast pages that had outlived their retention.
    pub lost_pages: u64,
    /// Pages of the mapping table that it wrote.
    pub map_writes: u64,
    /// Pages of the flash that it read to know its mapping table.
    pub replay_reads: u64,
    /// How long that took, ns: the host waits for it.
    pub replay_time: Ns,
    /// How long all of it took, ns.
    pub time: Ns,
}

/// What power did in a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PowerLog {
    /// Times that power was lost.
    pub losses: u64,
    /// What `power.cut_at_s` found, and what the SSD did when power was back.
    pub cut: Option<(PowerCut, PowerReport)>,
    /// What `power.shutdown_at_s` took.
    pub shutdown: Option<PowerReport>,
}

impl Ssd {
    /// [`Ssd::run`], with a power loss on the way, or switched off, where `[power]` asks for it.
    ///
    /// # Errors
    /// See [`Ssd::run`] and [`Ssd::power_cut`].
    pub fn run_with_power(
        &mut self,
        power: &PowerConfig,
        report: &mut dyn FnMut(&Progress) -> bool,
    ) -> Result<(), SimError> {
        let at = |s: f64| (s * 1e9) as Ns;
        // A run that was saved may have this behind it.
        if power.cut_at_s > 0.0 && self.power_log.cut.is_none() {
            self.run_until(at(power.cut_at_s), report)?;
            self.power_cycle(at(power.off_h * 3600.0))?;
        }
        if power.shutdown_at_s > 0.0 && self.power_log.shutdown.is_none() {
            self.run_until(at(power.shutdown_at_s), report)?;
            self.power_log.shutdown = Some(self.shut_down()?);
        }
        self.run(report)
    }

    /// Takes the power away, now, and gives it back after `off_time`. Returns by how much later the host goes on, ns.
    ///
    /// # Errors
    /// See [`Ssd::power_cut`] and [`Ssd::power_up`].
    pub fn power_cycle(&mut self, off_time: Ns) -> Result<Ns, SimError> {
        let cut_at = self.shared.now;
        self.power_log.losses += 1;
        let cut = self.power_cut()?;
        self.power_log.cut = Some((cut, self.power_up(off_time)?));
        Ok(self.shared.now - cut_at)
    }

    /// True where backup power saves what only the cache holds.
    #[must_use]
    pub fn is_protected(&self) -> bool {
        self.is_protected
    }

    /// What power did so far.
    #[must_use]
    pub fn power_log(&self) -> &PowerLog {
        &self.power_log
    }

    /// Switches the SSD off: it takes no further request, ends those under way, writes what only the cache holds, writes
    /// everything again that was written fast (OFWAR, section 3.3), on as many dies at once as it has, and then the mapping
    /// entries that have changed (DFTL). The time counts from when the last request is done.
    ///
    /// # Errors
    /// See [`Ssd::run`].
    pub fn shut_down(&mut self) -> Result<PowerReport, SimError> {
        let was_done = self.host.is_done();
        self.abort_waiting(Status::AbortedSqDeletion);
        self.host.stop();
        if !was_done && self.host.is_done() {
            self.close_window();
        }
        while !self.host.requests.is_empty() && self.step()? {}
        let began = self.shared.now;
        self.empty_cache()?;
        let mut report = self.drain(began)?;
        report.map_writes = self.write_mapping()?;
        if report.map_writes > 0 {
            report.time = self.shared.now - began;
        }
        Ok(report)
    }

    /// Requests in submission queues end there. Returns how many.
    fn abort_waiting(&mut self, status: Status) -> usize {
        let waiting = self.host.waiting();
        for &id in &waiting {
            self.host.requests[id].submitted = self.shared.now;
        }
        self.abort(&waiting, status);
        waiting.len()
    }

    /// Requests end without being done.
    fn abort(&mut self, requests: &[u32], status: Status) {
        for &id in requests {
            if !self.metrics.is_warming_up || self.is_counted(id) {
                self.metrics.failed(&self.host.requests[id], status, self.shared.now);
            }
            if self.observers.of_page_operations {
                self.watch_completed(id, status);
            }
        }
    }

    /// Changed mapping entries go to flash. GC that makes room for them changes others, so there may be some rounds. Returns
    /// the pages of the table that were written.
    fn write_mapping(&mut self) -> Result<u64, SimError> {
        let before = self.ftl.counters().map_writes;
        self.ftl.write_checkpoint(&mut step_of(&mut self.shared))?;
        self.settle_all()?;
        self.finish_table()?;
        while self.ftl.write_changed_entries(&mut step_of(&mut self.shared))? {
            self.settle_all()?;
            while self.step()? {}
            self.check_nothing_is_stuck()?;
        }
        Ok(self.ftl.counters().map_writes - before)
    }

    /// Runs until the mapping table, and all that waits for a full program, is on flash. GC may go on.
    fn finish_table(&mut self) -> Result<(), SimError> {
        let mut goes_on = true;
        while goes_on {
            let mut units = self.ftl.pad_open_programs(&mut step_of(&mut self.shared))?;
            self.settle_all()?;
            if !self.ftl.are_on_their_way(&mut units) {
                return Ok(());
            }
            while goes_on && self.ftl.are_on_their_way(&mut units) {
                goes_on = self.steps_of_stage()?;
            }
        }
        self.check_nothing_is_stuck()
    }

    /// What only the volatile cache holds goes to flash.
    fn empty_cache(&mut self) -> Result<(), SimError> {
        self.flush(Owner::Nobody)?;
        self.settle_all()?;
        while self.cache.as_ref().is_some_and(Cache::is_flushing) && self.step()? {}
        Ok(())
    }

    /// Takes the power away, now.
    ///
    /// # Errors
    /// [`SimError::Request`] for an SSD that keeps a part of its mapping table in DRAM.
    pub fn power_cut(&mut self) -> Result<PowerCut, SimError> {
        if self.ftl.has_state_in_dram() {
            return Err(SimError::Request(
                "a power loss can be simulated where the mapping table is kept whole: set ftl.mapping = \"flat\""
                    .to_owned(),
            ));
        }
        if let Some(account) = &mut self.observers.account {
            account.look(&self.controller, self.shared.now);
        }
        let was_done = self.host.is_done();
        let interrupted = self.host.in_device();
        self.abort(&interrupted, Status::AbortedPowerLoss);
        let waiting_requests = self.abort_waiting(Status::AbortedPowerLoss);
        self.host.power_cut();
        self.cores.power_cut();
        self.shared.events.clear();
        self.timers = 0;
        self.give_up_dram()?;
        self.controller.power_cut(self.shared.now);
        if let Some(account) = &mut self.observers.account {
            account.power_cut(&self.controller, self.shared.now);
        }
        self.shared.done.clear();
        self.shared.failures.clear();
        let cached = self.cache.as_mut().map(Cache::power_cut).unwrap_or_default();
        let (dumped, lost) = if self.is_protected { (cached, Vec::new()) } else { (Vec::new(), cached) };
        let mut remains =
            self.ftl.power_cut(&dumped, &self.shared.nand, (self.shared.now, &mut self.shared.outbox))?;
        for write in &lost {
            self.ftl.lost(write.lpn, write.sectors);
        }
        let nand = &self.shared.nand;
        let (queued, redone) = (remains.queued() - dumped.len(), remains.programs_cut_off());
        let units = if self.is_protected { dumped.len() + queued + redone } else { 0 };
        let unit_bytes = u64::from(self.ftl.geometry().page_bytes);
        remains.dumped_bytes += units as u64 * unit_bytes;
        let dumped_bytes = remains.dumped_bytes;
        let mut lost_pages = remains.lost_pages().clone();
        lost_pages.extend(lost.iter().map(|write| write.lpn));
        let cut = PowerCut {
            interrupted_requests: interrupted.len(),
            waiting_requests,
            programs_cut_off: redone,
            queued_pages: queued,
            fast_pages: self.ftl.fast_pages(),
            lost_cache_pages: lost_pages.len(),
            lost_bytes: lost_pages.len() as u64 * unit_bytes,
            dumped_pages: dumped.len(),
            dumped_bytes,
            dump_time: dump::time(dumped_bytes, &nand.geometry, &nand.timing),
        };
        self.remains = Some(remains);
        if !was_done && self.host.is_done() {
            self.close_window();
        }
        Ok(cut)
    }

    /// Pages on their way from DRAM to flash belong to the write queue; what moved for the host is forgotten with its request.
    fn give_up_dram(&mut self) -> Result<(), SimError> {
        while let Some(transfer) = self.cache.as_mut().and_then(|cache| cache.dram.ended()) {
            if let Transfer::Leaves(op) = transfer {
                self.ftl.submit(op, &mut step_of(&mut self.shared))?;
            }
        }
        Ok(())
    }

    /// Gives the power back after `off_time`. The SSD does again what was cut off, writes everything again
    /// that was written fast, and then serves the host, whose requests come later by the time that has
    /// passed since the cut. In checked mode all accounts are compared meanwhile.
    ///
    /// # Errors
    /// See [`Ssd::run`].
    pub fn power_up(&mut self, off_time: Ns) -> Result<PowerReport, SimError> {
        let Some(mut remains) = self.remains.take() else { return Ok(PowerReport::default()) };
        let cut_at = self.shared.now;
        self.shared.now += off_time;
        if off_time > 0 {
            self.shared.nand.power_was_off();
        }
        let began = self.shared.now;
        let before = *self.ftl.counters();
        self.ftl.set_draining(true);
        let replay_reads = self.replay(&mut remains)?;
        let replay_time = self.shared.now - began;
        self.ftl.count_lost_pages(self.shared.now);
        self.ftl.power_up(&mut remains, &mut step_of(&mut self.shared))?;
        self.finish_cut_off(&mut remains)?;
        self.drain(self.shared.now)?;
        self.ftl.verify_after_cut()?;
        let after = *self.ftl.counters();
        let report = PowerReport {
            rewritten_pages: after.rewrites - before.rewrites,
            lost_pages: after.lost_pages - before.lost_pages,
            map_writes: 0,
            replay_reads,
            replay_time,
            time: self.shared.now - began,
        };
        let (now, later_by) = (self.shared.now, self.shared.now - cut_at);
        self.ftl.power_is_back(now);
        self.host.power_up(now, later_by, &mut |time, event| _ = self.shared.events.push(time, event))?;
        self.start_timers();
        self.fetch()?;
        self.settle()?;
        Ok(report)
    }

    /// Reads what the drive must know of its mapping table before it serves the host: of the dump, then of the flash. Returns the
    /// pages of the flash that it read.
    fn replay(&mut self, remains: &mut Remains) -> Result<u64, SimError> {
        let nand = &self.shared.nand;
        if self.ftl.has_journal() {
            self.shared.now += dump::read_time(remains.dumped_bytes, &nand.geometry, &nand.timing);
        }
        let before = self.controller.counters.reads;
        while self.ftl.replay(remains, REPLAY_BATCH, &mut step_of(&mut self.shared)) {
            self.settle_all()?;
            // Nothing else is under way yet.
            while !self.shared.outbox.txns.is_empty() && self.step()? {}
        }
        Ok(self.controller.counters.reads - before)
    }

    /// Runs until what was asked for again has its place, the programs that were cut off are done again, and GC has the room back that it
    /// needs: a cut has wasted some. Other GC goes on beside the host.
    fn finish_cut_off(&mut self, remains: &mut Remains) -> Result<(), SimError> {
        loop {
            self.settle_all()?;
            let goes_on = self.steps_of_stage()?;
            let has_released = self.ftl.release_cut_blocks(remains, &mut step_of(&mut self.shared))?;
            let is_over = self.ftl.has_placed_again(remains) && self.shared.outbox.orders.is_empty();
            if is_over || !goes_on && !has_released && self.shared.outbox.is_empty() {
                break;
            }
        }
        self.settle_all()?;
        if self.shared.events.is_empty() { self.check_nothing_is_stuck() } else { Ok(()) }
    }

    /// A few events of a stage that looks now and then whether its work is done; false when none is left.
    fn steps_of_stage(&mut self) -> Result<bool, SimError> {
        for _ in 0..EVENTS_PER_LOOK {
            if !self.step()? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Writes everything again that was written fast.
    fn drain(&mut self, began: Ns) -> Result<PowerReport, SimError> {
        let before = *self.ftl.counters();
        self.ftl.drain_fast_pages(&mut step_of(&mut self.shared))?;
        self.settle_all()?;
        let mut ended = self.shared.now;
        while self.ftl.fast_pages() > 0 || self.ftl.is_rewriting() {
            if !self.step()? {
                break;
            }
            ended = self.shared.now;
        }
        // GC that the rewrites set off may go on; the SSD holds no fast page any more.
        self.ftl.set_draining(false);
        if self.shared.events.is_empty() {
            self.check_nothing_is_stuck()?;
        }
        let after = *self.ftl.counters();
        Ok(PowerReport {
            rewritten_pages: after.rewrites - before.rewrites,
            lost_pages: after.lost_pages - before.lost_pages,
            map_writes: 0,
            replay_reads: 0,
            replay_time: 0,
            time: ended - began,
        })
    }
}
