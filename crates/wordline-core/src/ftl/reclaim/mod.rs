//! Reclaiming blocks: garbage collection, static wear levelling and refresh are one job with three
//! reasons. A job moves its block's live pages away, a few at a time, then erases the block.
//!
//! `victim.rs` chooses the block, `job.rs` carries the job out; `refresh/` says which blocks are due for a refresh.

mod job;
pub(super) mod refresh;
mod victim;

use serde::{Deserialize, Serialize};

use super::pages::Pages;
use super::parking::Parking;
use crate::config::{CollectedTo, Config, Frontier, Victims};
use crate::engine::{Ns, state};
use crate::flash::{Class, Outbox};
use crate::nand::{BlockId, NONE, PlaneId, Ppn};
use crate::policy::gc::Gc;
use crate::policy::program::FastFirst;
use crate::policy::wear_levelling::Wear;
use refresh::{JobStage, Refresh};

/// Why a block is reclaimed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Reason {
    /// The plane is short of free blocks.
    Gc,
    /// Its data is cold and its cells are the least worn.
    Wear,
    /// Its data is old.
    Refresh,
}

/// The reclaiming of one block. Each plane has at most one under way.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Job {
    pub block: BlockId,
    pub cursor: Ppn,
    pub in_flight: u32,
    pub stage: JobStage,
    reason: Reason,
    /// Hardly a page of its block is invalid: it wins next to no room.
    in_vain: bool,
    began: Ns,
    erasing: bool,
}

impl Job {
    /// The next live page before `end`, which the job now moves or reads; without one, the job has come to the end.
    #[inline]
    fn next_page(&mut self, end: Ppn, pages: &Pages) -> Option<Ppn> {
        let next = pages.mapping.next_valid(self.cursor, end);
        self.cursor = next.map_or(end, |ppn| ppn + 1);
        self.in_flight += u32::from(next.is_some());
        next
    }
}

/// Streams of open blocks that reclaiming writes to.
#[derive(Clone, Copy, Debug)]
pub(super) struct ReclaimStreams {
    /// Where GC and refresh move pages.
    pub moved: usize,
    /// Where wear levelling parks cold ones.
    pub cold: usize,
}

/// When and how to reclaim.
#[derive(Clone, Copy, Debug)]
struct ReclaimConfig {
    /// Blocks of which stream are victims of GC first, and when (OFWAR).
    preferred: Option<(u8, FastFirst)>,
    threshold_blocks: usize,
    hard_threshold_blocks: usize,
    preemptible: bool,
    /// Free blocks of a plane at which writing without time collects no further.
    untimed_blocks: usize,
    copyback: bool,
    /// Blocks without a page to reclaim may be victims.
    any_victim: bool,
    /// Pages that GC moves go behind the host's.
    shares_frontier: bool,
    moves_in_flight: u32,
    /// A job that takes longer gets on like urgent GC.
    max_wait: Ns,
    /// Wear levelling may move data.
    levels_wear: bool,
    grown_bad: f64,
    seed: u64,
    planes_per_unit: u32,
    streams: ReclaimStreams,
}

/// All jobs, and the state that decides when one begins.
#[derive(Debug)]
pub(super) struct Reclaim {
    config: ReclaimConfig,
    policy: Gc,
    wear: Wear,
    /// By plane.
    pub jobs: Vec<Option<Job>>,
    /// Page operations of the host that were asked for, and those that were served by flash.
    pub host_steps: u64,
    /// By plane: `host_steps` when its last job began, and how many jobs began since it last changed.
    jobs_alone: Vec<(u64, u32)>,
    /// By plane: jobs that went before a refresh that is due.
    jobs_before_refresh: Vec<u32>,
    /// Victims chosen so far.
    draws: u64,
    /// By plane: whether GC must get on, and then whether its job wins next to no page.
    urgency: Vec<Option<bool>>,
    pub refresh: Refresh,
}

state! {
    Reclaim {
        parts: policy, wear, refresh;
        values: jobs, host_steps, jobs_alone, jobs_before_refresh, draws, urgency;
        derived: config;
    }
}

