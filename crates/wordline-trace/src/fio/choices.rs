//! The random numbers of a job: a sequence for each kind of choice, as in fio, so that what one kind draws moves no other.

use super::job::FioJob;
use crate::synthetic::random::{Random, hash};

/// The sequences that another pass may begin again (`randrepeat`).
#[derive(Clone, Debug)]
pub(super) struct Choices {
    /// Whether a mix reads or writes.
    pub ops: Random,
    /// Uniform places, and those of zones.
    pub places: Random,
    /// Times between arrivals.
    pub gaps: Random,
    /// Sizes, by direction.
    pub sizes: [Random; 3],
    /// Whether a request is random, by direction.
    pub shares: [Random; 3],
}

impl Choices {
    /// Those of a job, which its file numbers.
    pub fn new(job: &FioJob, seed: u64, number: u64) -> Self {
        let of = |purpose: u64| Random::new(hash(job_seed(job, seed, number), purpose));
        Self {
            ops: of(0),
            places: of(1),
            gaps: of(2),
            sizes: [of(3), of(4), of(5)],
            shares: [of(6), of(7), of(8)],
        }
    }
}

/// Skewed places (zipf, pareto, normal): fio goes on with them in each pass.
pub(super) fn skewed(job: &FioJob, seed: u64, number: u64) -> Random {
    Random::new(hash(job_seed(job, seed, number), 9))
}

fn job_seed(job: &FioJob, seed: u64, number: u64) -> u64 {
    hash(hash(seed, number), job.seed)
}
