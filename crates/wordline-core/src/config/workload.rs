//! `[workload]`: what a synthetic workload asks of the SSD.
//!
//! Plain data; ranges are checked where a generator is built (`wordline_trace::synthetic`), because
//! several of them depend on the capacity. Defaults stand, with units and sources, in
//! `presets/base/workload.toml`, and a test keeps the two equal.

use serde::{Deserialize, Serialize};

/// Where requests go inside their region.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Pattern {
    /// Every aligned place is equally likely.
    #[default]
    Random,
    /// One request after the other, wrapping at the end; reads and writes each have a cursor, as in fio.
    Sequential,
    /// Like sequential, but each request starts `stride_bytes` after the last one's start.
    Strided,
    /// The place of rank k is asked for in proportion to `1 / k^zipf_theta`; ranks are scattered.
    Zipf,
    /// `hot_access_fraction` of the requests go to the first `hot_fraction` of the region.
    HotCold,
}

/// How long requests are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SizeDistribution {
    /// All have `read_block_bytes` or `write_block_bytes`.
    #[default]
    Fixed,
    /// Drawn from `read_block_mix` or `write_block_mix`.
    Mix,
    /// Multiples of `size_unit_bytes` up to `size_max_bytes` with the mean of `read_size_mean_bytes` or
    /// `write_size_mean_bytes`: of all such distributions the one of the largest entropy.
    Mean,
}

/// How the time between two arrivals varies round its mean.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Arrival {
    /// Always the mean.
    #[default]
    Fixed,
    /// A Poisson process.
    Exponential,
    /// Two exponential phases with balanced means; `arrival_cv2` sets the squared coefficient of variation.
    HyperExponential,
    /// `burst_requests` requests `burst_inter_arrival_us` apart, then an exponential pause that restores the mean.
    Bursts,
}

/// One phase of a workload whose mix or intensity changes; the phases repeat in turn.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Phase {
    /// Requests in the phase; at least 1.
    pub requests: u64,
    /// Mean time between arrivals in the phase, us; 0 or more.
    pub inter_arrival_us: f64,
    /// Fraction of the phase's requests that read; 0 to 1.
    pub read_ratio: f64,
}

