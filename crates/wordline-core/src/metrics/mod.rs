//! What is measured: latencies, counters, throughput over time, timelines.

mod counters;
mod flow;
mod handle_events;
mod intervals;
mod job_log;
mod latency;
mod life;
mod log;
mod preconditioned;
mod series;
mod timeline;
mod times;

pub use counters::{ControllerCounters, FtlCounters, HandleCounters};
pub use flow::{FlowMetrics, FlowTime};
pub use handle_events::{HANDLE_EVENTS, HandleEvent, HandleEventKind, HandleEvents};
pub use life::{Commands, Life};
use serde::{Deserialize, Serialize};

use intervals::Intervals;
pub use intervals::{INTERVALS_MAX, Interval, Standing};
pub use job_log::{JobEntry, JobLog};
pub use latency::{BinCount, LATENCY_MAX_NS, Latency, LatencySummary, PERCENTILES, Spread};
pub use log::{LogEntry, RequestLog};
pub use preconditioned::Preconditioned;
pub use series::Sample;
use series::Series;
pub use timeline::{ACTIVITIES, Slice, Timeline, Track};
pub use times::Times;

use crate::config::{Config, LostReads};
use crate::engine::{Ns, state};
use crate::flash::{Class, STATUSES, Status, Txn};
use crate::host::{Op, Request, SECTOR_BYTES};

/// Where the time of user reads went, ns in sum; the parts add up to the whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
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

/// Kinds of requests that are counted apart, each at its place in [`Op`].
const KINDS: usize = Op::COUNT;

/// All that a run measures about requests.
#[derive(Debug)]
pub struct Metrics {
    /// Response times of all requests; filled when the run ends.
    pub all: Latency,
    /// Response times by kind.
    kinds: [Latency; KINDS],
    /// Sectors by kind.
    sectors: [u64; KINDS],
    /// Sectors of all writes that the device has taken, those of the warm-up too.
    sectors_taken: u64,
    /// What was measured by flow, where there are several.
    pub flows: Vec<FlowMetrics>,
    /// Requests of the warm-up, which count nowhere else.
    pub warmup_requests: u64,
    /// Of these, reads and writes.
    warmup: [Commands; 2],
    /// Requests beyond it that did not succeed, each at the place of its status.
    failed: [u64; STATUSES],
    /// Response times of reads whose data are lost count.
    counts_lost: bool,
    /// Where the time of user reads went.
    pub breakdown: ReadBreakdown,
    /// Throughput over time, as far as it is complete.
    series: Series,
    /// The run in intervals, as far as they are complete.
    intervals: Intervals,
    /// When a sample or an interval ends, ns: the only thing about them that each request looks at.
    next_end: Ns,
    /// A row a request, where asked for.
    pub log: RequestLog,
    /// More is asked of each request than what is always counted: its flow, or its row.
    has_details: bool,
    /// Requests may belong to a warm-up: whoever completes one asks [`Metrics::is_counted`].
    pub is_warming_up: bool,
    warmup_left: u64,
    /// A flow has a ramp, so that a later request may belong to it.
    has_ramps: bool,
    /// When the run began, ns: samples and intervals count from there.
    began_at: Ns,
    /// When the first counted request completed, and the last.
    pub window: (Ns, Ns),
}

state! {
    Metrics {
        parts: kinds, flows;
        values: sectors, sectors_taken, warmup_requests, warmup, failed, breakdown, series, intervals, next_end, log, is_warming_up, warmup_left, began_at, window;
        derived: all, counts_lost, has_details, has_ramps;
        checked: is_sound;
    }
}

impl Metrics {
    /// Whether nothing had happened more often before than by now.
    fn is_sound(&self) -> bool {
        self.intervals.are_sound([Op::Read, Op::Write].map(|op| &self.kinds[op as usize]))
    }

    /// Nothing measured yet.
    #[must_use]
    pub fn new(config: &Config, flows: usize, has_ramps: bool, log: RequestLog) -> Metrics {
        let latency = || Latency::new(config.metrics.digits);
        Metrics {
            all: latency(),
            kinds: std::array::from_fn(|_| latency()),
            sectors: [0; KINDS],
            sectors_taken: 0,
            flows: (0..if flows > 1 { flows } else { 0 })
                .map(|_| FlowMetrics::new(config.metrics.digits))
                .collect(),
            warmup_requests: 0,
            warmup: [Commands::default(); 2],
            failed: [0; STATUSES],
            counts_lost: config.metrics.lost_reads == LostReads::Count,
            breakdown: ReadBreakdown::default(),
            series: Series::new((config.metrics.series_ms * 1e6) as Ns),
            intervals: Intervals::new(),
            next_end: 0,
            has_details: flows > 1 || log.on,
            log,
            is_warming_up: config.host.warmup_requests > 0 || has_ramps,
            warmup_left: config.host.warmup_requests,
            has_ramps,
            began_at: 0,
            window: (0, 0),
        }
    }

