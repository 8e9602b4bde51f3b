//! What a result says of requests: their number, times and rates, of the run and of each flow.

use std::borrow::Cow;
use std::collections::BTreeMap;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Serialize, Serializer};
use wordline_core::Ssd;
use wordline_core::config::Config;
use wordline_core::engine::Ns;
use wordline_core::flash::Status;
use wordline_core::host::Op;
use wordline_core::metrics::{FlowMetrics, FlowTime, Latency, LatencySummary, Metrics, Spread};

use super::times::{s, with_power};

/// Something of each flow by its name, in the order of the flows.
#[derive(Clone, Debug)]
pub struct ByFlow<T>(pub Vec<(String, T)>);

impl<T: Serialize> Serialize for ByFlow<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

impl<T: JsonSchema> JsonSchema for ByFlow<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        format!("ByFlow_{}", T::schema_name()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        BTreeMap::<String, T>::json_schema(generator)
    }
}

/// Requests of a run.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(extend("x-unit" = "count"))]
pub struct Requests {
    /// All that were counted, not only reads and writes.
    pub all: u64,
    /// Reads that were counted.
    pub read: u64,
    /// Writes that were counted, appends to zones among them.
    pub write: u64,
    /// Trims, flushes, requests to close the host's open groups, and commands for zones.
    pub other: u64,
    /// Of these, flushes.
    pub flush: u64,
    /// Of these, requests to close the host's open groups (NVMe FDP, Reclaim Unit Handle Update).
    pub close: u64,
    /// Requests before counting began (`host.warmup_requests`).
    pub warmup: u64,
    /// Requests of which a page could not be decoded; with `metrics.lost_reads = "skip"` they count nowhere else.
    pub lost: u64,
    /// Requests whose response time lies beyond the range of the histogram, so that percentiles above their share are cut.
    pub beyond_histogram: u64,
    /// Requests after the warm-up by how they ended, in NVMe's words.
    pub by_status: ByStatus,
}

/// Requests by how they ended.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(extend("x-unit" = "count"))]
pub struct ByStatus {
    /// Served.
    pub success: u64,
    /// To read, write or trim nothing; no trace has such requests.
    pub invalid_field: u64,
    /// Beyond the last sector; a trace with such requests is refused before it runs.
    pub lba_out_of_range: u64,
    /// A page could not be decoded: `requests.lost`.
    pub unrecovered_read_error: u64,
    /// Under way, or in a submission queue, when the SSD lost its power; they count nowhere else.
    pub aborted_power_loss: u64,
    /// In a submission queue when the SSD was switched off; they count nowhere else.
    pub aborted_sq_deletion: u64,
    /// Commands that the drive does not have: those for zones on a drive without, trims on a drive of zones.
    pub invalid_opcode: u64,
    /// They would have left their zone, or its capacity.
    pub zone_boundary_error: u64,
    /// Writes to a zone that was full.
    pub zone_is_full: u64,
    /// Writes to a zone that can only be read.
    pub zone_is_read_only: u64,
    /// To a zone that cannot be used.
    pub zone_is_offline: u64,
    /// Writes that did not begin at the write pointer of their zone.
    pub zone_invalid_write: u64,
    /// They would have made more zones active than the drive allows.
    pub too_many_active_zones: u64,
    /// They would have opened more zones than the drive allows.
    pub too_many_open_zones: u64,
    /// Their zone did not go from its state to the one that they asked for.
    pub invalid_zone_transition: u64,
}

impl ByStatus {
    fn of(metrics: &Metrics) -> ByStatus {
        let count = |status| metrics.with_status(status);
        ByStatus {
            success: count(Status::Success),
            invalid_field: count(Status::InvalidField),
            lba_out_of_range: count(Status::LbaOutOfRange),
            unrecovered_read_error: count(Status::UnrecoveredReadError),
            aborted_power_loss: count(Status::AbortedPowerLoss),
            aborted_sq_deletion: count(Status::AbortedSqDeletion),
            invalid_opcode: count(Status::InvalidOpcode),
            zone_boundary_error: count(Status::ZoneBoundaryError),
            zone_is_full: count(Status::ZoneIsFull),
            zone_is_read_only: count(Status::ZoneIsReadOnly),
            zone_is_offline: count(Status::ZoneIsOffline),
            zone_invalid_write: count(Status::ZoneInvalidWrite),
            too_many_active_zones: count(Status::TooManyActiveZones),
            too_many_open_zones: count(Status::TooManyOpenZones),
            invalid_zone_transition: count(Status::InvalidZoneTransition),
        }
    }
}

impl Requests {
    pub(super) fn of(metrics: &Metrics) -> Requests {
        Requests {
            all: metrics.all.count(),
            read: metrics.read().count(),
            write: metrics.write().count(),
            other: metrics.completed_count() - metrics.read().count() - metrics.write().count(),
            flush: metrics.count_of(Op::Flush),
            close: metrics.count_of(Op::Close),
            warmup: metrics.warmup_requests,
            lost: metrics.with_status(Status::UnrecoveredReadError),
            beyond_histogram: metrics.all.beyond(),
            by_status: ByStatus::of(metrics),
        }
    }
}

/// A rate by operation; null where it all took no time.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct Rates {
    /// Of all requests.
    pub all: Option<f64>,
    /// Of reads.
    pub read: Option<f64>,
    /// Of writes.
    pub write: Option<f64>,
}

