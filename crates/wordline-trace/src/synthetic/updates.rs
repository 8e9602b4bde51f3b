//! The rewrites between the fill and the run: they leave wordlines with some pages invalid.
//!
//! For each workload, the IDA paper's Table III gives the share of MSB reads whose LSB or CSB is invalid, and its Table
//! IV the share of a refreshed block's pages that are valid. Updates that hit pages independently can match only one of
//! the two. Here a part of the footprint is rewritten in long runs, which invalidate whole wordlines, and the rest
//! extent by extent. With a scattered ratio `u` and a run ratio `r`, reads of pages that were not rewritten find an
//! invalid companion with probability `1 - (1-u)^2`, and `(1-r)(1-u)` of the pages stay valid. So both can be matched
//! at once. This requires a sequential fill, and pages of a wordline that are farther apart than an extent and closer
//! together than a run.

use wordline_core::config::WorkloadConfig;
use wordline_core::host::{HostRequest, Op};

use super::error::SyntheticError;
use super::layout::{Layout, Region};
use super::random::{Chance, hash, workload_seed};
use super::scatter::Scatter;
use super::size::Sizes;

/// The extents that the update phase rewrites: a pure function of seed and place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Updates {
    start: u64,
    extent_sectors: u64,
    run_sectors: u64,
    scattered: Chance,
    /// Rewritten runs: those whose place is below `runs_hit`, an exact share even with few runs.
    runs: Scatter,
    runs_hit: u64,
    seed: u64,
}

impl Updates {
    /// Builds the updates of a footprint.
    pub fn new(config: &WorkloadConfig, footprint: Region, seed: u64) -> Self {
        let run_sectors = config.update_run_bytes / 512;
        let runs = (footprint.end - footprint.start).div_ceil(run_sectors);
        let seed = hash(seed, 0x5570_6461_7465);
        Self {
            start: footprint.start,
            extent_sectors: config.update_extent_bytes / 512,
            run_sectors,
            scattered: Chance::new(config.update_scattered_ratio),
            runs: Scatter::new(runs, seed),
            runs_hit: libm::round(runs as f64 * config.update_run_ratio) as u64,
            seed,
        }
    }

    /// Returns true if the extent with this sector is rewritten.
    #[inline]
    pub fn touch(&self, sector: u64) -> bool {
        let place = sector - self.start;
        self.scattered.covers(hash(self.seed, place / self.extent_sectors))
            || (self.runs_hit > 0 && self.runs.place(place / self.run_sectors) < self.runs_hit)
    }

    /// Returns true if the first or the last sector of a request is rewritten.
    #[inline]
    pub fn touch_ends(&self, sector: u64, sectors: u32) -> bool {
        self.touch(sector) || self.touch(sector + u64::from(sectors) - 1)
    }
}

/// The writes of the update phase: each chosen extent once, scattered over the footprint, all at time 0.
///
/// Run it after the fill and before the workload; see `update_*` in `[workload]`.
#[derive(Clone, Debug)]
pub struct UpdatePhase {
    updates: Updates,
    footprint: Region,
    order: Scatter,
    extents: u64,
    next: u64,
}

impl UpdatePhase {
    /// Builds the phase for the workload of a [`Generator`](super::Generator) with the same arguments.
    ///
    /// # Errors
    /// See [`Generator::new`](super::Generator::new).
    pub fn new(config: &WorkloadConfig, capacity_sectors: u64, seed: u64) -> Result<Self, SyntheticError> {
        super::validate(config)?;
        let (reads, writes) = (Sizes::of_reads(config), Sizes::of_writes(config));
        let footprint = Layout::new(config, capacity_sectors, &reads, &writes)?.footprint;
        let seed = workload_seed(config.seed, seed);
        let updates = Updates::new(config, footprint, seed);
        let extents = (footprint.end - footprint.start).div_ceil(updates.extent_sectors);
        Ok(Self { updates, footprint, order: Scatter::new(extents, seed), extents, next: 0 })
    }
}

impl Iterator for UpdatePhase {
    type Item = HostRequest;

    fn next(&mut self) -> Option<HostRequest> {
        while self.next < self.extents {
            let extent = self.order.place(self.next);
            self.next += 1;
            let sector = self.footprint.start + extent * self.updates.extent_sectors;
            if self.updates.touch(sector) {
                let end = (sector + self.updates.extent_sectors).min(self.footprint.end);
                let sectors = u32::try_from(end - sector).expect("an extent is far below 2 TiB");
                return Some(HostRequest::new(0, Op::Write, sector, sectors));
            }
        }
        None
    }
}
