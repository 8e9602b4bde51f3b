//! Synthetic workloads: patterns like fio's, and imitations of the traces that papers use.
//!
//! A [`Generator`] is an iterator of [`HostRequest`](wordline_core::host::HostRequest)s, built from a
//! [`WorkloadConfig`](wordline_core::config::WorkloadConfig), a capacity and a seed. These three give the same requests
//! on every machine: random numbers are integers of xoshiro256++, and the few real functions come from `libm`, never
//! from the platform.
//!
//! Reading order: `generator` (one request), `address` (places), `size` (lengths), `arrival` (times), `written` (reads
//! of written places), `uniform` (the simplest requests, many at once), `updates` (the phase before the run), `writes` (writes alone, also
//! before the run), `preset`
//! (TOML files).

mod address;
mod arrival;
mod error;
mod generator;
mod layout;
mod preset;
pub(crate) mod random;
mod scatter;
mod size;
mod uniform;
mod updates;
mod validate;
mod writes;
mod written;
mod zipf;

pub use error::SyntheticError;
pub use generator::Generator;
pub use preset::{Published, WorkloadInfo, WorkloadPreset};
pub use updates::UpdatePhase;
pub use validate::validate;
pub use writes::{Writes, write_share, written_alike};
