//! The presets of the source tree, embedded.

use wordline_core::config::Layer;

include!(concat!(env!("OUT_DIR"), "/presets.rs"));

/// The layer of an SSD preset, such as `pnar2`.
#[must_use]
pub fn ssd(name: &str) -> Option<Layer> {
    layer("ssd", SSD, name)
}

/// The layer of a workload preset, such as `ycsb/c`.
#[must_use]
pub fn workload(name: &str) -> Option<Layer> {
    layer("workloads", WORKLOADS, name)
}

fn layer(folder: &str, presets: &[(&str, &str)], name: &str) -> Option<Layer> {
    let (name, text) = presets.iter().find(|(known, _)| *known == name)?;
    Some(Layer::file(&format!("presets/{folder}/{name}.toml"), text))
}