    /// The run begins at `now`, on an SSD that has been used before.
    pub fn begin_at(&mut self, now: Ns) {
        self.began_at = now;
        self.window = (now, now);
    }

    /// True where a request that completes now belongs to another sample or interval than those before it: then
    /// [`Metrics::turn`] comes before [`Metrics::completed`].
    #[inline(always)]
    pub fn is_turn(&self, now: Ns) -> bool {
        now >= self.next_end
    }

    /// A sample or an interval is over; a read or a write begins the next one.
    #[inline(never)]
    pub fn turn(&mut self, op: Op, now: Ns, flash: Standing, handles: &[HandleCounters]) {
        if op != Op::Read && !op.writes() {
            return;
        }
        let now = now - self.began_at;
        let totals = self.totals();
        if now >= self.series.end() {
            self.series.begin_sample(now, totals);
        }
        if now >= self.intervals.end() {
            let [read, write] = [Op::Read, Op::Write].map(|op| &self.kinds[op as usize]);
            self.intervals.turn(now, totals, [read, write], flash, handles);
        }
        self.next_end = self.began_at.saturating_add(self.series.end().min(self.intervals.end()));
    }

    /// The device has taken a write.
    #[inline(always)]
    pub fn taken(&mut self, sectors: u32) {
        self.sectors_taken += u64::from(sectors);
    }

    /// Bytes of all writes that the device has taken, those of the warm-up too.
    #[must_use]
    pub fn bytes_taken(&self) -> u64 {
        self.sectors_taken * SECTOR_BYTES
    }

    /// Whether a request that completes now is beyond the warm-up; `is_ramped` where its flow's ramp was over when it
    /// arrived.
    #[must_use]
    pub fn is_counted(&self, is_ramped: bool) -> bool {
        self.warmup_left == 0 && is_ramped
    }

    /// A request of the warm-up is complete; `flash` and `handles` are all that the SSD has done.
    ///
    /// Returns whether the window of what is measured begins now, at the latest so far.
    #[inline(never)]
    pub fn left_out(&mut self, done: &Request, now: Ns, flash: Standing, handles: &[HandleCounters]) -> bool {
        let sectors = done.request.sectors.into();
        match done.request.op.counts_as() {
            Op::Read => self.warmup[0] += Commands { count: 1, sectors },
            Op::Write => self.warmup[1] += Commands { count: 1, sectors },
            _ => {}
        }
        self.warmup_left = self.warmup_left.saturating_sub(1);
        self.warmup_requests += 1;
        self.is_warming_up = self.warmup_left > 0 || self.has_ramps;
        if self.completed_count() > 0 {
            return false;
        }
        self.window = (now, now);
        self.intervals.leave_out(flash, handles);
        self.warmup_left == 0
    }

    /// What is counted begins at `now`; all that is complete belongs to the warm-up. `flash` and `handles` are all that the SSD has done.
    pub fn mark(&mut self, now: Ns, flash: Standing, handles: &[HandleCounters]) {
        self.warmup_requests = self.completed_count() + self.uncounted();
        self.warmup = self.commands();
        self.kinds.iter_mut().for_each(Latency::clear);
        self.flows.iter_mut().for_each(FlowMetrics::clear);
        self.sectors = [0; KINDS];
        self.failed = [0; STATUSES];
        self.breakdown = ReadBreakdown::default();
        self.series = self.series.anew();
        self.intervals = Intervals::new();
        self.intervals.leave_out(flash, handles);
        self.log.entries.clear();
        (self.warmup_left, self.is_warming_up) = (0, self.has_ramps);
        self.next_end = self.began_at;
        self.window = (now, now);
    }

    /// A request beyond the warm-up is complete.
    #[inline(always)]
    pub fn completed(&mut self, done: &Request, now: Ns) {
        self.completed_with(done, Status::Success, now);
    }

    #[inline(always)]
    fn completed_with(&mut self, done: &Request, status: Status, now: Ns) {
        self.window.1 = now;
        // All kinds go the same way: the processor cannot foresee which of them is next.
        let kind = done.request.op.counts_as() as usize;
        let latency = now - done.request.arrival_ns;
        self.kinds[kind].record(latency);
        self.sectors[kind] += u64::from(done.request.sectors);
        if self.has_details {
            self.note_details(done, status, latency, now);
        }
    }

