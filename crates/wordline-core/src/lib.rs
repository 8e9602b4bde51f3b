//! Wordline's core: one SSD, from a host request down to the phases of a flash operation.
//!
//! Start reading at `ssd.rs`: it owns every stage, and is the only place that calls more than one.

pub mod host;
