//! What is measured: latencies, counters, throughput over time, timelines.

mod counters;
mod latency;
mod log;
mod series;
mod timeline;

pub use counters::{ControllerCounters, FtlCounters};
pub use latency::{Latency, LatencySummary};
pub use log::{LogEntry, RequestLog};
pub use series::{Sample, Series};
pub use timeline::{Slice, Timeline, Track};

use crate::config::Config;
use crate::controller::{Class, Txn};
use crate::engine::Ns;
use crate::host::{Op, Request, SECTOR_BYTES};

/// Where the time of user reads went, ns in sum; the parts add up to the whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReadBreakdown {
    /// Page reads counted.
    pub reads: u64,
    /// From the FTL's order until the command goes out.
    pub queue: u64,
    /// Until the (last) sense has ended, retries included.
    pub array: u64,
    /// Until the data starts over the channel.
    pub channel_wait: u64,
    /// Transfer and decoding.
    pub transfer: u64,
    /// From the order until the data is decoded.
    pub total: u64,
}

/// Where trims and flushes are counted; reads and writes are counted at their place in [`Op`].
const OTHER: usize = Op::Trim as usize;

/// All that a run measures about requests.
#[derive(Debug)]
pub struct Metrics {
    /// Response times of all requests; filled when the run ends.
    pub all: Latency,
    /// Response times of reads, of writes, and of the rest.
    kinds: [Latency; OTHER + 1],
    /// By flow.
    pub flows: Vec<Latency>,
    /// Bytes read and written by the host.
    pub bytes: [u64; 2],
    /// Requests of the warm-up, which count nowhere else.
    pub warmup_requests: u64,
    /// Where the time of user reads went.
    pub breakdown: ReadBreakdown,
    /// Throughput over time.
    pub series: Series,
    /// A row a request, where asked for.
    pub log: RequestLog,
    warmup_left: u64,
    /// When the first counted request completed, and the last.
    pub window: (Ns, Ns),
}

impl Metrics {
    /// Nothing measured yet.
    #[must_use]
    pub fn new(config: &Config, flows: usize, log: RequestLog) -> Metrics {
        let latency = || Latency::new(config.metrics.digits);
        Metrics {
            all: latency(),
            kinds: [latency(), latency(), latency()],
            flows: (0..flows).map(|_| latency()).collect(),
            bytes: [0; 2],
            warmup_requests: 0,
            breakdown: ReadBreakdown::default(),
            series: Series::new((config.metrics.series_ms * 1e6) as Ns),
            log,
            warmup_left: config.host.warmup_requests,
            window: (0, 0),
        }
    }

    /// A request is complete.
    #[inline(always)]
    pub fn completed(&mut self, done: &Request, now: Ns) {
        if self.warmup_left > 0 {
            self.warmup_left -= 1;
            self.warmup_requests += 1;
            self.window = (now, now);
            return;
        }
        self.window.1 = now;
        let latency = now - done.request.arrival_ns;
        if self.flows.len() > 1 {
            self.flows[done.flow as usize].record(latency);
        }
        // Reads and writes go the same way: the processor cannot foresee which of them is next.
        let kind = (done.request.op as usize).min(OTHER);
        self.kinds[kind].record(latency);
        if kind < OTHER {
            let bytes = u64::from(done.request.sectors) * SECTOR_BYTES;
            self.bytes[kind] += bytes;
            self.series.add(now, kind, bytes, latency);
        }
        self.log.add(done, now);
    }

    /// Response times of reads.
    #[must_use]
    pub fn read(&self) -> &Latency {
        &self.kinds[Op::Read as usize]
    }

    /// Response times of writes.
    #[must_use]
    pub fn write(&self) -> &Latency {
        &self.kinds[Op::Write as usize]
    }

    /// Response times of trims and flushes.
    #[must_use]
    pub fn other(&self) -> &Latency {
        &self.kinds[OTHER]
    }

    /// Requests counted so far.
    #[must_use]
    pub fn completed_count(&self) -> u64 {
        self.kinds.iter().map(Latency::count).sum()
    }

    /// The run has ended: reads, writes and the rest together are all.
    pub fn finish(&mut self) {
        for kind in &self.kinds {
            self.all.add(kind);
        }
    }

    /// A transaction is done.
    #[inline]
    pub fn transaction(&mut self, txn: &Txn, now: Ns) {
        if txn.class == Class::UserRead {
            debug_assert!(txn.created <= txn.started && txn.started <= txn.sensed);
            debug_assert!(txn.sensed <= txn.shipped && txn.shipped <= now, "time never runs back");
            let b = &mut self.breakdown;
            b.reads += 1;
            b.queue += txn.started - txn.created;
            b.array += txn.sensed - txn.started;
            b.channel_wait += txn.shipped - txn.sensed;
            b.transfer += now - txn.shipped;
            b.total += now - txn.created;
        }
    }
}
