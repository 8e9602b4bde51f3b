//! Resolves layers of TOML to one configuration.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read};

use pyo3::prelude::*;
use wordline_core::config::{self, Layer, Origin, Resolved, resolve_with};
use wordline_run::{coding, live_conflicts, presets};

use crate::{bug, errors};

/// A chip or a table of measurements is smaller.
const FILE_BYTES_MAX: u64 = 16 << 20;

/// Reads a file that a key names. A device or a pipe may never end.
fn read_file(path: &str) -> io::Result<String> {
    let wrong = |what: &str| io::Error::new(io::ErrorKind::InvalidInput, what);
    if !fs::metadata(path)?.is_file() {
        return Err(wrong("is no file"));
    }
    let mut text = String::new();
    if File::open(path)?.take(FILE_BYTES_MAX + 1).read_to_string(&mut text)? as u64 > FILE_BYTES_MAX {
        return Err(wrong("larger than 16 MiB, so neither a chip nor a table"));
    }
    Ok(text)
}

/// A resolved configuration; immutable.
#[pyclass(frozen, module = "wordline._core")]
pub struct Configuration {
    pub resolved: Resolved,
}

#[pymethods]
impl Configuration {
    /// Stacks `(name, text, has_lines, warns)` layers on each other and on the built-in base.
    #[new]
    fn new(layers: Vec<(String, String, bool, bool)>) -> PyResult<Self> {
        let layers: Vec<_> = layers
            .into_iter()
            .map(|(name, text, has_lines, warns)| Layer { name, text, has_lines, warns })
            .collect();
        let read = |path: &str| read_file(path).map_err(|error| format!("cannot read {path}: {error}"));
        let resolved = bug::caught(|| resolve_with(&layers, &read))?;
        resolved.map(|resolved| Self { resolved }).map_err(|error| errors::config(&error))
    }

    /// The whole configuration as TOML: sections and keys in alphabetical order, with every key, and one notation for
    /// every number of a type. So equal configurations have equal texts.
    fn to_toml(&self) -> PyResult<String> {
        let table = toml::Table::try_from(&self.resolved.written).map_err(errors::unexpected)?;
        toml::to_string(&table).map_err(errors::unexpected)
    }

    /// The same as JSON, which Python reads ten times as fast.
    fn to_json(&self) -> PyResult<String> {
        json(&self.resolved.written)
    }

    /// The SSD that is simulated, as JSON: with `ssd.capacity` and `ssd.scale` carried out.
    fn simulated_json(&self) -> PyResult<String> {
        json(&self.resolved.config)
    }

    /// What `ssd.capacity` and `ssd.scale` have changed, and what they have not, a line each.
    fn model(&self) -> Vec<String> {
        self.resolved.config.model.lines().to_vec()
    }

    /// Dotted key to `(layer, line or 0, comment)`.
    fn origins(&self) -> BTreeMap<String, (String, usize, String)> {
        let origin =
            |(key, o): (&String, &Origin)| (key.clone(), (o.layer.clone(), o.line, o.comment.clone()));
        self.resolved.origins.iter().map(origin).collect()
    }

    /// Keys that the user set and that other keys disable, one line each.
    fn warnings(&self) -> Vec<String> {
        self.resolved.warnings.clone()
    }

    /// Sectors of 512 bytes that the host sees.
    fn host_sectors(&self) -> u64 {
        self.resolved.config.host_sectors()
    }

    /// What does not go with live requests: each key, and why.
    fn live_conflicts(&self) -> Vec<(&'static str, &'static str)> {
        live_conflicts(&self.resolved.config)
    }

    /// Number of zones, bytes from zone to zone, of a zone that can be written and of a block, and zones that may be open.
    fn zones(&self) -> Option<(u32, u64, u64, u64, u32)> {
        let bytes = |sectors: u64| sectors * wordline_core::host::SECTOR_BYTES;
        let shape = self.resolved.config.zone_shape()?;
        Some((shape.count, bytes(shape.size), bytes(shape.capacity), bytes(shape.block), shape.max_open))
    }

    /// The coding with some pages of a wordline invalid (by name or number from 1), as JSON.
    fn coding(&self, invalid: Vec<String>) -> PyResult<String> {
        let document = coding::document(&self.resolved.config, &invalid).map_err(errors::wrong_value)?;
        Ok(document.to_string())
    }
}

/// A configuration as JSON.
fn json(config: &config::Config) -> PyResult<String> {
    let table = toml::Table::try_from(config).map_err(errors::unexpected)?;
    serde_json::to_string(&table).map_err(errors::unexpected)
}

/// Removes `preset = "name"` from the top of a file. Returns the name, its line (0 without one), and the text without
/// it; all other lines keep their numbers.
#[pyfunction]
pub fn split_preset(text: &str) -> (Option<String>, usize, String) {
    match presets::split(text) {
        Some(split) => (Some(split.name), split.line, split.rest),
        None => (None, 0, text.to_owned()),
    }
}

/// The layer of an option `key=value`: its name and its text.
#[pyfunction]
pub fn assignment(text: &str) -> PyResult<(String, String)> {
    Layer::assignment(text).map(|layer| (layer.name, layer.text)).map_err(|error| errors::config(&error))
}

/// The number of a text with a suffix, such as `16k`: of a size if `unit` is `bytes`, else of a count.
#[pyfunction]
pub fn number(text: &str, unit: &str) -> Option<f64> {
    wordline_core::parameter::number(text, unit)
}

/// Every key of a configuration in order, as JSON: its declaration, its default, and its comment.
#[pyfunction]
pub fn parameters() -> String {
    wordline_run::parameters::document().to_string()
}

/// What does not go together: a key and what it does, another, and what that does.
#[pyfunction]
pub fn refusals() -> Vec<[String; 4]> {
    config::refusals().collect()
}

/// Name and text of each file of `presets/base`.
#[pyfunction]
pub fn base_files() -> Vec<(&'static str, String)> {
    config::base_files()
}
