//! The presets that come with Wordline.

use pyo3::pyfunction;
use wordline_run::presets::{SSD, WORKLOADS};

/// Name and TOML text of every SSD preset.
#[pyfunction]
pub fn ssd_presets() -> Vec<(&'static str, &'static str)> {
    SSD.to_vec()
}

/// Name and TOML text of every workload preset.
#[pyfunction]
pub fn workload_presets() -> Vec<(&'static str, &'static str)> {
    WORKLOADS.to_vec()
}

/// Every policy, as JSON: slot, key, part, name, help and its own keys.
#[pyfunction]
pub fn policies() -> String {
    serde_json::json!(wordline_core::policy::list()).to_string()
}
