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

/// What a result has to say of the workload behind it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkloadInfo {
    /// Name, such as `msrc/hm_0`.
    pub name: String,
    /// Whether the requests are made up; true for everything that a generator yields.
    pub synthetic: bool,
    /// Where the workload's numbers come from.
    pub source: String,
}

/// What one source publishes of a workload; a key is absent where it says nothing.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Published {
    /// The paper or data set.
    pub paper: String,
    /// Table or section in it.
    pub table: String,
    /// Fraction of requests that read.
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
    /// Keys of this source that the generator does not follow, because another source says otherwise.
    #[serde(default)]
    pub not_followed: Vec<String>,
    /// What else a reader should know.
    #[serde(default)]
    pub note: String,
}

/// A named workload: its generator's configuration, and what is published of it.
#[derive(Clone, Debug, PartialEq)]
pub struct WorkloadPreset {
    /// Name, source, and that it is synthetic.
    pub info: WorkloadInfo,
    /// One entry a source.
    pub published: Vec<Published>,
    /// The generator's keys over their defaults.
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
    /// Parses a preset. `name` is its path below `presets/workloads` without the suffix, such as `msrc/hm_0`, and
    /// is also the name that errors give the file.
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

/// Line of a key of `[workload]`, or of the table where the key is not given (a default clashes with what is).
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
