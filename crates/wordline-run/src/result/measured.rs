//! What a run measured.

use schemars::JsonSchema;
use serde::Serialize;
use wordline_core::config::Config;
use wordline_core::metrics::LatencySummary;
use wordline_core::{Accounts, Ssd};

use super::activity::{ChannelTime, DieUtilisation, ReadBreakdown, ReadRetry, mean, share};
use super::drive::{Blocks, FastPrograms, GarbageCollection, Power, Precondition, SlcCache, StageCounters};
use super::handles::Placement;
use super::life::Life;
use super::namespaces::Namespace;
use super::requests::{ByFlow, FlowResult, Rates, Requests, ResponseTimes, rate};
use super::times::{s, with_power};
use super::zones::Zones;
use crate::{WrittenBytes, page_amplification};

/// What a run measured, in the window from the end of the warm-up to the last completion unless it says otherwise.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Measured {
    /// Everything random follows from it; of several seeds the first one.
    #[schemars(extend("x-unit" = "seed", "x-measured" = false))]
    pub seed: u64,
    /// Requests.
    pub requests: Requests,
    /// The window of all that is measured.
    pub window: Window,
    /// Response times.
    pub response_us: ResponseTimes,
    /// Each flow, where there are several.
    pub flows: ByFlow<FlowResult>,
    /// Each namespace, where flows have some.
    pub namespaces: ByFlow<Namespace>,
    /// Requests a second of simulated time, from the first submission or the end of the warm-up to the last completion.
    #[schemars(extend("x-unit" = "1/s"))]
    pub iops: Rates,
    /// 10^6 bytes a second, over the same time.
    #[schemars(extend("x-unit" = "MB/s"))]
    pub bandwidth_mb_s: Rates,
    /// Bytes programmed over those that the host wrote; null where it wrote none.
    #[schemars(extend("x-unit" = "ratio"))]
    pub write_amplification: Option<f64>,
    /// Pages programmed over those programmed for the user; null where there were none.
    #[schemars(extend("x-unit" = "ratio"))]
    pub write_amplification_pages: Option<f64>,
    /// Bytes that were written.
    pub written_bytes: WrittenBytes,
    /// What was counted.
    pub counters: StageCounters,
    /// What came before and after the window.
    pub outside: Outside,
    /// Garbage collection.
    pub gc: GarbageCollection,
    /// Blocks of the SSD.
    pub blocks: Blocks,
    /// Times of block erases.
    pub erase_us: LatencySummary,
    /// The activity of the channels.
    pub channel_time: ChannelTime,
    /// The activity of the dies.
    pub die_utilisation: DieUtilisation,
    /// Of the window that an ECC engine decodes, mean over the channels.
    #[schemars(extend("x-unit" = "share"))]
    pub ecc_utilisation: f64,
    /// For each channel the time that its ECC engine decoded.
    #[schemars(extend("x-unit" = "us"))]
    pub ecc_time_us: Vec<f64>,
    /// Retry steps of page reads.
    pub read_retry: ReadRetry,
    /// The time of the mean page read of a user, by part.
    pub read_breakdown_us: ReadBreakdown,
    /// The drive since it was new.
    pub life: Life,
    /// What preconditioning wrote.
    pub precondition: Precondition,
    /// Fast programs; null where no program is fast.
    pub program: Option<FastPrograms>,
    /// The SLC cache; null where there is none.
    pub slc: Option<SlcCache>,
    /// Placement handles; null where requests have none (`fdp.isolation`, or `ftl.placement = "handle"`).
    pub placement: Option<Placement>,
    /// The zones; null on a drive without.
    pub zones: Option<Zones>,
    /// Power events; null where there were none.
    pub power: Option<Power>,
    /// The chip whose errors, wear and retention take the place of the SSD's own (`cells.stand_in`); null where they are its own,
    /// or where it has none.
    #[schemars(extend("x-measured" = false))]
    pub stand_in: Option<String>,
    /// Whether every read was checked.
    #[schemars(extend("x-measured" = false))]
    pub checked: bool,
    /// Page reads that checked mode compared.
    #[schemars(extend("x-unit" = "count"))]
    pub reads_checked: u64,
    /// Simulated time of the run.
    #[schemars(extend("x-unit" = "s"))]
    pub simulated_s: f64,
}

