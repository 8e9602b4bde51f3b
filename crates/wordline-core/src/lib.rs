//! Wordline's core: one SSD, from a host request down to the phases of a flash operation.
//!
//! Start reading at `ssd.rs`: it owns every stage, and is the only place that calls more than one.

pub mod config {
    //! The configuration: plain data that a TOML file describes.

    mod workload;

    pub use workload::{Arrival, Pattern, Phase, SizeDistribution, WorkloadConfig};
}
pub mod host;
