//! The configuration: layers of TOML, resolved into plain data.

mod base;
mod check;
mod device;
mod ecc;
mod externals;
mod fdp;
mod journal;
mod layer;
mod layers;
mod made;
mod model;
mod modes;
mod numbers;
mod problem;
mod sections;
mod size;
mod streams;
mod thresholds;
mod together;
mod validate;
mod workload;
mod zones;

pub use base::{base_files, parameters};
pub use device::Device;
pub use externals::WantedExternal;
pub use layer::{Layer, Origin};
pub use layers::{Resolved, resolve, resolve_with};
pub use model::Model;
pub use sections::*;
pub use size::{Capacity, FreeBlocks, Scale};
pub use thresholds::GcThresholds;
pub use together::{refusals, refused_keys};
pub use wordline_cells::{ConfigError, ConfigErrorKind};
pub use workload::{ArrivalProcess, Pattern, SizeDistribution, WorkloadConfig, WorkloadPhase};