/// Everything a generator is built from, besides the capacity and the run's seed.
///
/// A key that does not apply to the chosen pattern or distribution is ignored, so that a sweep can set it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct WorkloadConfig {
    /// Name that results carry.
    pub name: String,
    /// Number of requests; at least 1.
    pub requests: u64,
    /// Mixed with the run's seed, so that two flows of one run differ.
    pub seed: u64,

    /// Fraction of requests that read; 0 to 1.
    pub read_ratio: f64,
    /// Fraction of requests that trim; 0 to 1, at most what `read_ratio` leaves. The rest writes.
    pub trim_ratio: f64,

    /// Where requests go.
    pub pattern: Pattern,
    /// Skew of `zipf`; 0 (uniform) to 10, 0.99 as in YCSB.
    pub zipf_theta: f64,
    /// `hot-cold`: share of the region that is hot; above 0, below 1.
    pub hot_fraction: f64,
    /// `hot-cold`: share of the requests that go there; 0 to 1.
    pub hot_access_fraction: f64,
    /// `strided`: distance between the starts of two requests, bytes; a multiple of the alignment.
    pub stride_bytes: u64,
    /// Probability that a request starts where the last one of its kind ended; 0 to below 1.
    pub sequentiality: f64,

    /// How long requests are.
    pub size_distribution: SizeDistribution,
    /// `fixed`: bytes of a read; a multiple of 512.
    pub read_block_bytes: u64,
    /// `fixed`: bytes of a write or trim; 0: as reads.
    pub write_block_bytes: u64,
    /// `mix`: `[[bytes, weight], …]` of reads.
    pub read_block_mix: Vec<(u64, f64)>,
    /// `mix`: of writes and trims; empty: as reads.
    pub write_block_mix: Vec<(u64, f64)>,
    /// `mean`: mean bytes of a read, between unit and maximum.
    pub read_size_mean_bytes: f64,
    /// `mean`: mean bytes of a write or trim; 0: as reads.
    pub write_size_mean_bytes: f64,
    /// `mean`: all sizes are multiples of this, bytes; a multiple of 512.
    pub size_unit_bytes: u64,
    /// `mean`: largest request, bytes; a multiple of the unit.
    pub size_max_bytes: u64,

    /// Requests start at multiples of this, bytes; 0: of the smallest size of the request's kind.
    pub align_bytes: u64,
    /// Start of the footprint, bytes.
    pub offset_bytes: u64,
    /// Addresses in use, bytes; 0: `footprint_ratio` of the capacity. Scaled down where the SSD is smaller.
    pub footprint_bytes: u64,
    /// Addresses in use as a fraction of the capacity; above 0, at most 1.
    pub footprint_ratio: f64,
    /// Writes and trims stay in this first part of the footprint, bytes; 0: all of it, or half of it
    /// where `cold_ratio` is set.
    pub write_footprint_bytes: u64,
    /// Fraction of reads that go where the run never writes (PR2/AR2, Table 2); all others go to a place
    /// the run has written already. −1: reads go anywhere.
    pub cold_ratio: f64,

    /// Mean time between arrivals, us; 0: all at time 0, for closed-loop replay.
    pub inter_arrival_us: f64,
    /// How that time varies.
    pub arrival: Arrival,
    /// `hyper-exponential`: variance over squared mean of the time between arrivals; at least 1.
    pub arrival_cv2: f64,
    /// `bursts`: requests in a burst; at least 1.
    pub burst_requests: u64,
    /// `bursts`: time between arrivals inside a burst, us; at most the mean.
    pub burst_inter_arrival_us: f64,

    /// Fraction of the extents that the update phase rewrites one by one, after whole runs are taken out.
    pub update_scattered_ratio: f64,
    /// Bytes of such an extent; a multiple of 512.
    pub update_extent_bytes: u64,
    /// Fraction of the footprint that the update phase rewrites in long runs.
    pub update_run_ratio: f64,
    /// Bytes of such a run; a multiple of the extent.
    pub update_run_bytes: u64,
    /// Whether reads avoid what the update phase rewrote (their first and last sector; `random`, `zipf`
    /// and `hot-cold` only).
    pub reads_skip_updated: bool,

    /// Phases that repeat in turn, each with its own read ratio and mean inter-arrival time; empty: one phase.
    pub phases: Vec<Phase>,
}

impl Default for WorkloadConfig {
    fn default() -> Self {
        Self {
            name: "custom".into(),
            requests: 1_000_000,
            seed: 0,
            read_ratio: 1.0,
            trim_ratio: 0.0,
            pattern: Pattern::Random,
            zipf_theta: 0.99,
            hot_fraction: 0.2,
            hot_access_fraction: 0.8,
            stride_bytes: 65_536,
            sequentiality: 0.0,
            size_distribution: SizeDistribution::Fixed,
            read_block_bytes: 4_096,
            write_block_bytes: 0,
            read_block_mix: vec![(4_096, 0.7), (65_536, 0.3)],
            write_block_mix: Vec::new(),
            read_size_mean_bytes: 16_384.0,
            write_size_mean_bytes: 0.0,
            size_unit_bytes: 4_096,
            size_max_bytes: 65_536,
            align_bytes: 0,
            offset_bytes: 0,
            footprint_bytes: 0,
            footprint_ratio: 1.0,
            write_footprint_bytes: 0,
            cold_ratio: -1.0,
            inter_arrival_us: 0.0,
            arrival: Arrival::Fixed,
            arrival_cv2: 4.0,
            burst_requests: 256,
            burst_inter_arrival_us: 10.0,
            update_scattered_ratio: 0.0,
            update_extent_bytes: 65_536,
            update_run_ratio: 0.0,
            update_run_bytes: 16_777_216,
            reads_skip_updated: false,
            phases: Vec::new(),
        }
    }
}
