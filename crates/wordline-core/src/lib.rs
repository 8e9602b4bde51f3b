//! Wordline's core: one SSD, from a host request down to the phases of a flash operation.
//!
//! Start reading at `ssd.rs`: it owns every stage, and is the only place that calls more than one.
//! The core does no I/O, starts no threads, reads no clock and knows no Python.
//!
//! What it takes from `wordline-cells` is imported from there. Names in the signatures of the core's own
//! functions are handed on: [`engine::Ns`] for times, the places and numbers of pages in [`nand`], the errors of [`config`],
//! and the codings of their slot ([`policy::coding`]).

pub mod cache;
pub mod config;
pub mod controller;
pub mod engine;
mod error;
pub mod flash;
pub mod ftl;
pub mod host;
pub mod metrics;
pub mod nand;
mod options;
pub mod parameter;
pub mod policy;
mod ssd;
pub mod zones;

pub use engine::TIME_MAX;
pub use error::SimError;
pub use options::RunOptions;
pub use ssd::{
    Accounts, BlocksInUse, Overwrites, PowerCut, PowerLog, PowerReport, Progress, Ssd, Steady, TimedAging,
};
