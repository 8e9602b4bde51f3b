//! Reclaiming groups of blocks: garbage collection, static wear levelling and refresh are one job with three
//! reasons. A job moves its group's live pages away, a few at a time, then erases the group. Where groups are single
//! blocks, a pool is a plane.
//!
//! `victim.rs` chooses the group, `job.rs` carries the job out; `refresh/` says which groups are due for a refresh.

mod emptying;
mod exposure;
mod folding;
mod job;
mod live_pages;
mod pacing;
mod pool;
pub(super) mod refresh;
pub(super) mod relocation;
mod victim;

use std::collections::VecDeque;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::config::{CollectedTo, Config, Frontier, PacingKind, Victims};
use crate::engine::{Ns, state};
use crate::flash::{BlockTable, Class, Outbox, Owner, StreamId, UrgentPlanes};
use crate::ftl::blocks::group::Grouping;
use crate::ftl::write::pages::Pages;
use crate::ftl::write::parking::Parking;
use crate::metrics::{JobEntry, JobLog};
use crate::nand::{BlockId, IdVec, PoolId, Pun};
use crate::options::RunOptions;
use crate::policy::Counted;
use crate::policy::gc::Gc;
use crate::policy::placement::Reason;
use crate::policy::program::FastFirst;
use crate::policy::wear_levelling::Wear;
use folding::Folding;
pub(super) use live_pages::LivePages;
use pacing::Pacing;
use pool::Pool;
use refresh::{JobStage, Refresh};
pub(super) use victim::reason_for;

/// Where programs are of single pages, the host may be ahead of a pool's GC by the pages of a group over this. With fewer pages, writes
/// that wait for one plane keep the others idle. With more, writes wait for much of a victim.
const UNPACKED_PARTS: u32 = 8;

/// The reclaiming of one group. Each pool has at most one under way.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Job {
    /// The head of the group.
    pub block: BlockId,
    pub at: LivePages,
    /// Moves under way, and at last erases.
    pub in_flight: u32,
    /// Those of them that are the last unit of a program which takes several.
    programs: u32,
    pub stage: JobStage,
    reason: Reason,
    /// Hardly a page of its block is invalid: it wins next to no room.
    in_vain: bool,
    began: Ns,
    /// Units that were live when it began.
    live: u32,
    /// Places that a loss of power may waste of those that are left to GC.
    spare: u32,
    erasing: bool,
}

impl Job {
    /// Units that it holds in the controller: those that are read, and those that are programmed. What waits for its program to
    /// be full is less than a program, and does not count.
    #[inline]
    fn held(&self, units_per_program: u32) -> u32 {
        self.in_flight + self.programs * (units_per_program - 1)
    }

    /// The next live page before `end`, which the job now moves or reads; without one, the job has come to the end.
    #[inline]
    fn next_page(&mut self, end: Pun, pages: &Pages) -> Option<Pun> {
        let next = self.at.next(end, pages);
        self.in_flight += u32::from(next.is_some());
        next
    }
}

/// A group of a zone that was reset.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Reset {
    head: BlockId,
    /// Who waits until it is erased.
    owner: Option<Owner>,
}

/// Units that a job writes beside those that it moves, where there is a journal of the mapping table.
#[derive(Clone, Copy, Debug)]
struct JobCost {
    /// Without backup power its last program is filled up.
    padding: u32,
    /// By unit that moves: its entry in the journal, and its part of the checkpoint.
    journal: f64,
}

impl JobCost {
    fn new(config: &Config) -> Option<JobCost> {
        config.has_journal().then(|| JobCost {
            padding: if config.power.protected { 0 } else { config.units_of_program() - 1 },
            journal: f64::from(config.journal.entry_bytes) / f64::from(config.unit_bytes())
                * (1.0 + 1.0 / config.journal.share),
        })
    }

    /// For a victim with so many live units.
    fn of(self, live: u32) -> u32 {
        self.padding + (f64::from(live) * self.journal) as u32
    }
}

/// When and how to reclaim.
#[derive(Clone, Copy, Debug)]
struct ReclaimConfig {
    /// Blocks of which stream are victims of GC first, and when (OFWAR).
    preferred: Option<(StreamId, FastFirst)>,
    threshold_blocks: usize,
    /// [`ReclaimConfig::threshold_blocks`], where GC is not held.
    full_threshold_blocks: usize,
    hard_threshold_blocks: usize,
    preemptible: bool,
    /// Free groups of a pool at which writing without time collects no further.
    untimed_blocks: usize,
    copyback: bool,
    /// Victims are of the persistently isolated handle that is short of room, as long as one of them wins some.
    collects_by_handle: bool,
    /// Blocks without a page to reclaim may be victims.
    any_victim: bool,
    /// Pages that GC moves go behind the host's.
    shares_frontier: bool,
    moves_in_flight: u32,
    /// Units that are programmed at once, on one die.
    units_per_program: u32,
    /// A job that takes longer gets on like urgent GC.
    max_wait: Ns,
    /// Wear levelling may move data.
    levels_wear: bool,
    grown_bad: f64,
    seed: u64,
    planes_per_lun: u32,
    grouping: Grouping,
    /// Where a job writes more than what it moves.
    job_cost: Option<JobCost>,
}