/// So much in this time, a second; what took no time has no rate.
pub(super) fn rate(amount: f64, time_s: f64) -> Option<f64> {
    if amount == 0.0 { Some(0.0) } else { (time_s > 0.0).then(|| amount / time_s) }
}

impl Rates {
    /// Requests a second.
    pub(super) fn of_requests(counts: [u64; 3], per_s: impl Fn(f64) -> Option<f64>) -> Rates {
        let [all, read, write] = counts.map(|count| per_s(count as f64));
        Rates { all, read, write }
    }

    /// 10^6 bytes a second, of reads and writes.
    pub(super) fn of_bytes(bytes: [u64; 2], per_s: impl Fn(f64) -> Option<f64>) -> Rates {
        let [read_mb, write_mb] = bytes.map(|bytes| bytes as f64 / 1e6);
        Rates { all: per_s(read_mb + write_mb), read: per_s(read_mb), write: per_s(write_mb) }
    }
}

/// Response times of a run.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ResponseTimes {
    /// Of all requests.
    pub all: Spread,
    /// Of reads.
    pub read: Spread,
    /// Of writes.
    pub write: Spread,
    /// Of each flow.
    pub flows: ByFlow<LatencySummary>,
}

impl ResponseTimes {
    pub(super) fn of(ssd: &Ssd) -> ResponseTimes {
        let metrics = ssd.metrics();
        // A single flow is the whole run.
        let alone = metrics.flows.is_empty().then(|| metrics.all.summary());
        let each = alone.into_iter().chain(metrics.flows.iter().map(|flow| flow.all().summary()));
        ResponseTimes {
            all: metrics.all.summary().spread,
            read: metrics.read().summary().spread,
            write: metrics.write().summary().spread,
            flows: by_flow(ssd, each),
        }
    }
}

/// One of several flows, over its own time.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct FlowResult {
    /// Its requests.
    pub requests: FlowRequests,
    /// From its first arrival in the window to its last completion.
    #[schemars(extend("x-unit" = "s"))]
    pub time_s: f64,
    /// Requests a second of that time.
    #[schemars(extend("x-unit" = "1/s"))]
    pub iops: Rates,
    /// 10^6 bytes a second of that time.
    #[schemars(extend("x-unit" = "MB/s"))]
    pub bandwidth_mb_s: Rates,
    /// Response times.
    pub response_us: FlowTimes,
}

/// Requests of a flow.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(extend("x-unit" = "count"))]
pub struct FlowRequests {
    /// All that were counted, not only reads and writes.
    pub all: u64,
    /// Reads that were counted.
    pub read: u64,
    /// Writes that were counted.
    pub write: u64,
}

/// Response times of a flow.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct FlowTimes {
    /// Of all requests.
    pub all: Spread,
    /// Of reads.
    pub read: Spread,
    /// Of writes.
    pub write: Spread,
}

impl FlowResult {
    /// Those of all flows; none for a single flow, which is the whole run.
    pub(super) fn of_all(config: &Config, ssd: &Ssd) -> ByFlow<FlowResult> {
        by_flow(ssd, ssd.metrics().flows.iter().map(|flow| FlowResult::of(config, ssd, flow)))
    }

    fn of(config: &Config, ssd: &Ssd, flow: &FlowMetrics) -> FlowResult {
        let span = span_of(flow.time(), ssd.metrics().window.0, ssd.began_at());
        let time_s = s(with_power(config, ssd, span));
        let per_s = |amount| rate(amount, time_s);
        let (all, read, write) = (flow.all(), flow.read(), flow.write());
        let spread = |latency: &Latency| latency.summary().spread;
        FlowResult {
            requests: FlowRequests { all: all.count(), read: read.count(), write: write.count() },
            time_s,
            iops: Rates::of_requests([all.count(), read.count(), write.count()], per_s),
            bandwidth_mb_s: Rates::of_bytes(flow.bytes(), per_s),
            response_us: FlowTimes { all: spread(&all), read: spread(read), write: spread(write) },
        }
    }
}

/// When a flow was at work in the window, ns since the run began; a flow of which nothing counted took no time.
fn span_of(time: FlowTime, window_start: Ns, began_at: Ns) -> (Ns, Ns) {
    let end = time.last_completion.max(began_at);
    (time.first_arrival.max(window_start).min(end) - began_at, end - began_at)
}

fn by_flow<T>(ssd: &Ssd, each: impl Iterator<Item = T>) -> ByFlow<T> {
    ByFlow(ssd.host().flow_names().map(str::to_owned).zip(each).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_took_no_time_has_no_rate() {
        assert_eq!([rate(6.0, 2.0), rate(6.0, 0.0), rate(0.0, 0.0)], [Some(3.0), None, Some(0.0)]);
        let rates = Rates::of_requests([5, 5, 0], |amount| rate(amount, 0.0));
        assert_eq!((rates.all, rates.read, rates.write), (None, None, Some(0.0)));
    }

    #[test]
    fn a_flow_is_at_work_from_its_first_request_in_the_window_to_its_last() {
        let time = FlowTime { first_arrival: 130, last_completion: 190 };
        assert_eq!(span_of(time, 150, 100), (50, 90));
        assert_eq!(span_of(time, 0, 0), (130, 190));
        let idle = FlowTime { first_arrival: Ns::MAX, last_completion: 0 };
        assert_eq!(span_of(idle, 150, 100), (0, 0), "on an SSD that was used before");
    }
}
