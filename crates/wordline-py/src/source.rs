//! Where a flow's requests come from, and how they are opened for one device.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use pyo3::prelude::*;
use wordline_core::config::{Config, HostMode, WorkloadConfig};
use wordline_core::host::{FlowInput, HostRequest, Replay, Source, SourceError};
use wordline_trace::synthetic::{Generator, SyntheticError};
use wordline_trace::{AddressPolicy, TraceError, TraceOptions, WithinDevice};

use crate::config::Configuration;
use crate::errors;
use crate::stream::{Gauge, TraceStream};

/// Requests looked at to see whether a trace carries times.
const PEEKED: usize = 1024;

/// The requests of a flow, one after the other.
pub type OneByOne = Box<dyn Iterator<Item = Result<HostRequest, SourceError>> + Send>;

/// Trace files and how they are read; nothing is opened yet.
#[pyclass(frozen, module = "wordline._core")]
#[derive(Clone)]
pub struct TraceSource {
    paths: Vec<String>,
    options: TraceOptions,
    wrap: Option<bool>,
    rounds: u64,
}

#[pymethods]
impl TraceSource {
    #[new]
    #[pyo3(signature = (paths, *, format=None, csv_columns=None, device=None, on_time_back=None,
                        on_zero_length=None, skip=0, limit=None, wrap=None, rounds=1))]
    #[expect(clippy::too_many_arguments, reason = "keywords of a Python constructor")]
    fn new(
        paths: Vec<String>,
        format: Option<&str>,
        csv_columns: Option<&str>,
        device: Option<&str>,
        on_time_back: Option<&str>,
        on_zero_length: Option<&str>,
        skip: u64,
        limit: Option<u64>,
        wrap: Option<bool>,
        rounds: u64,
    ) -> PyResult<Self> {
        let options = || -> Result<TraceOptions, TraceError> {
            let mut options = TraceOptions::new();
            if let Some(columns) = csv_columns {
                options.csv_columns(columns.parse()?);
            }
            if let Some(format) = format {
                options.format(format.parse()?);
            }
            if let Some(device) = device {
                options.device(device.parse()?);
            }
            if let Some(policy) = on_time_back {
                options.on_time_back(policy.parse()?);
            }
            if let Some(policy) = on_zero_length {
                options.on_zero_length(policy.parse()?);
            }
            if let Some(limit) = limit {
                options.limit(limit);
            }
            options.skip(skip).own_thread(true);
            Ok(options)
        };
        let options = options().map_err(|error| errors::trace(&error))?;
        Ok(Self { paths, options, wrap, rounds })
    }
}

impl TraceSource {
    /// The files, as they were named.
    pub fn paths(&self) -> &[String] {
        &self.paths
    }

    /// Opens the trace as it is, for no device in particular.
    pub fn open(&self, gauge: Arc<Gauge>) -> Result<TraceStream, TraceError> {
        TraceStream::open(self.options.clone(), self.paths.clone(), self.rounds, gauge)
    }
}

/// What makes requests.
#[derive(Clone)]
enum Kind {
    Trace(Box<TraceSource>),
    Synthetic(Box<WorkloadConfig>),
}

/// A flow: a source of requests, and how it is replayed.
#[pyclass(frozen, module = "wordline._core")]
#[derive(Clone)]
pub struct FlowSource {
    pub name: String,
    kind: Kind,
    mode: String,
    queue_depth: Option<u32>,
    weight: u32,
    first_sector: u64,
    sectors: Option<u64>,
    time_scale: f64,
}

#[pymethods]
impl FlowSource {
    #[new]
    #[pyo3(signature = (name, *, trace=None, workload=None, mode="auto", queue_depth=None, weight=1,
                        first_sector=0, sectors=None, time_scale=1.0))]
    #[expect(clippy::too_many_arguments, reason = "keywords of a Python constructor")]
    fn new(
        name: String,
        trace: Option<PyRef<'_, TraceSource>>,
        workload: Option<PyRef<'_, Configuration>>,
        mode: &str,
        queue_depth: Option<u32>,
        weight: u32,
        first_sector: u64,
        sectors: Option<u64>,
        time_scale: f64,
    ) -> PyResult<Self> {
        let kind = match (trace, workload) {
            (Some(trace), None) => Kind::Trace(Box::new(trace.clone())),
            (None, Some(config)) => Kind::Synthetic(Box::new(config.resolved.config.workload.clone())),
            _ => return Err(errors::workload("a flow has a trace or a workload, and not both")),
        };
        let wrong = |what: &str| Err(errors::workload(&format!("flow `{name}`: {what}")));
        if !["auto", "closed", "open"].contains(&mode) {
            return wrong(&format!("mode `{mode}` is not known; it takes auto, closed or open"));
        }
        if queue_depth.is_some_and(|depth| !(1..=65_535).contains(&depth)) {
            return wrong("queue_depth takes 1 to 65535");
        }
        if weight == 0 {
            return wrong("weight takes 1 or more");
        }
        if !(time_scale > 0.0 && time_scale.is_finite()) {
            return wrong("time_scale takes a number above 0");
        }
        Ok(Self { name, kind, mode: mode.to_owned(), queue_depth, weight, first_sector, sectors, time_scale })
    }
}

/// Why a source could not be opened.
pub enum OpenError {
    Trace(TraceError),
    Synthetic(SyntheticError),
    Workload(String),
}

impl OpenError {
    /// As Python sees it.
    pub fn raise(&self) -> PyErr {
        match self {
            Self::Trace(error) => errors::trace(error),
            Self::Synthetic(error) => errors::synthetic(error),
            Self::Workload(message) => errors::workload(message),
        }
    }
}