impl ReclaimConfig {
    /// The LUNs that a pool lies on.
    #[inline]
    fn luns_of(&self, pool: PoolId) -> Range<usize> {
        let first = self.grouping.first_plane(pool).index() / self.planes_per_lun as usize;
        first..first + self.grouping.pool_planes().div_ceil(self.planes_per_lun) as usize
    }
}

/// All jobs, and the state that decides when one begins.
#[derive(Debug)]
pub(super) struct Reclaim {
    config: ReclaimConfig,
    /// What policies see where a group has several blocks: each as if it were one.
    groups: Option<BlockTable>,
    policy: Gc,
    wear: Wear,
    pools: IdVec<PoolId, Pool>,
    /// Page operations of the host that were asked for, and those that were served by flash.
    pub host_steps: u64,
    /// Victims chosen so far.
    draws: u64,
    /// What holds the host back, if anything does.
    pacing: Option<Pacing>,
    /// What folds the SLC cache, where there is one.
    folding: Option<Box<Folding>>,
    /// Groups of zones that were reset, which wait for their erase, and whose erase is under way.
    resets: VecDeque<Reset>,
    /// Who waited for the erase of such a group that is done.
    pub reset_done: Option<Owner>,
    /// What jobs did, where a run keeps that.
    log: JobLog,
    pub refresh: Refresh,
}

state! {
    Reclaim {
        parts: policy, wear, pacing, refresh, folding;
        values: pools, host_steps, draws, resets, reset_done, log;
        derived: config, groups;
    }
}

impl Reclaim {
    /// Whether all jobs are of blocks that there are.
    pub fn is_sound(&self, pools: usize, is_block: impl Fn(BlockId) -> bool) -> bool {
        let blocks_of = |pool: &Pool| pool.job.map(|job| job.block).into_iter().chain(pool.unfinished);
        self.pools.len() == pools && self.pools.iter().flat_map(blocks_of).all(is_block)
    }

    /// What its policies have counted of their own.
    pub fn counted(&self) -> Vec<Counted> {
        [vec![self.policy.counted(), self.wear.counted()], self.refresh.counted()].concat()
    }

    /// No job is under way.
    pub fn new(
        config: &Config,
        planes_per_lun: u32,
        preferred: Option<(StreamId, FastFirst)>,
        options: &RunOptions,
    ) -> Reclaim {
        let thresholds = config.gc_thresholds();
        let gc = &config.gc;
        let device = &config.device_view();
        let planes = device.geometry.planes() as usize;
        let is_paced = gc.pacing == PacingKind::InStep;
        let lets_gc_wait = config.schedule.policy.lets_gc_wait(&config.schedule.policies);
        let untimed_blocks = match config.precondition.collected_to {
            // Preemptible GC falls behind writes that never pause and go before it, until it goes before them. The next write opens a
            // block.
            CollectedTo::HardThreshold if gc.preemptible && !is_paced && lets_gc_wait => {
                thresholds.begins_below.min(thresholds.urgent_upto + 2)
            }
            _ => thresholds.begins_below,
        };
        let grouping = Grouping::new(config);
        let row_units = grouping.pool_planes() * config.units_per_page();
        let moves_in_flight = gc.moves_in_flight * row_units;
        let burst = match config.units_of_program() {
            // The number of a page may say which plane it goes to, so several may go to one plane at a time.
            1 => row_units * (config.ssd.pages_per_block / UNPACKED_PARTS).max(1),
            // What a group takes while one program is under way on each of its dies.
            units => row_units.max(units * grouping.dies()),
        };
        // Nothing is collected on a drive of zones: these are reset.
        let begins_below = if config.has_zones() { 0 } else { thresholds.begins_below };
        Reclaim {
            config: ReclaimConfig {
                preferred,
                threshold_blocks: begins_below,
                full_threshold_blocks: begins_below,
                hard_threshold_blocks: thresholds.urgent_upto,
                untimed_blocks: if config.has_zones() { 0 } else { untimed_blocks },
                preemptible: gc.preemptible,
                copyback: gc.copyback,
                collects_by_handle: config.fdp.collects_by_handle(),
                any_victim: gc.victims == Victims::Any,
                shares_frontier: gc.frontier == Frontier::Shared,
                moves_in_flight,
                units_per_program: config.units_of_program(),
                max_wait: config.schedule.max_wait(),
                levels_wear: config.wear.policy.moves_data(&config.wear.policies),
                grown_bad: config.reliability.grown_bad,
                seed: config.seed,
                planes_per_lun,
                grouping,
                job_cost: JobCost::new(config),
            },
            groups: grouping.joins().then(|| BlockTable::new(&device.geometry)),
            policy: Gc::new(gc.policy, &gc.policies, device),
            wear: Wear::new(config.wear.policy, &config.wear.policies, device),
            pools: IdVec::filled(planes, Pool::default()),
            host_steps: 0,
            draws: 0,
            pacing: is_paced.then(|| Pacing::new(planes, thresholds.begins_below, burst)),
            folding: Folding::new(config, planes),
            resets: VecDeque::new(),
            reset_done: None,
            log: JobLog::new(options.log_jobs),
            refresh: Refresh::new(config, planes),
        }
    }

