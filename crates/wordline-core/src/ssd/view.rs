//! The parts of an SSD that callers may look at.

use super::{Accounts, BlocksInUse, Ssd, Steady};
use crate::cache::Cache;
use crate::controller::{Bus, Controller};
use crate::engine::Ns;
use crate::ftl::Ftl;
use crate::host::Host;
use crate::metrics::{
    HandleEvents, Interval, JobEntry, Life, LogEntry, Metrics, Preconditioned, Slice, Standing, Timeline,
};
use crate::nand::Nand;
use crate::policy::Counted;

impl Ssd {
    /// Simulated time since the run began, ns.
    #[must_use]
    pub fn now(&self) -> Ns {
        self.shared.now - self.began_at
    }

    /// Simulated time when the run began, ns: that of all earlier runs on this SSD. Rows of the request log and of the
    /// timeline count it.
    #[must_use]
    pub fn began_at(&self) -> Ns {
        self.began_at
    }

    /// What was measured.
    #[must_use]
    pub fn metrics(&self) -> &Metrics {
        &self.metrics
    }

    /// The run in intervals: their width, ns, and all of them from time 0 to the end of the window.
    #[must_use]
    pub fn intervals(&self) -> (Ns, Vec<Interval>) {
        let end = self.at_end();
        self.metrics.intervals(end.standing, &end.handles)
    }

    /// All accounts as they stand now.
    #[must_use]
    pub fn accounts(&self) -> Accounts {
        let buses = self.controller.buses();
        Accounts {
            at: self.now(),
            standing: self.standing(),
            ftl: *self.ftl.counters(),
            handles: self.ftl.handles().to_vec(),
            handle_events: self.ftl.handle_events().map(HandleEvents::counts).unwrap_or_default(),
            controller: self.controller.counters,
            cache: self.cache.as_ref().map(|cache| cache.counters).unwrap_or_default(),
            policies: self.policy_counts(),
            breakdown: self.metrics.breakdown,
            channels: buses.iter().map(Bus::time).collect(),
            ecc: buses.iter().map(Bus::ecc_busy).collect(),
            dies: self.controller.luns().iter().map(|lun| lun.busy_until(self.shared.now)).collect(),
            retry_steps: self.controller.retry_steps(),
            erase_times: self.controller.erase_times().clone(),
        }
    }

    /// What each policy counts of its own, and has counted: since the drive was new, where the SSD has been used in earlier
    /// runs. Those that count nothing are left out.
    #[must_use]
    pub fn counted(&self) -> Vec<Counted> {
        let cache = self.cache.iter().map(Cache::counted).collect();
        let all = [self.controller.counted(), self.ftl.counted(), cache].concat();
        all.into_iter().filter(|counted| !counted.counters.is_empty()).collect()
    }

    /// What policies have counted of their own in this run.
    fn policy_counts(&self) -> Vec<u64> {
        let before = self.counted_before.iter().copied().chain(std::iter::repeat(0));
        let now = self.counted().into_iter().flat_map(|counted| counted.values);
        now.zip(before).map(|(now, before)| now - before).collect()
    }

    /// What the SSD has done so far, and its state now.
    pub(super) fn standing(&self) -> Standing {
        let done = self.ftl.counters();
        Standing {
            host_bytes: self.metrics.bytes_taken(),
            programs: done.programs(),
            user_programs: done.user_programs(),
            moved_pages: done.moved,
            erases: done.erases,
            free_blocks: self.ftl.blocks().free(),
            outstanding: self.host.requests.len() as u64,
        }
    }

    /// What happened to the drive since it was new.
    #[must_use]
    pub fn life(&self) -> Life {
        let (ftl, controller) = (self.ftl.counters(), &self.controller.counters);
        let [reads, writes] = self.metrics.commands();
        let mut life = self.life_before;
        life += Life {
            host_bytes: self.metrics.bytes_taken(),
            reads,
            writes,
            programs: ftl.programs(),
            page_reads: controller.reads,
            erases: ftl.erases,
            uncorrectable_pages: controller.uncorrectable_pages,
            rebuilt_pages: ftl.parity_rebuilds,
            power_losses: self.power_log.losses,
            shutdowns: u64::from(self.power_log.shutdown.is_some()),
            handles: self.ftl.used_handles(),
            aging: self.preconditioned,
        };
        life
    }

    /// What arrays, buses and ECC engines did, within the window that was asked for.
    #[must_use]
    pub fn timeline(&self) -> &Timeline {
        &self.shared.timeline
    }

    /// Requests that are complete, activity that nothing changes any more, and jobs that are over, since the last call; of those kinds that
    /// the options keep. All that there is left, once the run is over.
    pub fn take_events(&mut self) -> (Vec<LogEntry>, Vec<Slice>, Vec<JobEntry>) {
        let timeline = &mut self.shared.timeline;
        let is_over = self.shared.events.is_empty();
        let slices = if is_over { timeline.take() } else { timeline.take_settled(self.shared.now) };
        (self.metrics.log.take(), slices, self.ftl.take_jobs())
    }

    /// The host, for the names of its flows.
    #[must_use]
    pub fn host(&self) -> &Host {
        &self.host
    }

    /// The FTL, for its counters.
    #[must_use]
    pub fn ftl(&self) -> &Ftl {
        &self.ftl
    }

    /// The flash controller, for its accounts.
    #[must_use]
    pub fn controller(&self) -> &Controller {
        &self.controller
    }

    /// The cache, if there is one.
    #[must_use]
    pub fn cache(&self) -> Option<&Cache> {
        self.cache.as_ref()
    }

    /// The flash array, for the history of its blocks.
    #[must_use]
    pub fn nand(&self) -> &Nand {
        &self.shared.nand
    }

    /// Blocks in use when the run began.
    #[must_use]
    pub fn blocks_in_use(&self) -> BlocksInUse {
        self.blocks_in_use
    }

    /// What preconditioning did.
    #[must_use]
    pub fn preconditioned(&self) -> Preconditioned {
        self.preconditioned
    }

    /// How overwriting until write amplification is flat has ended, if that was asked for.
    #[must_use]
    pub fn steady(&self) -> Option<Steady> {
        self.steady
    }
}