impl From<TraceError> for OpenError {
    fn from(error: TraceError) -> Self {
        Self::Trace(error)
    }
}

impl From<SyntheticError> for OpenError {
    fn from(error: SyntheticError) -> Self {
        Self::Synthetic(error)
    }
}

/// An opened trace that tells how many requests wrapped around.
struct Wrapping {
    inner: WithinDevice<TraceStream>,
    gauge: Arc<Gauge>,
}

impl Iterator for Wrapping {
    type Item = Result<HostRequest, TraceError>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let item = self.inner.next();
        self.gauge.wrapped.store(self.inner.wrapped(), Ordering::Relaxed);
        item
    }
}

impl FlowSource {
    /// The part of the device that the flow uses, sectors.
    pub fn room(&self, config: &Config) -> Result<u64, OpenError> {
        let capacity = config.host_sectors();
        let behind = capacity.saturating_sub(self.first_sector);
        let room = self.sectors.unwrap_or(behind);
        if room == 0 || room > behind {
            return Err(OpenError::Workload(format!(
                "flow `{}` begins at sector {} and takes {room} sectors, but the SSD has {capacity}; choose a larger SSD, \
                 or a smaller first_sector or sectors",
                self.name, self.first_sector
            )));
        }
        Ok(room)
    }

    /// The requests, for a device of this configuration.
    pub fn requests(&self, config: &Config, gauge: Arc<Gauge>) -> Result<OneByOne, OpenError> {
        Ok(match &self.kind {
            Kind::Trace(trace) => Box::new(self.replayed(trace, config, gauge)?),
            Kind::Synthetic(_) => Box::new(self.generated(config)?.map(Ok)),
        })
    }

    /// The requests of a trace, for a device of this configuration.
    fn replayed(
        &self,
        trace: &TraceSource,
        config: &Config,
        gauge: Arc<Gauge>,
    ) -> Result<impl Iterator<Item = Result<HostRequest, SourceError>> + Send + use<>, OpenError> {
        let wrap = trace.wrap.unwrap_or(config.host.wrap);
        let policy = if wrap { AddressPolicy::Wrap } else { AddressPolicy::Error };
        let inner = WithinDevice::new(trace.open(Arc::clone(&gauge))?, self.room(config)?, policy);
        Ok(Wrapping { inner, gauge }.map(|item| item.map_err(Into::into)))
    }

    /// The flow as a run takes it. The first requests of a trace are read here, so that a file that makes
    /// no sense is found before anything is simulated.
    pub fn input(&self, config: &Config, gauge: Arc<Gauge>) -> Result<FlowInput, OpenError> {
        let (source, timed): (Source, bool) = match &self.kind {
            Kind::Trace(trace) => {
                let mut requests = self.replayed(trace, config, gauge)?;
                let head: Vec<_> = requests.by_ref().take(PEEKED).collect();
                let mut head = head.into_iter();
                if let Some(Err(_)) = head.as_slice().last()
                    && let Some(Err(error)) = head.next_back()
                {
                    return Err(match error.downcast::<TraceError>() {
                        Ok(error) => OpenError::Trace(*error),
                        Err(error) => OpenError::Workload(error.to_string()),
                    });
                }
                let timed = head.as_slice().iter().flatten().any(|request| request.arrival_ns > 0);
                (Box::new(head.chain(requests)), timed)
            }
            Kind::Synthetic(workload) => {
                let timed = workload.inter_arrival_us > 0.0
                    || workload.phases.iter().any(|phase| phase.inter_arrival_us > 0.0);
                (Box::new(self.generated(config)?), timed)
            }
        };
        let depth = self.queue_depth.unwrap_or(config.host.queue_depth);
        let open = match (self.mode.as_str(), config.host.mode) {
            ("open", _) | ("auto", HostMode::Open) => true,
            ("closed", _) | ("auto", HostMode::Closed) => false,
            _ => timed,
        };
        Ok(FlowInput {
            name: self.name.clone(),
            source,
            replay: if open { Replay::Open } else { Replay::Closed { depth } },
            weight: self.weight,
            first_sector: self.first_sector,
            time_scale: self.time_scale * config.host.time_scale,
        })
    }

    /// The requests of a synthetic flow alone.
    pub fn generated(&self, config: &Config) -> Result<Generator, OpenError> {
        let Some(workload) = self.workload() else {
            return Err(OpenError::Workload(format!("flow `{}` is a trace: nothing to generate", self.name)));
        };
        Ok(Generator::new(workload, self.room(config)?, config.seed)?)
    }

    /// First sector of the flow on the device.
    pub fn first_sector(&self) -> u64 {
        self.first_sector
    }

    /// The generator's configuration, where the flow is synthetic.
    pub fn workload(&self) -> Option<&WorkloadConfig> {
        match &self.kind {
            Kind::Trace(_) => None,
            Kind::Synthetic(workload) => Some(workload),
        }
    }

    /// What a reader of the results should know of how the workload was fitted to the device.
    pub fn warning(&self, config: &Config) -> Option<String> {
        let generator = self.generated(config).ok()?;
        let percent = generator.scale() * 100.0;
        (generator.scale() < 1.0)
            .then(|| format!("{}: its footprint is scaled down to {percent:.3} % to fit the SSD", self.name))
    }

    /// Requests that the flow yields, if that is known without reading it.
    pub fn count(&self) -> Option<u64> {
        self.workload().map(|workload| workload.requests)
    }
}