/// The window of all that is measured.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(extend("x-unit" = "s"))]
pub struct Window {
    /// When the warm-up was over.
    pub start_s: f64,
    /// When the last request was complete, though GC may go on.
    pub end_s: f64,
}

/// What came before and after the window.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Outside {
    /// The warm-up.
    pub warmup: Part,
    /// From the last completion until the SSD was at rest.
    pub remainder: Part,
}

/// A part of a run that is not measured.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Part {
    /// How long it was.
    #[schemars(extend("x-unit" = "s"))]
    pub time_s: f64,
    /// Bytes that were written.
    pub written_bytes: WrittenBytes,
    /// What was counted.
    pub counters: StageCounters,
}

impl Measured {
    /// What a finished run measured.
    #[must_use]
    pub fn of(config: &Config, ssd: &Ssd, checked: bool) -> Measured {
        let metrics = ssd.metrics();
        let (start, end) = (ssd.at_start(), ssd.at_end());
        let accounts = end.since(&start);
        let whole = with_power(config, ssd, (start.at, end.at));
        let began_at = ssd.began_at();
        let counted = (metrics.window.0 - began_at, metrics.window.1 - began_at);
        let span_s = with_power(config, ssd, counted) as f64 / 1e9;
        let per_s = |amount| rate(amount, span_s);
        let requests = Requests::of(metrics);
        let preconditioned = ssd.preconditioned();
        let bytes = WrittenBytes::of(&accounts, ssd.ftl().geometry());
        Measured {
            seed: config.seed,
            window: Window { start_s: s(start.at), end_s: s(end.at) },
            response_us: ResponseTimes::of(ssd),
            flows: FlowResult::of_all(config, ssd),
            namespaces: Namespace::of_all(config, ssd, &accounts),
            iops: Rates::of_requests([requests.all, requests.read, requests.write], per_s),
            bandwidth_mb_s: Rates::of_bytes(metrics.bytes(), per_s),
            requests,
            write_amplification: bytes.write_amplification(),
            write_amplification_pages: page_amplification(&accounts.ftl),
            written_bytes: bytes,
            counters: StageCounters::of(ssd, &accounts),
            outside: Outside {
                warmup: Part::of(ssd, &start),
                remainder: Part::of(ssd, &ssd.accounts().since(&end)),
            },
            gc: GarbageCollection {
                jobs: accounts.ftl.gc_jobs,
                moved_pages: accounts.ftl.moved,
                erases: accounts.ftl.erases,
            },
            blocks: Blocks::of(config, ssd, &end),
            erase_us: accounts.erase_times.latency(config.metrics.digits).summary(),
            channel_time: ChannelTime::of(&accounts, whole),
            die_utilisation: DieUtilisation::of(&accounts, whole),
            ecc_utilisation: mean(accounts.ecc.iter().map(|&busy| share(busy, whole))),
            ecc_time_us: accounts.ecc.iter().map(|&busy| busy as f64 / 1e3).collect(),
            read_retry: ReadRetry::of(&accounts),
            read_breakdown_us: ReadBreakdown::of(&accounts),
            life: Life::of(ssd),
            precondition: Precondition {
                host_pages: preconditioned.host_pages,
                moved_pages: preconditioned.moved_pages,
                erases: preconditioned.erases,
                steady: ssd.steady(),
            },
            program: FastPrograms::of(config, ssd),
            slc: SlcCache::of(config, ssd),
            placement: Placement::of(config, ssd, &accounts),
            zones: Zones::of(ssd),
            power: Power::of(ssd),
            stand_in: config.cells.stands_in().map(str::to_owned),
            checked,
            reads_checked: ssd.ftl().reads_checked(),
            simulated_s: s(ssd.now()),
        }
    }
}

impl Part {
    fn of(ssd: &Ssd, accounts: &Accounts) -> Part {
        Part {
            time_s: s(accounts.at),
            written_bytes: WrittenBytes::of(accounts, ssd.ftl().geometry()),
            counters: StageCounters::of(ssd, accounts),
        }
    }
}