    /// The queue of programs of pages that move. Where they go behind the host's, they wait with these: programs of a block
    /// are sent in order.
    fn moved_class(&self) -> Class {
        if self.config.shares_frontier { Class::UserWrite } else { Class::InternalWrite }
    }

    /// Moves of a job that may be under way at once.
    pub fn moves_in_flight(&self) -> u32 {
        self.config.moves_in_flight
    }

    /// Host and GC keep step.
    #[inline]
    pub fn is_paced(&self) -> bool {
        self.pacing.is_some()
    }

    /// True where a page of the host waits until GC has won more room.
    #[inline]
    pub fn holds_back(&self, pool: PoolId) -> bool {
        self.pacing.as_ref().is_some_and(|pacing| pacing.holds_back(pool))
    }

    /// True where a page of the host waits for its share, while a job empties the SLC cache.
    #[inline]
    pub fn holds_back_for_cache(&self, pool: PoolId) -> bool {
        let emptying = self.folding.as_ref().and_then(|folding| folding.emptying.as_ref());
        emptying.is_some_and(|emptying| emptying.holds_back(pool)) && self.is_busy(pool)
    }

    /// Units have left the victim of a pool; true where writes may have waited for that.
    #[inline]
    fn moved(&mut self, pool: PoolId, units: u32) -> bool {
        let emptying = self.folding.as_mut().and_then(|folding| folding.emptying.as_mut());
        let is_waited_for = self.pacing.is_some() || emptying.is_some();
        if let Some(emptying) = emptying {
            emptying.moved(pool, units);
        }
        if let Some(pacing) = &mut self.pacing {
            pacing.moved(pool, units);
        }
        is_waited_for
    }

    /// A group is erased that a zone was reset from, as soon as none of its programs is under way; the owner is served then.
    pub fn reset_later(&mut self, head: BlockId, owner: Option<Owner>) {
        self.resets.push_back(Reset { head, owner });
    }

    /// A page of the host took its place.
    #[inline]
    pub fn host_took(&mut self, pool: PoolId) {
        if let Some(pacing) = &mut self.pacing {
            pacing.took(pool);
        }
        if let Some(emptying) = self.folding.as_mut().and_then(|folding| folding.emptying.as_mut()) {
            emptying.took(pool);
        }
    }

    /// The jobs that are over, since the last call.
    pub fn take_jobs(&mut self) -> Vec<JobEntry> {
        self.log.take()
    }

    /// Keeps what a job did, if a run keeps that.
    fn log_job(&mut self, pool: PoolId, ended: Ns) {
        let Some(Job { block, began, live, reason, .. }) = self.pools[pool].job else { return };
        let plane = self.config.grouping.first_plane(pool);
        self.log.add(JobEntry { began, ended, plane, block, live, reason });
    }

    /// A pool's job is over: the host is free to write.
    fn job_over(&mut self, pool: PoolId) {
        let job = self.pools[pool].job.take();
        if let Some(Job { reason: Reason::Reset, block, .. }) = job {
            self.reset_done =
                self.resets.iter().find(|reset| reset.head == block).and_then(|reset| reset.owner);
            self.resets.retain(|reset| reset.head != block);
        }
        if let Some(pacing) = &mut self.pacing {
            pacing.end(pool);
        }
    }

    /// Free groups of a pool at which writing without time collects no further: where a run would keep it.
    #[inline]
    pub fn untimed_blocks(&self) -> usize {
        self.config.untimed_blocks
    }

    /// Groups of a pool that take pages. Where moved pages and the host's share a group, that group is one of them: as in the
    /// models, a new block holds what was live in one victim, and host writes behind it.
    #[inline]
    pub fn free_blocks(&self, pool: PoolId, pages: &Pages) -> usize {
        pages.blocks.free_count(pool)
            + usize::from(self.config.shares_frontier && pages.blocks.has_open(pool, pages.placement.normal))
    }

