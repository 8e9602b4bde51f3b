//! `[workload]`: what a synthetic workload asks of the SSD.
//!
//! What depends on the capacity, or on several keys, is checked where a generator is built
//! (`wordline_trace::synthetic`).

use crate::parameter::{Domain, Parameter, choices, section, words};

/// Largest address or footprint, bytes (1 PiB).
const SPACE_MAX: i64 = 1 << 50;
/// No request is larger: 1 GiB, far above any host's limit.
const REQUEST_MAX: i64 = 1 << 30;
/// Most requests of a run or a phase.
const REQUESTS_MAX: i64 = 1_000_000_000_000_000;
/// Longest mean time between arrivals, us: a day.
const GAP_MAX_US: f64 = 8.64e10;

/// Whole sectors, at least one.
const fn sectors(high: i64) -> Parameter {
    Parameter::new(Domain::Whole { low: 512, high, multiple_of: 512 }).unit("bytes")
}

/// Whole sectors, or none.
const fn sectors_or_none(high: i64) -> Parameter {
    Parameter::new(Domain::Whole { low: 0, high, multiple_of: 512 }).unit("bytes")
}

/// Mean time between arrivals.
const fn gap() -> Parameter {
    words::number(0.0, GAP_MAX_US).unit("us")
}

/// `[bytes, weight]`.
const SHARE: Domain = Domain::Tuple(&[
    Domain::Whole { low: 512, high: REQUEST_MAX, multiple_of: 512 },
    Domain::Number { low: 0.0, high: 1e9, above: false, below: false },
]);

choices! {
    /// Where requests go inside their region.
    pub enum Pattern {
        /// Every aligned place is equally likely
        Random = "random",
        /// One after the other, wrapping at the end; reads and writes each have a cursor, as in fio
        Sequential = "sequential",
        /// Like sequential, but each starts `stride_bytes` after the last one's start
        Strided = "strided",
        /// The place of rank k in proportion to `1 / k^zipf_theta`; ranks are scattered
        Zipf = "zipf",
        /// `hot_access_fraction` of the requests go to the first `hot_fraction` of the region
        HotCold = "hot-cold",
    }
}

choices! {
    /// How long requests are.
    pub enum SizeDistribution {
        /// All have `read_block_bytes` or `write_block_bytes`
        Fixed = "fixed",
        /// Drawn from `read_block_mix` or `write_block_mix`
        Mix = "mix",
        /// Multiples of `size_unit_bytes` up to `size_max_bytes` with a given mean: of all such
        /// distributions the one of the largest entropy
        Mean = "mean",
    }
}

choices! {
    /// How the time between two arrivals varies around its mean.
    pub enum ArrivalProcess {
        /// Always the mean
        Fixed = "fixed",
        /// A Poisson process
        Exponential = "exponential",
        /// Two exponential phases with balanced means
        HyperExponential = "hyper-exponential",
        /// Bursts, with an exponential pause between them that restores the mean
        Bursts = "bursts",
    }
}

section! {
    /// One phase of a workload whose mix or intensity changes; the phases repeat in turn.
    #[derive(Copy)]
    #[serde(deny_unknown_fields)]
    pub struct WorkloadPhase {
        /// Requests in the phase.
        requests: u64 = 1, whole(1, REQUESTS_MAX);
        /// Mean time between arrivals in the phase.
        inter_arrival_us: f64 = 0.0, gap();
        /// Share of the phase's requests that read.
        read_ratio: f64 = 1.0, fraction();
    }
}

