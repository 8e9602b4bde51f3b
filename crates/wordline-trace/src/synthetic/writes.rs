//! The writes of a workload alone, without end: the data for the shape of preconditioning.

use wordline_core::config::WorkloadConfig;

use super::address::Addresses;
use super::error::SyntheticError;
use super::layout::Layout;
use super::random::{Chance, Random, hash, workload_seed};
use super::size::Sizes;
use super::validate::validate;

/// Where a workload writes, if it writes at all ([`write_share`]), without end: first sector and number of sectors.
///
/// Sizes and places are those of the writes of a [`Generator`](super::Generator) with the same arguments, drawn with other
/// random numbers. The reads between them need not be drawn.
#[derive(Clone, Debug)]
pub struct Writes {
    random: Random,
    sizes: Sizes,
    places: Addresses,
    trim: Chance,
}

impl Writes {
    /// The writes on a device of `capacity_sectors` host-visible 512-byte sectors.
    ///
    /// # Errors
    /// See [`Generator::new`](super::Generator::new).
    pub fn new(config: &WorkloadConfig, capacity_sectors: u64, seed: u64) -> Result<Self, SyntheticError> {
        validate(config)?;
        let seed = workload_seed(config.seed, seed);
        let (reads, sizes) = (Sizes::of_reads(config), Sizes::of_writes(config));
        let layout = Layout::new(config, capacity_sectors, &reads, &sizes)?;
        let places = Addresses::new(config, layout.written, layout.write_align, sizes.max(), seed);
        let trim = Chance::new(trims_of_writes(config));
        Ok(Self { random: Random::new(hash(seed, 0x5772_6974_6573)), sizes, places, trim })
    }
}

impl Writes {
    /// Draws whether the next one is a trim instead, of what a write would have written.
    #[inline]
    pub fn trims(&mut self) -> bool {
        self.trim.hits(&mut self.random)
    }
}

impl Iterator for Writes {
    type Item = (u64, u32);

    #[inline]
    fn next(&mut self) -> Option<(u64, u32)> {
        let sectors = self.sizes.draw(&mut self.random);
        Some((self.places.draw(&mut self.random, sectors), sectors))
    }
}

/// The workload as [`Writes`] and [`UpdatePhase`](super::UpdatePhase) see it: two workloads that give the same here write
/// the same before a run. Number, times and mix of the requests do not count, except that a workload may write nothing.
#[must_use]
pub fn written_alike(config: &WorkloadConfig) -> WorkloadConfig {
    let default = WorkloadConfig::default();
    let read_ratio = if write_share(config) > 0.0 { 0.0 } else { 1.0 };
    let trim_ratio = if read_ratio > 0.0 { 0.0 } else { trims_of_writes(config) };
    WorkloadConfig {
        name: default.name,
        requests: default.requests,
        read_ratio,
        trim_ratio,
        reads_skip_updated: default.reads_skip_updated,
        inter_arrival_us: default.inter_arrival_us,
        arrival: default.arrival,
        arrival_cv2: default.arrival_cv2,
        burst_requests: default.burst_requests,
        burst_inter_arrival_us: default.burst_inter_arrival_us,
        busy_factor: default.busy_factor,
        busy_s: default.busy_s,
        phases: default.phases,
        ..config.clone()
    }
}

/// Share of trims in the requests that write or trim.
fn trims_of_writes(config: &WorkloadConfig) -> f64 {
    let trims = if config.phases.is_empty() {
        config.trim_ratio
    } else {
        let all: f64 = config.phases.iter().map(|phase| phase.requests as f64).sum();
        let of = |read_ratio: f64| config.trim_ratio.min(1.0 - read_ratio);
        config.phases.iter().map(|phase| of(phase.read_ratio) * phase.requests as f64).sum::<f64>() / all
    };
    if trims > 0.0 { trims / (trims + write_share(config)) } else { 0.0 }
}

/// Share of the requests that write.
#[must_use]
pub fn write_share(config: &WorkloadConfig) -> f64 {
    // Ratios such as 0.7 + 0.3 may miss 1 by a rounding error.
    let of = |read_ratio: f64| {
        Some(1.0 - read_ratio - config.trim_ratio).filter(|&rest| rest > 1e-9).unwrap_or(0.0)
    };
    if config.phases.is_empty() {
        return of(config.read_ratio);
    }
    let all: f64 = config.phases.iter().map(|phase| phase.requests as f64).sum();
    config.phases.iter().map(|phase| of(phase.read_ratio) * phase.requests as f64).sum::<f64>() / all
}
