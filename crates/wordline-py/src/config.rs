//! Layers of TOML in, one configuration out.

use std::collections::BTreeMap;

use pyo3::prelude::*;
use serde_json::Value;
use wordline_core::config::{self, Layer, Origin, Resolved, resolve_with};
use wordline_run::coding;

use crate::{bug, errors};

/// A resolved configuration; immutable.
#[pyclass(frozen, module = "wordline._core")]
pub struct Configuration {
    pub resolved: Resolved,
}

#[pymethods]
impl Configuration {
    /// Lays `(name, text, has_lines, warns)` layers over each other and over the built-in base.
    #[new]
    fn new(layers: Vec<(String, String, bool, bool)>) -> PyResult<Self> {
        let layers: Vec<_> = layers
            .into_iter()
            .map(|(name, text, has_lines, warns)| Layer { name, text, has_lines, warns })
            .collect();
        let read = |path: &str| {
            std::fs::read_to_string(path).map_err(|error| format!("cannot read {path}: {error}"))
        };
        let resolved = bug::caught(|| resolve_with(&layers, &read))?;
        resolved.map(|resolved| Self { resolved }).map_err(|error| errors::config(&error))
    }

    /// The whole configuration as TOML: sections and keys in alphabetical order, every key there, and every number in
    /// the one way of its type, so that equal configurations are equal texts.
    fn to_toml(&self) -> PyResult<String> {
        let table = toml::Table::try_from(&self.resolved.config).map_err(errors::unexpected)?;
        toml::to_string(&table).map_err(errors::unexpected)
    }

    /// Dotted key to `(layer, line or 0, comment)`.
    fn origins(&self) -> BTreeMap<String, (String, usize, String)> {
        let origin =
            |(key, o): (&String, &Origin)| (key.clone(), (o.layer.clone(), o.line, o.comment.clone()));
        self.resolved.origins.iter().map(origin).collect()
    }

    /// Keys that the user set and that other keys switch off, one line each.
    fn warnings(&self) -> Vec<String> {
        self.resolved.warnings.clone()
    }

    /// Sectors of 512 bytes that the host sees.
    fn host_sectors(&self) -> u64 {
        self.resolved.config.host_sectors()
    }

    /// The coding with some pages of a wordline invalid (by name or number from 1), as JSON.
    fn coding(&self, invalid: Vec<String>) -> PyResult<String> {
        let config = &self.resolved.config;
        let gray = config.coding.scheme.resolve(config.coding.cell).gray();
        let set = coding::pages(&gray, &invalid).map_err(|message| errors::wrong_value(&message))?;
        Ok(coding::document(config, set).to_string())
    }
}

/// Takes `preset = "name"` out of the top of a file: the name, its line, and the text without it, every
/// other line where it was. TOML that does not parse is left for the resolver to complain of.
#[pyfunction]
pub fn split_preset(text: &str) -> (Option<String>, usize, String) {
    let unchanged = || (None, 0, text.to_owned());
    let Ok(document) = text.parse::<toml_edit::Document<String>>() else { return unchanged() };
    let Some((key, item)) = document.as_table().get_key_value("preset") else { return unchanged() };
    let (Some(name), Some(from), Some(to)) = (item.as_str(), key.span(), item.span()) else {
        return unchanged();
    };
    let blank: String = text[from.start..to.end].chars().filter(|&c| c == '\n').collect();
    let rest = format!("{}{blank}{}", &text[..from.start], &text[to.end..]);
    (Some(name.to_owned()), text[..from.start].matches('\n').count() + 1, rest)
}

/// The layer of an option `key=value`: its name and its text.
#[pyfunction]
pub fn assignment(text: &str) -> PyResult<(String, String)> {
    Layer::assignment(text).map(|layer| (layer.name, layer.text)).map_err(|error| errors::config(&error))
}

/// Every key of a configuration in order, as JSON: its declaration, its default, and its comment.
#[pyfunction]
pub fn parameters() -> String {
    let rows: Vec<Value> = config::parameters()
        .iter()
        .map(|row| {
            let mut said = serde_json::to_value(row).unwrap_or_default();
            said["values"] = row.parameter.values().into();
            said["comment"] = row.parameter.comment().into();
            said
        })
        .collect();
    Value::from(rows).to_string()
}

/// Name and text of each file of `presets/base`.
#[pyfunction]
pub fn base_files() -> Vec<(&'static str, String)> {
    config::base_files()
}