impl Reclaim {
    /// No job is under way.
    pub fn new(
        config: &Config,
        planes_per_unit: u32,
        streams: ReclaimStreams,
        preferred: Option<(u8, FastFirst)>,
    ) -> Reclaim {
        let thresholds = config.gc_thresholds();
        let gc = &config.gc;
        let device = &config.device_view();
        let planes = device.geometry.planes() as usize;
        // Preemptible GC falls behind writes that never pause, until it goes before them. The next write opens a block.
        let falls_behind = gc.preemptible && config.precondition.collected_to == CollectedTo::HardThreshold;
        let kept = if falls_behind { thresholds.urgent_upto + 2 } else { thresholds.begins_below };
        Reclaim {
            config: ReclaimConfig {
                preferred,
                threshold_blocks: thresholds.begins_below,
                hard_threshold_blocks: thresholds.urgent_upto,
                untimed_blocks: kept.min(thresholds.begins_below),
                preemptible: gc.preemptible,
                copyback: gc.copyback,
                any_victim: gc.victims == Victims::Any,
                shares_frontier: gc.frontier == Frontier::Shared,
                moves_in_flight: gc.moves_in_flight,
                max_wait: config.schedule.max_wait(),
                levels_wear: config.wear.policy.moves_data(&config.wear.policies),
                grown_bad: config.reliability.grown_bad,
                seed: config.seed,
                planes_per_unit,
                streams,
            },
            policy: Gc::new(gc.policy, &gc.policies, device),
            wear: Wear::new(config.wear.policy, &config.wear.policies, device),
            jobs: vec![None; planes],
            host_steps: 0,
            jobs_alone: vec![(0, 0); planes],
            jobs_before_refresh: vec![0; planes],
            draws: 0,
            urgency: vec![None; planes],
            refresh: Refresh::new(config, planes),
        }
    }

    /// The stream that the live pages of a block go to.
    pub fn moved_stream(&self, block: BlockId, pages: &Pages) -> usize {
        let ReclaimStreams { moved, .. } = self.config.streams;
        // Blocks of the streams behind the host's hold what was moved or written for it before.
        let stream = usize::from(pages.blocks.get(block).stream);
        match self.config.shares_frontier {
            true if stream < moved => stream,
            true => 0,
            false => moved,
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

    /// Free blocks of a plane at which writing without time collects no further: where a run would keep it.
    #[inline]
    pub fn untimed_blocks(&self) -> usize {
        self.config.untimed_blocks
    }

    /// Blocks of a plane that take pages. Where moved pages and the host's share a block, that block is one of them: as in the
    /// models, a new block holds what was live in one victim, and host writes behind it.
    #[inline]
    pub fn free_blocks(&self, plane: PlaneId, pages: &Pages) -> usize {
        let free = pages.blocks.free_count(plane);
        free + usize::from(self.config.shares_frontier && pages.blocks.open_of(plane).next() != Some(NONE))
    }

    /// True when a plane is short of free blocks.
    #[inline]
    pub fn is_below_threshold(&self, plane: PlaneId, pages: &Pages) -> bool {
        self.free_blocks(plane, pages) < self.config.threshold_blocks
    }

    /// True when a plane should reclaim a block.
    #[inline]
    pub fn is_wanted(&self, plane: PlaneId, pages: &Pages) -> bool {
        self.is_below_threshold(plane, pages) || self.refresh.is_due(plane)
    }

    /// True when a plane reclaims a block.
    #[inline]
    pub fn is_busy(&self, plane: PlaneId) -> bool {
        self.jobs[plane as usize].is_some()
    }

    /// True when a plane has hardly a free block, or a write waits for one.
    fn is_pressed(&self, plane: PlaneId, pages: &Pages, parking: &Parking) -> bool {
        pages.blocks.free_count(plane) <= self.config.hard_threshold_blocks || parking.holds_for(plane)
    }

    /// Counts the plane in or out of those where GC must get on.
    pub fn update_urgency(
        &mut self,
        plane: PlaneId,
        pages: &Pages,
        parking: &Parking,
        now: Ns,
        out: &mut Outbox,
    ) {
        let pressed = self.is_pressed(plane, pages, parking);
        let max_wait = self.config.max_wait;
        let urgent = self.jobs[plane as usize]
            .filter(|job| {
                let is_late = now - job.began >= max_wait;
                pressed || is_late || job.reason == Reason::Gc && !self.config.preemptible
            })
            .map(|job| job.in_vain);
        let was = &mut self.urgency[plane as usize];
        if *was != urgent {
            let planes = &mut out.urgent[(plane / self.config.planes_per_unit) as usize];
            if let Some(in_vain) = std::mem::replace(was, urgent) {
                planes.remove(in_vain);
            }
            if let Some(in_vain) = urgent {
                planes.add(in_vain);
            }
        }
    }

    /// Power is gone: jobs stop where they are.
    pub fn power_cut(&mut self) {
        self.jobs.fill(None);
        self.urgency.fill(None);
    }

    /// Checked mode, when a run has ended: no job is under way.
    pub fn verify(&self) -> Result<(), String> {
        match self.jobs.iter().position(Option::is_some) {
            Some(plane) => Err(format!("the run is over, but plane {plane} still reclaims a block")),
            None => Ok(()),
        }
    }
}
