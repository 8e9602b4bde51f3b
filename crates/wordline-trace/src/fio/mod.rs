//! Requests of fio jobs, as fio itself would make them.
//!
//! A [`FioJob`] is one job of a job file with all its options worked out; [`FioRequests`] yields its requests. Counts,
//! sizes, shares and the distribution of addresses follow fio's documentation and were compared with logs of fio
//! 3.33; the random numbers themselves are Wordline's, so that a seed gives the same requests on every machine.
//!
//! Reading order: `job` (what can be asked), `generate` (one request), `place` (where), `size` (how long),
//! `free_map` (blocks that a random job has not touched).

mod free_map;
mod generate;
mod job;
mod place;
mod size;

pub use generate::FioRequests;
pub use job::{Distribution, FioJob, FioStream, Mix, Zone};