    /// Where `is_held`, a pool is not short of free groups until GC is urgent.
    pub fn hold(&mut self, is_held: bool) {
        let ReclaimConfig { full_threshold_blocks: full, hard_threshold_blocks: urgent, .. } = self.config;
        self.config.threshold_blocks = if is_held { full.min(urgent + 1) } else { full };
    }

    /// True when a pool is short of free groups.
    #[inline]
    pub fn is_below_threshold(&self, pool: PoolId, pages: &Pages) -> bool {
        self.free_blocks(pool, pages) < self.config.threshold_blocks
    }

    /// True when a pool should reclaim a group.
    #[inline(always)]
    pub fn is_wanted(&self, pool: PoolId, pages: &Pages) -> bool {
        self.is_below_threshold(pool, pages)
            || self.refresh.is_due(pool)
            || self.folds(pool, pages)
            || !self.resets.is_empty()
    }

    /// True when a pool reclaims a group.
    #[inline]
    pub fn is_busy(&self, pool: PoolId) -> bool {
        self.pools[pool].job.is_some()
    }

    /// True while a pool, after a loss of power, has a job under way or before it without which GC lacks room.
    pub fn recovers(&self, pool: PoolId, pages: &Pages) -> bool {
        let is_at_work =
            self.is_busy(pool) || self.pools[pool].unfinished.is_some() && self.is_wanted(pool, pages);
        is_at_work
            && match pages.journal.is_some() {
                // The next cut may waste a group: of moves, or of the journal.
                true => pages.blocks.lacks_room_for_a_cut(pool),
                false => pages.blocks.needs_its_open_groups(pool),
            }
    }

    /// Pools with a job for this reason.
    pub fn jobs_for(&self, reason: Reason) -> usize {
        self.pools.iter().filter(|pool| pool.job.is_some_and(|job| job.reason == reason)).count()
    }

    /// True when a pool has hardly a free group, or a write waits for one.
    #[inline]
    fn is_pressed(&self, pool: PoolId, pages: &Pages, parking: &Parking) -> bool {
        pages.blocks.free_count(pool) <= self.config.hard_threshold_blocks || parking.holds_for(pool)
    }

    /// By LUN: in how many of its planes GC must get on, as the pools say.
    pub fn urgent(&self, luns: usize) -> Vec<UrgentPlanes> {
        let mut urgent = vec![UrgentPlanes::default(); luns];
        for (id, pool) in self.pools.entries() {
            if let Some(in_vain) = pool.urgency {
                urgent[self.config.luns_of(id)].iter_mut().for_each(|planes| planes.add(in_vain));
            }
        }
        urgent
    }

    /// True while a job of a pool that there is is under way.
    pub fn has_job(&self, pool: PoolId) -> bool {
        pool.index() < self.pools.len() && self.pools[pool].job.is_some()
    }

    /// Counts the pool in or out of those where GC must get on.
    pub fn update_urgency(
        &mut self,
        pool: PoolId,
        pages: &Pages,
        parking: &Parking,
        now: Ns,
        out: &mut Outbox,
    ) {
        let pressed = self.is_pressed(pool, pages, parking);
        let max_wait = self.config.max_wait;
        let urgent = self.pools[pool]
            .job
            .filter(|job| {
                let is_late = now - job.began >= max_wait;
                pressed || is_late || job.reason == Reason::Gc && !self.config.preemptible
            })
            .map(|job| job.in_vain);
        let was = &mut self.pools[pool].urgency;
        if *was != urgent {
            let before = std::mem::replace(was, urgent);
            for planes in &mut out.urgent[self.config.luns_of(pool)] {
                if let Some(in_vain) = before {
                    planes.remove(in_vain);
                }
                if let Some(in_vain) = urgent {
                    planes.add(in_vain);
                }
            }
        }
    }

    /// Power is gone, and with it all jobs.
    pub fn power_cut(&mut self, pages: &Pages) {
        for (id, pool) in self.pools.entries_mut() {
            pool.power_cut(pages.blocks.needs_its_open_groups(id));
        }
        self.forget_idle_alarm();
        if let Some(emptying) = self.folding.as_mut().and_then(|folding| folding.emptying.as_mut()) {
            emptying.end();
        }
        if let Some(pacing) = &mut self.pacing {
            pacing.power_cut();
        }
    }

    /// Checked mode, when a run has ended: no job is under way.
    pub fn verify(&self) -> Result<(), String> {
        match self.pools.entries().find(|(_, pool)| pool.job.is_some()) {
            Some((id, _)) => {
                let name = self.config.grouping.name(id);
                Err(format!("the run is over, but {name} still reclaims a block"))
            }
            None => Ok(()),
        }
    }
}
