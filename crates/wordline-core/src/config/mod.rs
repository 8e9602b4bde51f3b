//! The configuration: layers of TOML, resolved into plain data.

mod device;
mod ecc;
mod layers;
mod sections;
mod validate;
mod workload;

pub use device::Device;
pub use layers::{Layer, Origin, Resolved, resolve, resolve_with};
pub use sections::*;
pub use wordline_cells::{Cell, ConfigError, ConfigErrorKind};
pub use workload::{Arrival, Pattern, Phase, SizeDistribution, WorkloadConfig};

/// The layers that document every key and give its default.
const BASE: [(&str, &str); 2] = [
    ("presets/base/ssd.toml", include_str!("../../../../presets/base/ssd.toml")),
    ("presets/base/workload.toml", include_str!("../../../../presets/base/workload.toml")),
];