section! {
    /// Everything a generator is built from, besides the capacity and the run's seed.
    #[serde(deny_unknown_fields)]
    pub struct WorkloadConfig {
        /// Name that results carry.
        name: String = "custom".to_owned(), text("any text");
        /// Requests to generate.
        requests: u64 = 1_000_000, whole(1, REQUESTS_MAX).source("assumed: enough for p99.99");
        /// Mixed with the run's seed, so that two flows differ.
        seed: u64 = 0, whole(0, i64::MAX);

        /// Share of requests that read.
        read_ratio: f64 = 1.0, fraction();
        /// Share of requests that trim, at most what read_ratio leaves; the rest writes.
        trim_ratio: f64 = 0.0, fraction();

        /// Where requests go.
        pattern: Pattern = Pattern::Random, word(Pattern::CHOICES);
        /// Skew.
        zipf_theta: f64 = 0.99, number(0.0, 10.0)
            .source("YCSB's default (Cooper et al., SoCC 2010)").when("workload.pattern", &["zipf"]);
        /// Part of the region that is hot.
        hot_fraction: f64 = 0.2, between(0.0, 1.0).source("the usual 80/20").when("workload.pattern", &["hot-cold"]);
        /// Share of requests that go to the hot part.
        hot_access_fraction: f64 = 0.8, fraction().source("the usual 80/20").when("workload.pattern", &["hot-cold"]);
        /// From start to start; a multiple of align_bytes.
        stride_bytes: u64 = 65_536, sectors(SPACE_MAX)
            .source("assumed: a usual largest request").when("workload.pattern", &["strided"]);
        /// Chance that a request starts where the last one of its kind ended.
        sequentiality: f64 = 0.0, below(0.0, 1.0);

        /// How long requests are.
        size_distribution: SizeDistribution = SizeDistribution::Fixed, word(SizeDistribution::CHOICES);
        /// Size of reads.
        read_block_bytes: u64 = 4096, sectors(REQUEST_MAX)
            .source("fio's default block size").when("workload.size_distribution", &["fixed"]);
        /// Size of writes and trims; 0 = as reads.
        write_block_bytes: u64 = 0, sectors_or_none(REQUEST_MAX).when("workload.size_distribution", &["fixed"]);
        /// Sizes of reads: `[bytes, weight]` each.
        read_block_mix: Vec<(u64, f64)> = vec![(4096, 0.7), (65_536, 0.3)], list(&SHARE, 1, 65_536)
            .source("assumed").when("workload.size_distribution", &["mix"]);
        /// Sizes of writes and trims; empty: as reads.
        write_block_mix: Vec<(u64, f64)> = Vec::new(), list(&SHARE, 0, 65_536)
            .when("workload.size_distribution", &["mix"]);
        /// Mean size of reads, from size_unit_bytes to size_max_bytes.
        read_size_mean_bytes: f64 = 16_384.0, number(512.0, REQUEST_MAX as f64).unit("bytes")
            .source("assumed").when("workload.size_distribution", &["mean"]);
        /// Mean size of writes and trims; 0 = as reads.
        write_size_mean_bytes: f64 = 0.0, number(0.0, REQUEST_MAX as f64).unit("bytes")
            .when("workload.size_distribution", &["mean"]);
        /// Sizes are multiples of it.
        size_unit_bytes: u64 = 4096, sectors(REQUEST_MAX)
            .source("a file system's block").when("workload.size_distribution", &["mean"]);
        /// Largest size; a multiple of size_unit_bytes.
        size_max_bytes: u64 = 65_536, sectors(REQUEST_MAX)
            .source("Windows' transfer limit").when("workload.size_distribution", &["mean"]);

        /// Requests start at multiples of it; 0 = of the smallest size of the request's kind.
        align_bytes: u64 = 0, sectors_or_none(REQUEST_MAX);
        /// Start of the footprint.
        offset_bytes: u64 = 0, sectors_or_none(SPACE_MAX);
        /// Addresses in use; 0 = footprint_ratio of the capacity. Scaled down on a smaller SSD.
        footprint_bytes: u64 = 0, sectors_or_none(SPACE_MAX);
        /// Addresses in use as a share of the capacity.
        footprint_ratio: f64 = 1.0, above(0.0, 1.0).when("workload.footprint_bytes", &["0"]);
        /// First part of the footprint, to which all writes and trims go; 0 = all of it, or half with cold_ratio.
        write_footprint_bytes: u64 = 0, sectors_or_none(SPACE_MAX);
        /// Share of reads that go where the run never writes; -1 = reads go anywhere.
        cold_ratio: f64 = -1.0, either(&[
            Domain::Number { low: 0.0, high: 1.0, above: false, below: false },
            Domain::Number { low: -1.0, high: -1.0, above: false, below: false },
        ]).source("PR2/AR2, section 7.1");

        /// Mean time between arrivals; 0 = all at once, for closed-loop replay.
        inter_arrival_us: f64 = 0.0, gap();
        /// How that time varies.
        arrival: ArrivalProcess = ArrivalProcess::Fixed, word(ArrivalProcess::CHOICES);
        /// Variance over squared mean of that time; 1 is a Poisson process.
        arrival_cv2: f64 = 4.0, number(1.0, 1e6)
            .source("assumed").when("workload.arrival", &["hyper-exponential"]);
        /// Requests in a burst.
        burst_requests: u64 = 256, whole(1, REQUESTS_MAX)
            .source("assumed").when("workload.arrival", &["bursts"]);
        /// Time between arrivals inside a burst; at most the mean.
        burst_inter_arrival_us: f64 = 10.0, gap()
            .source("assumed").when("workload.arrival", &["bursts"]);
        /// How much faster requests come in busy times than on average; the workload pauses between them. 1: always alike.
        busy_factor: f64 = 1.0, number(1.0, 1e4)
            .source("25 and 45 s give the write rate that reads meet in a traced disk, in windows of 10 s to 10 min");
        /// Mean length of a busy time, where busy_factor is above 1.
        busy_s: f64 = 45.0, number(0.001, 1e6).unit("s").source("see busy_factor");

        /// Share of the extents that are rewritten one by one before the run, outside the runs.
        update_scattered_ratio: f64 = 0.0, fraction().source("IDA, Table III");
        /// Size of such an extent.
        update_extent_bytes: u64 = 65_536, sectors(REQUEST_MAX).source("assumed: a usual largest write");
        /// Share of the footprint that is rewritten in long runs before the run.
        update_run_ratio: f64 = 0.0, fraction().source("IDA, Table IV");
        /// Size of such a run; a multiple of update_extent_bytes.
        update_run_bytes: u64 = 16_777_216, sectors(SPACE_MAX)
            .source("assumed: whole wordlines of all dies").unless("workload.update_run_ratio", &["0"]);
        /// Reads avoid what was rewritten; IDA counts reads of old blocks.
        reads_skip_updated: bool = false, truth().when("workload.pattern", &["random", "zipf", "hot-cold"]);

        /// Phases that repeat in turn, each with its own mean and mix; empty: one phase.
        phases: Vec<WorkloadPhase> = Vec::new(), list(&Domain::Record(WorkloadPhase::PARAMETERS), 0, 4096);
    }
}
