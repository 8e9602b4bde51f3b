//! Where the requests of a flow come from.

use std::sync::Arc;

use schemars::{JsonSchema, Schema};
use serde::Deserialize;
use serde_json::{Map, Value};
use wordline_core::config::WorkloadConfig;
use wordline_trace::fio::FioJob;
use wordline_trace::{TraceError, TraceOptions};

use crate::stream::{Gauge, TraceStream};

/// A source of requests.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(try_from = "Map<String, Value>")]
#[schemars(untagged)]
pub enum FlowRequests {
    /// A trace.
    Trace(Box<Trace>),
    /// A job of fio.
    Fio {
        /// The job of a fio job file.
        fio: Box<Fio>,
    },
    /// A generator.
    Synthetic(Box<Synthetic>),
    /// Clients of `wordline serve`, while the run goes on.
    Live {
        /// True where clients of `wordline serve` ask, while the run goes on.
        live: bool,
    },
}

/// Trace files, and how they are read; nothing is opened yet.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct Trace {
    /// Of a trace its files, which are pieces of one trace in this order.
    pub paths: Vec<String>,
    /// How a trace is read.
    #[serde(rename = "trace", default)]
    pub reading: Reading,
}

/// How a trace is read; what is left out follows from the format.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(transform = optional)]
pub struct Reading {
    /// The format, if it is not to be detected.
    pub format: Option<String>,
    /// The columns of any CSV.
    pub csv_columns: Option<String>,
    /// Which devices of the trace, and where their addresses go.
    pub device: Option<String>,
    /// The event of blkparse that is a request.
    pub event: Option<String>,
    /// What happens to times that go back.
    pub on_time_back: Option<String>,
    /// What happens to requests of zero length.
    pub on_zero_length: Option<String>,
    /// The unit of its times.
    pub time_unit: Option<String>,
    /// Requests to skip at the start.
    #[schemars(extend("x-unit" = "count"))]
    pub skip: Option<u64>,
    /// Largest number of requests, from 1.
    #[schemars(extend("x-unit" = "count"))]
    pub limit: Option<u64>,
    /// Whether addresses beyond the SSD wrap around; if not set, `host.wrap` decides.
    pub wrap: Option<bool>,
    /// How often it is replayed, from 1.
    #[schemars(extend("x-unit" = "count"))]
    pub rounds: Option<u64>,
}

/// A job of a fio job file, for one SSD.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct Fio {
    /// The job file.
    pub file: String,
    /// Separates its random numbers from those of the file's other jobs.
    #[schemars(extend("x-unit" = "index"))]
    pub number: u64,
    /// The file for what the job submits (`write_iolog`); null: none.
    #[serde(default)]
    pub iolog: Option<String>,
    /// The job with all its options.
    #[schemars(with = "Map<String, Value>")]
    pub job: FioJob,
}

/// A synthetic workload.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct Synthetic {
    /// Of a synthetic workload the named one that it begins with; null: the configuration's own.
    #[serde(default)]
    pub preset: Option<String>,
    /// Keys of `[workload]` that were set on top of that.
    #[serde(default)]
    pub settings: Map<String, Value>,
    /// All keys of `[workload]`, as they come to.
    #[schemars(with = "Map<String, Value>")]
    pub workload: WorkloadConfig,
}

/// Leaves out what a trace need not say.
fn optional(schema: &mut Schema) {
    schema.remove("required");
}

impl FlowRequests {
    /// Requests of a generator.
    #[must_use]
    pub fn synthetic(workload: WorkloadConfig) -> FlowRequests {
        FlowRequests::Synthetic(Box::new(Synthetic { preset: None, settings: Map::new(), workload }))
    }
}

impl TryFrom<Map<String, Value>> for FlowRequests {
    type Error = serde_json::Error;

    fn try_from(fields: Map<String, Value>) -> Result<FlowRequests, serde_json::Error> {
        let has = |name: &str| fields.contains_key(name);
        Ok(if has("paths") {
            FlowRequests::Trace(serde_json::from_value(fields.into())?)
        } else if let Some(fio) = fields.get("fio") {
            FlowRequests::Fio { fio: Box::new(Fio::deserialize(fio)?) }
        } else if has("live") {
            FlowRequests::Live { live: true }
        } else {
            FlowRequests::Synthetic(serde_json::from_value(fields.into())?)
        })
    }
}

impl Trace {
    /// A trace from JSON.
    ///
    /// # Errors
    /// If it is none, or an option is not known.
    pub fn read(text: &str) -> Result<Trace, TraceError> {
        let wrong = |error: serde_json::Error| TraceError::Option {
            option: "trace".to_owned(),
            why: error.to_string(),
        };
        let trace: Trace = serde_json::from_str(text).map_err(wrong)?;
        trace.reading.options()?;
        Ok(trace)
    }

    /// Opens the trace as it is, for no device in particular.
    ///
    /// # Errors
    /// If an option is not known, a file cannot be opened, or its format is not known.
    pub fn open(&self, gauge: Arc<Gauge>) -> Result<TraceStream, TraceError> {
        TraceStream::open(
            self.reading.options()?,
            self.paths.clone(),
            self.reading.rounds.unwrap_or(1),
            gauge,
        )
    }

    /// The name of the first file's format, given or detected.
    ///
    /// # Errors
    /// If the file cannot be opened, or its format is not known.
    pub fn format(&self) -> Result<&'static str, TraceError> {
        let mut options = self.reading.options()?;
        let reader = options.own_thread(false).open_all(self.paths.iter().take(1))?;
        Ok(reader.format().name())
    }
}

impl Reading {
    /// The options of the reader.
    fn options(&self) -> Result<TraceOptions, TraceError> {
        let mut options = TraceOptions::new();
        if let Some(columns) = &self.csv_columns {
            options.csv_columns(columns.parse()?);
        }
        if let Some(format) = &self.format {
            options.format(format.parse()?);
        }
        if let Some(device) = &self.device {
            options.device(device.parse()?);
        }
        if let Some(event) = &self.event {
            options.event(event)?;
        }
        if let Some(policy) = &self.on_time_back {
            options.on_time_back(policy.parse()?);
        }
        if let Some(policy) = &self.on_zero_length {
            options.on_zero_length(policy.parse()?);
        }
        if let Some(unit) = &self.time_unit {
            options.time_unit(unit.parse()?);
        }
        if let Some(limit) = self.limit {
            options.limit(limit);
        }
        options.skip(self.skip.unwrap_or(0)).own_thread(true);
        Ok(options)
    }
}