    /// The same for a request that did not succeed. What the device has not carried out has no response time that counts;
    /// where data were lost, that is for `metrics.lost_reads` to say.
    #[inline(never)]
    pub fn failed(&mut self, done: &Request, status: Status, now: Ns) {
        self.failed[status as usize] += 1;
        if self.counts(status) {
            self.completed_with(done, status, now);
        } else if !status.is_carried_out() {
            self.log.add(done, now, status);
        }
    }

    /// Whether response times of requests that end so count.
    fn counts(&self, status: Status) -> bool {
        status.is_carried_out() && (status == Status::Success || self.counts_lost)
    }

    #[inline(never)]
    fn note_details(&mut self, done: &Request, status: Status, latency: Ns, now: Ns) {
        if let Some(flow) = self.flows.get_mut(usize::from(done.flow)) {
            flow.completed(done, latency, now, self.began_at);
        }
        self.log.add(done, now, status);
    }

    /// Requests beyond the warm-up that ended so.
    #[must_use]
    pub fn with_status(&self, status: Status) -> u64 {
        match status {
            Status::Success => {
                let counted = self.failures().filter(|&(status, _)| self.counts(status));
                self.completed_count() - counted.map(|(_, count)| count).sum::<u64>()
            }
            _ => self.failed[status as usize],
        }
    }

    fn failures(&self) -> impl Iterator<Item = (Status, u64)> {
        Status::ALL.into_iter().zip(self.failed)
    }

    /// All reads and writes so far, as one sample.
    fn totals(&self) -> Sample {
        let kinds = [self.read(), self.write()];
        Sample {
            requests: kinds.map(Latency::count),
            bytes: self.bytes(),
            latency: kinds.map(|latency| latency.sum_ns() as u64),
        }
    }

    /// Reads and writes that are complete, those of the warm-up among them.
    #[must_use]
    pub fn commands(&self) -> [Commands; 2] {
        let counted = [Op::Read, Op::Write].map(|op| op as usize);
        std::array::from_fn(|i| {
            let (kind, Commands { count, sectors }) = (counted[i], self.warmup[i]);
            Commands { count: count + self.kinds[kind].count(), sectors: sectors + self.sectors[kind] }
        })
    }

    /// Bytes read and written by the host.
    #[must_use]
    pub fn bytes(&self) -> [u64; 2] {
        [Op::Read, Op::Write].map(|op| self.sectors[op as usize] * SECTOR_BYTES)
    }

    /// Throughput over time: the width of a sample, ns, and all samples from time 0 on.
    #[must_use]
    pub fn series(&self) -> (Ns, Vec<Sample>) {
        (self.series.width(), self.series.samples(self.totals()))
    }

    /// The run in intervals: their width, ns, and all of them from time 0 on; `flash` and `handles` are all that the SSD has
    /// done.
    #[must_use]
    pub fn intervals(&self, flash: Standing, handles: &[HandleCounters]) -> (Ns, Vec<Interval>) {
        let latencies = [self.read(), self.write()];
        (self.intervals.width(), self.intervals.all(self.totals(), latencies, flash, handles))
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

    /// Response times of an operation; an append counts as a write.
    #[must_use]
    pub fn of(&self, op: Op) -> &Latency {
        &self.kinds[op.counts_as() as usize]
    }

    /// Requests of an operation counted so far.
    #[must_use]
    pub fn count_of(&self, op: Op) -> u64 {
        self.kinds[op as usize].count()
    }

    /// Requests counted so far.
    #[must_use]
    pub fn completed_count(&self) -> u64 {
        self.kinds.iter().map(Latency::count).sum()
    }

    /// Requests that are complete and count nowhere.
    #[must_use]
    pub fn uncounted(&self) -> u64 {
        let uncounted = self.failures().filter(|&(status, _)| !self.counts(status)).map(|(_, count)| count);
        self.warmup_requests + uncounted.sum::<u64>()
    }

    /// The run has ended: reads, writes and the rest together are all.
    pub fn finish(&mut self) {
        self.all.clear();
        for kind in &self.kinds {
            self.all.add(kind);
        }
    }

    /// A transaction is done.
    #[inline]
    pub fn transaction(&mut self, txn: &Txn, now: Ns) {
        if txn.class == Class::UserRead {
            let way = &txn.handling;
            debug_assert!(way.created <= way.started && way.started <= way.sensed);
            debug_assert!(way.sensed <= way.shipped && way.shipped <= now, "time never runs back");
            let b = &mut self.breakdown;
            b.reads += 1;
            b.queue += way.started - way.created;
            b.array += way.sensed - way.started;
            b.channel_wait += way.shipped - way.sensed;
            b.transfer += now - way.shipped;
            b.total += now - way.created;
        }
    }
}
