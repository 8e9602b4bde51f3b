//! Workloads as TOML files: published numbers with their source, and the generator's keys.
//!
//! ```toml
//! source = "where the workload comes from"
//!
//! [[published]]
//! paper = "pnar2"
//! table = "Table 2"
//! read_ratio = 0.36
//!
//! [workload]
//! read_ratio = 0.36
//! ```

use serde::Deserialize;
use wordline_core::config::WorkloadConfig;

use super::error::SyntheticError;
use super::validate::validate;

/// Information about the workload in a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkloadInfo {
    /// Name, such as `msrc/hm_0`.
    pub name: String,
    /// Whether the requests are generated; true for everything from a generator.
    pub synthetic: bool,
    /// The source of the workload's numbers.
    pub source: String,
}

/// The published values of a workload in one source; a key is absent if the source does not give it.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Published {
    /// The paper or data set.
    pub paper: String,
    /// The table or section in it.
    pub table: String,
    /// Fraction of requests that are reads.
    pub read_ratio: Option<f64>,
    /// Fraction of reads whose page the run never writes.
    pub cold_ratio: Option<f64>,
    /// Mean request size, bytes (the papers' KB is 1,024 bytes).
    pub size_mean_bytes: Option<f64>,
    /// Mean size of reads, bytes.
    pub read_size_mean_bytes: Option<f64>,
    /// Mean size of writes, bytes.
    pub write_size_mean_bytes: Option<f64>,
    /// Fraction of the bytes that are read.
    pub read_data_ratio: Option<f64>,
    /// Mean time between arrivals, us.
    pub inter_arrival_us: Option<f64>,
    /// Fraction of MSB reads whose LSB or CSB is invalid (IDA, Table III).
    pub msb_invalid_ratio: Option<f64>,
    /// Fraction of a refreshed block's pages that are valid (IDA, Table IV).
    pub valid_page_ratio: Option<f64>,
    /// Requests in the whole trace.
    pub requests: Option<u64>,
    /// Keys of this source that the generator ignores, because another source gives other values.
    #[serde(default)]
    pub not_followed: Vec<String>,
    /// Further remarks.
    #[serde(default)]
    pub note: String,
}

/// A named workload: its generator's configuration, and its published values.
#[derive(Clone, Debug, PartialEq)]
pub struct WorkloadPreset {
    /// Name, source, and the flag `synthetic`.
    pub info: WorkloadInfo,
    /// One entry per source.
    pub published: Vec<Published>,
    /// The generator's keys, on top of their defaults.
    pub workload: WorkloadConfig,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PresetFile {
    source: String,
    #[serde(default)]
    published: Vec<Published>,
    workload: WorkloadConfig,
}

impl WorkloadPreset {
    /// Parses a preset. `name` is its path below `presets/workloads` without the suffix, such as `msrc/hm_0`; error
    /// messages use it as the file name.
    ///
    /// # Errors
    /// [`SyntheticError::Preset`] with file and line, for TOML that does not parse, an unknown key and a value
    /// out of its range.
    pub fn parse(name: &str, toml_text: &str) -> Result<Self, SyntheticError> {
        let fail = |line, message| SyntheticError::Preset { file: format!("{name}.toml"), line, message };
        let file: PresetFile = toml::from_str(toml_text).map_err(|error| {
            let start = error.span().map_or(0, |span| span.start.min(toml_text.len()));
            fail(toml_text[..start].matches('\n').count() + 1, error.message().trim().replace('\n', ", "))
        })?;
        let mut workload = file.workload;
        if workload.name == WorkloadConfig::default().name {
            workload.name = name.into();
        }
        validate(&workload).map_err(|error| {
            let line = match &error {
                SyntheticError::Range { key, .. } => line_of(toml_text, key),
                _ => 1,
            };
            fail(line, error.to_string())
        })?;
        let info = WorkloadInfo { name: name.into(), synthetic: true, source: file.source };
        Ok(Self { info, published: file.published, workload })
    }
}

/// The line of a key of `[workload]`, or of the table if the key is not given (a default conflicts with a given key).
fn line_of(toml_text: &str, key: &str) -> usize {
    let key = key.rsplit('.').next().unwrap_or(key);
    let lines = || (1..).zip(toml_text.lines()).skip_while(|(_, line)| line.trim() != "[workload]");
    let has_key = |line: &str| line.split('=').next().is_some_and(|left| left.trim() == key);
    lines()
        .find(|(_, line)| has_key(line))
        .or_else(|| lines().find(|(_, line)| line.contains(key)))
        .or_else(|| lines().next())
        .map_or(1, |(number, _)| number)
}
