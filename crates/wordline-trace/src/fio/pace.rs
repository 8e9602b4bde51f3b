//! When the requests of a job arrive.

use super::job::FioJob;
use crate::synthetic::random::Random;

const NS_PER_S: u128 = 1_000_000_000;

/// What decides the next arrival.
#[derive(Clone, Debug, Default)]
pub(super) struct Pace {
    bytes: u64,
    requests: u64,
    /// With `rate_process=poisson`: the last arrival.
    poisson_ns: u64,
}

impl Pace {
    /// The arrival of a request of so many bytes.
    pub fn arrival_ns(&mut self, job: &FioJob, bytes: u64, random: &mut Random) -> u64 {
        if job.poisson && self.requests > 0 {
            let gap_ns = (random.exponential() * job.gap_ns as f64) as u64;
            self.poisson_ns = self.poisson_ns.saturating_add(gap_ns);
        }
        let arrival_ns = self.now_ns(job);
        self.requests += 1;
        self.bytes += bytes;
        arrival_ns
    }

    /// When the next request may arrive.
    pub fn now_ns(&self, job: &FioJob) -> u64 {
        let since_start = if job.poisson {
            self.poisson_ns
        } else if job.bytes_per_s > 0 {
            (u128::from(self.bytes) * NS_PER_S / u128::from(job.bytes_per_s)) as u64
        } else {
            self.requests.saturating_mul(job.gap_ns)
        };
        job.start_ns.saturating_add(since_start)
    }
}
