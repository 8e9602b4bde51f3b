//! Requests of fio jobs, as fio would issue them.
//!
//! A [`FioJob`] is one job of a job file with all its options resolved; [`FioRequests`] yields its requests. Counts,
//! sizes, shares and the distribution of addresses follow fio's documentation and were compared with logs of fio 3.33.
//! The random numbers are Wordline's own, so that a seed gives the same requests on every machine.
//!
//! Reading order: `job` (options), `generate` (passes, and one request), `choices` (random numbers), `direction` (sequential places), `place` (random
//! ones), `size` (lengths), `pace` (arrivals), `free_map` (blocks that a random job has not touched), `zbd` (jobs on zones).

mod choices;
mod direction;
mod free_map;
mod generate;
mod job;
mod pace;
mod place;
mod size;
mod zbd;

pub use generate::FioRequests;
pub use job::{Distribution, FioJob, FioStream, Mix, Zone};
pub use zbd::Zbd;
