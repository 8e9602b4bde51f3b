//! Generates requests one by one.

use std::iter::FusedIterator;

use wordline_core::config::{WorkloadConfig, WorkloadPhase};
use wordline_core::host::{HostRequest, Op, Requests, SourceError};

use super::address::Addresses;
use super::arrival::{Clock, Gaps};
use super::error::SyntheticError;
use super::layout::{Layout, Region};
use super::random::{AGAIN, Chance, Random, hash, workload_seed};
use super::size::Sizes;
use super::uniform::Uniform;
use super::updates::Updates;
use super::validate::validate;
use super::written::Written;

/// Attempts to find a place that the update phase did not touch; with half of all places updated, one read in 2^64
/// gives up.
const REDRAWS_MAX: u32 = 64;

/// A synthetic workload: yields `requests` requests with arrival times that never go back.
#[derive(Clone, Debug)]
pub struct Generator {
    random: Random,
    remaining: u64,
    clock: Clock,
    phases: Vec<Mix>,
    phase: usize,
    phase_left: u64,
    read_sizes: Sizes,
    write_sizes: Sizes,
    reads: Addresses,
    writes: Addresses,
    /// If a cold ratio is set: the ratio, and the places that the run has written.
    cold: Option<(Chance, Written)>,
    skip: Option<Updates>,
    read_align: u64,
    footprint: Region,
    scale: f64,
}

/// The request mix of one phase.
#[derive(Clone, Debug)]
struct Mix {
    requests: u64,
    read: Chance,
    /// Share of trims among the requests that are not reads.
    trim: Chance,
    gaps: Gaps,
}

impl Mix {
    fn new(config: &WorkloadConfig, phase: WorkloadPhase) -> Self {
        let rest = 1.0 - phase.read_ratio;
        let trim = if rest > 0.0 { (config.trim_ratio / rest).min(1.0) } else { 0.0 };
        Self {
            requests: phase.requests,
            read: Chance::new(phase.read_ratio),
            trim: Chance::new(trim),
            gaps: Gaps::new(config, phase.inter_arrival_us),
        }
    }
}

impl Generator {
    /// Builds a generator for a device of `capacity_sectors` host-visible 512-byte sectors.
    ///
    /// # Errors
    /// [`SyntheticError::Range`] if a key is out of its range, [`SyntheticError::CapacityTooSmall`] if the regions do
    /// not fit even scaled down.
    pub fn new(config: &WorkloadConfig, capacity_sectors: u64, seed: u64) -> Result<Self, SyntheticError> {
        validate(config)?;
        let seed = workload_seed(config.seed, seed);
        let (read_sizes, write_sizes) = (Sizes::of_reads(config), Sizes::of_writes(config));
        let layout = Layout::new(config, capacity_sectors, &read_sizes, &write_sizes)?;
        let split = config.cold_ratio >= 0.0;
        let read_region = if split { layout.cold } else { layout.footprint };
        let reads = Addresses::new(config, read_region, layout.read_align, read_sizes.max(), seed);
        let writes = Addresses::new(config, layout.written, layout.write_align, write_sizes.max(), seed);
        let skips = config.reads_skip_updated && reads.redraws();
        let whole = WorkloadPhase {
            requests: u64::MAX,
            inter_arrival_us: config.inter_arrival_us,
            read_ratio: config.read_ratio,
        };
        let phases = if config.phases.is_empty() { vec![whole] } else { config.phases.clone() };
        let phases: Vec<_> = phases.into_iter().map(|phase| Mix::new(config, phase)).collect();
        Ok(Self {
            random: Random::new(seed),
            remaining: config.requests,
            clock: Clock::new(config),
            phase: 0,
            phase_left: phases[0].requests,
            phases,
            read_sizes,
            write_sizes,
            reads,
            writes,
            cold: split.then(|| (Chance::new(config.cold_ratio), Written::new(layout.written))),
            skip: skips.then(|| Updates::new(config, layout.footprint, seed)),
            read_align: layout.read_align,
            footprint: layout.footprint,
            scale: layout.scale,
        })
    }

    /// The same workload without end, with other requests: places are as often written, in the same regions.
    #[must_use]
    pub fn endless(mut self) -> Self {
        self.random = Random::new(hash(self.random.bits(), AGAIN));
        self.remaining = u64::MAX;
        self
    }

