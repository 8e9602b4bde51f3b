//! What is said of a session while it goes on, and when it has ended.

use serde::Serialize;
use wordline_core::Ssd;
use wordline_core::engine::Ns;
use wordline_core::metrics::Latency;
use wordline_run::WrittenBytes;
use wordline_run::result::WallSession;

use crate::clock::Instant;
use crate::device::Answer;

/// A session as it goes on; rates and percentiles are of the time since the status before.
#[derive(Clone, Debug, PartialEq)]
pub struct Status {
    /// Clients that are connected.
    pub clients: usize,
    /// Requests answered so far.
    pub requests: u64,
    /// Requests under way.
    pub queue: usize,
    /// Simulated time, ns.
    pub simulated_ns: Ns,
    /// Requests answered for each second of wall time.
    pub wall_iops: f64,
    /// Requests answered for each simulated second.
    pub iops: f64,
    /// 99th percentile of the response time, us of simulated time.
    pub p99_us: f64,
    /// Bytes programmed for each byte that the host wrote, since the beginning; 0 before the first.
    pub write_amplification: f64,
    /// GC jobs so far.
    pub gc_jobs: u64,
    /// Erases so far.
    pub erases: u64,
    /// Wall seconds that a simulated second takes; 0 in virtual time.
    pub slow_down: f64,
    /// Mean lateness over mean response.
    pub late_share: f64,
}

/// What has happened since the status before.
#[derive(Debug)]
pub(crate) struct Meter {
    since: Instant,
    simulated: Ns,
    recent: Latency,
    pub requests: u64,
}

impl Meter {
    pub fn new(now: Instant) -> Meter {
        Meter { since: now, simulated: 0, recent: Latency::new(2), requests: 0 }
    }

    pub fn add(&mut self, answer: &Answer) {
        self.requests += 1;
        self.recent.record(answer.completed - answer.arrived);
    }

    /// The status now; the next one begins here.
    pub fn status(
        &mut self,
        now: Instant,
        ssd: &Ssd,
        clients: usize,
        slow_down: f64,
        late_share: f64,
    ) -> Status {
        let recent = std::mem::replace(&mut self.recent, Latency::new(2)).summary();
        let wall_s = now.saturating_duration_since(self.since).as_secs_f64();
        let simulated_s = (ssd.now() - self.simulated) as f64 / 1e9;
        let rate = |time_s: f64| if time_s > 0.0 { recent.count as f64 / time_s } else { 0.0 };
        (self.since, self.simulated) = (now, ssd.now());
        let counters = ssd.ftl().counters();
        let bytes = WrittenBytes::of(&ssd.accounts(), &ssd.nand().geometry);
        Status {
            clients,
            requests: self.requests,
            queue: ssd.host().requests.len(),
            simulated_ns: ssd.now(),
            wall_iops: rate(wall_s),
            iops: rate(simulated_s),
            // Of few answers the slowest one.
            p99_us: recent.spread.p99.unwrap_or(recent.spread.max),
            write_amplification: bytes.write_amplification().unwrap_or_default(),
            gc_jobs: counters.gc_jobs,
            erases: counters.erases,
            slow_down,
            late_share,
        }
    }
}

/// A session that has ended.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SessionReport {
    /// What its result says of it.
    #[serde(flatten)]
    pub session: WallSession,
    /// What the user should know.
    pub warnings: Vec<String>,
}