    /// First sector that the workload may touch, and the one after the last.
    pub fn footprint_sectors(&self) -> std::ops::Range<u64> {
        self.footprint.start..self.footprint.end
    }

    /// Footprint on this device over the requested footprint: below 1 if the device is smaller.
    pub fn scale(&self) -> f64 {
        self.scale
    }

    /// Starts up to `count` requests of one phase; returns how many.
    #[inline]
    fn begin_run(&mut self, count: u64) -> u64 {
        if self.phase_left == 0 {
            self.phase = (self.phase + 1) % self.phases.len();
            self.phase_left = self.phases[self.phase].requests;
        }
        let count = count.min(self.remaining).min(self.phase_left);
        self.remaining -= count;
        self.phase_left -= count;
        count
    }

    /// Draws one request of this phase.
    #[inline(always)]
    fn draw(&mut self) -> HostRequest {
        let mix = &mut self.phases[self.phase];
        let arrival_ns = self.clock.tick(&mut mix.gaps, &mut self.random);
        let op = if mix.read.hits(&mut self.random) {
            Op::Read
        } else if mix.trim.hits(&mut self.random) {
            Op::Trim
        } else {
            Op::Write
        };
        let (sector, sectors) = if op == Op::Read { self.read() } else { self.write() };
        HostRequest::new(arrival_ns, op, sector, sectors)
    }

    /// The requests of this phase, if they are of the simplest kind.
    fn uniform(&self) -> Option<Uniform> {
        let mix = &self.phases[self.phase];
        if self.cold.is_some() || self.skip.is_some() || mix.trim.possible() || !mix.gaps.are_none() {
            return None;
        }
        let reads = (self.reads.places()?, self.read_sizes.only()?);
        let writes = (self.writes.places()?, self.write_sizes.only()?);
        Some(Uniform::new(self.clock.now_ns(), mix.read, reads, writes))
    }

    #[inline(always)]
    fn read(&mut self) -> (u64, u32) {
        let sectors = self.read_sizes.draw(&mut self.random);
        if let Some((cold, written)) = &self.cold
            && !cold.hits(&mut self.random)
        {
            let fit = |place| self.writes.fit(place, sectors, self.read_align);
            let place = written.pick(&mut self.random, sectors, fit);
            // Nothing is written yet: use the place of a future write.
            let future = |random| fit(self.writes.clone().fresh(random, sectors.min(self.write_sizes.max())));
            return (place.unwrap_or_else(|| future(&mut self.random)), sectors);
        }
        let mut sector = self.reads.draw(&mut self.random, sectors);
        if let Some(updates) = &self.skip {
            let mut tries = 0;
            while updates.touch_ends(sector, sectors) && tries < REDRAWS_MAX {
                sector = self.reads.fresh(&mut self.random, sectors);
                tries += 1;
            }
        }
        (sector, sectors)
    }

    #[inline]
    fn write(&mut self) -> (u64, u32) {
        let sectors = self.write_sizes.draw(&mut self.random);
        let sector = self.writes.draw(&mut self.random, sectors);
        if let Some((_, written)) = &mut self.cold {
            written.note(&mut self.random, sector, sectors);
        }
        (sector, sectors)
    }
}

impl Iterator for Generator {
    type Item = HostRequest;

    #[inline]
    fn next(&mut self) -> Option<HostRequest> {
        (self.begin_run(1) == 1).then(|| self.draw())
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        match usize::try_from(self.remaining) {
            Ok(n) => (n, Some(n)),
            Err(_) => (usize::MAX, None),
        }
    }
}

impl FusedIterator for Generator {}

impl Requests for Generator {
    fn take_batch(&mut self, batch: &mut [HostRequest]) -> (usize, Result<(), SourceError>) {
        let mut count = 0;
        loop {
            let rest = &mut batch[count..];
            let run = self.begin_run(rest.len() as u64) as usize;
            if run == 0 {
                return (count, Ok(()));
            }
            match self.uniform() {
                Some(uniform) => uniform.fill(&mut rest[..run], &mut self.random),
                None => rest[..run].iter_mut().for_each(|place| *place = self.draw()),
            }
            count += run;
        }
    }
}
