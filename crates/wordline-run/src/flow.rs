//! A flow: the source of its requests, its replay, and how it is opened for one device. It has one form: this is what a
//! result and a record say of it, and what Python hands over.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use schemars::{JsonSchema, Schema};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use wordline_cells::variation::{Purpose, below};
use wordline_core::config::{Config, HostMode, WorkloadConfig};
use wordline_core::engine::Ns;
use wordline_core::flash::Priority;
use wordline_core::host::{
    BoxedRequests, FlowInput, HostRequest, Namespace, Op, Replay, Requests, Rest, SECTOR_BYTES, SourceError,
};
use wordline_trace::fio::FioRequests;
use wordline_trace::synthetic::Generator;
use wordline_trace::{AddressPolicy, TraceError, WithinDevice};

use crate::RunError;
use crate::source::{Fio, FlowRequests, Trace};
use crate::stream::{Gauge, TraceStream};

/// Requests that are read to find out whether a trace has times.
const PEEKED: usize = 1024;

/// The requests of a flow, one by one.
pub(crate) type OneByOne = Box<dyn Iterator<Item = Result<HostRequest, SourceError>> + Send>;

/// When a flow submits its requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum FlowMode {
    /// As `host.mode` says, and then at the arrival times if the requests have any.
    #[default]
    Auto,
    /// A number of requests is always outstanding.
    Closed,
    /// At the arrival times.
    Open,
    /// At the arrival times, but never more than the queue depth are outstanding; `host.mode` does not matter.
    Paced,
}

/// A flow: a source of requests with its own submission queue, and the settings of its replay.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[schemars(transform = flat)]
pub struct Flow {
    /// Its name in results.
    #[serde(rename = "flow")]
    pub name: String,
    /// The name of its trace, job or workload.
    #[serde(rename = "name", default)]
    pub called: String,
    /// Files, or where the numbers of a synthetic workload come from.
    #[serde(default)]
    pub source: String,
    /// Whether its requests are made up.
    #[serde(default)]
    pub synthetic: bool,
    /// Where its requests come from.
    #[serde(flatten)]
    pub requests: FlowRequests,
    /// When it submits.
    #[serde(default)]
    pub mode: FlowMode,
    /// Requests outstanding in a closed loop, 1 to 65,535; null: `host.queue_depth`.
    #[schemars(extend("x-unit" = "count"))]
    pub queue_depth: Option<u32>,
    /// Its share under weighted arbitration, from 1.
    #[serde(default = "one")]
    #[schemars(extend("x-unit" = "ratio"))]
    pub weight: u32,
    /// How urgent its requests are, to a scheduling policy that looks at it.
    #[serde(default)]
    pub priority: Priority,
    /// Placement handles of its writes, counted from 1: one for all of them, or several in turn; empty: those of the requests, or none.
    #[serde(default)]
    #[schemars(extend("x-unit" = "index"))]
    pub handles: Vec<u16>,
    /// Its handles come at random, each as often, by this seed and that of the run; null: in turn.
    #[schemars(extend("x-unit" = "number"))]
    pub handle_seed: Option<u64>,
    /// Parts of it whose writes name a handle of their own; the first that a write begins in counts. Empty: `handles` says. Writes elsewhere name handle 1.
    #[serde(default)]
    pub handle_ranges: Vec<HandleRange>,
    /// The namespace that its sectors and handles are of; null: those of the SSD.
    pub namespace: Option<FlowNamespace>,
    /// The place of its sector 0 on the SSD, or in its namespace, in sectors of 512 bytes.
    #[serde(default)]
    #[schemars(extend("x-unit" = "sectors"))]
    pub first_sector: u64,
    /// Sectors that it uses; null: all from the first.
    #[schemars(extend("x-unit" = "sectors"))]
    pub sectors: Option<u64>,
    /// Its arrival times are multiplied by this and by `host.time_scale`; above 0; null: 1.
    #[schemars(extend("x-unit" = "ratio"))]
    pub time_scale: Option<f64>,
    /// A paced flow waits after so many requests until nothing is outstanding, and then for so long, ns; null: never.
    #[schemars(extend("x-unit" = "count and ns"))]
    pub rest: Option<(u32, Ns)>,
    /// Flows start by group, from 0: each group when the previous one is complete.
    #[serde(default)]
    #[schemars(extend("x-unit" = "index"))]
    pub group: u32,
    /// It submits for this long; null: until its requests end.
    #[schemars(extend("x-unit" = "s"))]
    pub lasts_s: Option<f64>,
    /// Requests that arrive within this time after its start are simulated but not counted; null: 0.
    #[schemars(extend("x-unit" = "s"))]
    pub ramp_s: Option<f64>,
}

/// A part of a flow whose writes name a placement handle.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HandleRange {
    /// Its first sector of 512 bytes, counted in the flow.
    #[schemars(extend("x-unit" = "sectors"))]
    pub first_sector: u64,
    /// The sector behind its last one.
    #[schemars(extend("x-unit" = "sectors"))]
    pub end_sector: u64,
    /// The handle of writes that begin in it, counted from 1.
    #[schemars(extend("x-unit" = "index"))]
    pub handle: u16,
}

/// A namespace: a part of the SSD with sectors and placement handles of its own.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FlowNamespace {
    /// Its name in results.
    pub name: String,
    /// The place of its sector 0 on the SSD, in sectors of 512 bytes.
    #[schemars(extend("x-unit" = "sectors"))]
    pub first_sector: u64,
    /// Its sectors.
    #[schemars(extend("x-unit" = "sectors"))]
    pub sectors: u64,
    /// The SSD's handles, counted from 1, that its own stand for, in their order; empty: the SSD's.
    #[serde(default)]
    #[schemars(extend("x-unit" = "index"))]
    pub handles: Vec<u16>,
}

impl FlowNamespace {
    pub(crate) fn of_core(&self) -> Namespace {
        let FlowNamespace { name, first_sector, sectors, handles } = self.clone();
        Namespace { name, first_sector, sectors, identifiers: handles }
    }
}

fn one() -> u32 {
    1
}

/// Puts the fields of each source beside the others: each flow has those of one source.
fn flat(schema: &mut Schema) {
    let Some(Value::Array(sources)) = schema.remove("anyOf") else { return };
    let Some(fields) = schema.get_mut("properties").and_then(Value::as_object_mut) else { return };
    for source in sources {
        fields.extend(source["properties"].as_object().cloned().unwrap_or_default());
    }
}

fn parsed<T: DeserializeOwned>(text: &str) -> Result<T, RunError> {
    serde_json::from_str(text).map_err(|error| RunError::Workload(error.to_string()))
}

impl Flow {
    /// A flow that uses the whole device, replayed with the settings in `[host]`.
    #[must_use]
    pub fn new(name: &str, requests: FlowRequests) -> Flow {
        Flow {
            name: name.to_owned(),
            called: String::new(),
            source: String::new(),
            synthetic: false,
            requests,
            mode: FlowMode::Auto,
            queue_depth: None,
            weight: 1,
            priority: Priority::High,
            handles: Vec::new(),
            handle_seed: None,
            handle_ranges: Vec::new(),
            namespace: None,
            first_sector: 0,
            sectors: None,
            time_scale: None,
            rest: None,
            group: 0,
            lasts_s: None,
            ramp_s: None,
        }
    }

    /// A flow of the generator in `[workload]` of a configuration.
    #[must_use]
    pub fn synthetic(config: &Config) -> Flow {
        Flow::new(&config.workload.name, FlowRequests::synthetic(config.workload.clone()))
    }

    /// Flows from a JSON list.
    ///
    /// # Errors
    /// If it is none, or a number is out of its range.
    pub fn read_all(text: &str) -> Result<Vec<Flow>, RunError> {
        parsed::<Vec<Value>>(text)?.into_iter().map(Flow::of).collect()
    }

    /// A flow from JSON.
    ///
    /// # Errors
    /// See [`Flow::read_all`].
    pub fn read(text: &str) -> Result<Flow, RunError> {
        Flow::of(parsed(text)?)
    }

    fn of(value: Value) -> Result<Flow, RunError> {
        let name = value["flow"].as_str().unwrap_or_default().to_owned();
        let flow: Result<Flow, _> = serde_json::from_value(value);
        let flow = flow.map_err(|error| RunError::Workload(format!("flow `{name}`: {error}")))?;
        flow.check()?;
        Ok(flow)
    }

    /// Checks the numbers that do not depend on the SSD.
    fn check(&self) -> Result<(), RunError> {
        let wrong = |what: &str| Err(RunError::Workload(format!("flow `{}`: {what}", self.name)));
        if self.queue_depth.is_some_and(|depth| !(1..=65_535).contains(&depth)) {
            return wrong("queue_depth takes 1 to 65535");
        }
        if self.named_handles().any(|handle| handle == 0) {
            return wrong("handles are counted from 1");
        }
        if let Some(FlowNamespace { name, handles, .. }) = &self.namespace {
            if handles.contains(&0) {
                return wrong(&format!("handles of namespace `{name}` are counted from 1"));
            }
            if let Some(handle) = self.named_handles().find(|&handle| usize::from(handle) > handles.len())
                && !handles.is_empty()
            {
                return wrong(&format!("handle {handle}, but namespace `{name}` has {}", handles.len()));
            }
        }
        if self.weight == 0 {
            return wrong("weight takes 1 or more");
        }
        if self.time_scale.is_some_and(|scale| !(scale > 0.0 && scale.is_finite())) {
            return wrong("time_scale takes a number above 0");
        }
        Ok(())
    }
}

/// An opened trace that counts the requests that wrapped around.
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

/// What a write names that begins in none of the ranges of its flow.
const DEFAULT_HANDLE: u16 = 1;

/// Requests whose writes name a placement handle each.
struct Placed {
    source: BoxedRequests,
    flow: Flow,
    seed: u64,
    writes: usize,
}

impl Requests for Placed {
    fn take_batch(&mut self, batch: &mut [HostRequest]) -> (usize, Result<(), SourceError>) {
        let taken = self.source.take_batch(batch);
        for request in batch[..taken.0].iter_mut().filter(|request| request.op == Op::Write) {
            request.hint = self.flow.handle_of(request.sector, self.writes, self.seed);
            self.writes += 1;
        }
        taken
    }
}

impl Flow {
    /// Sectors of its namespace, or of the device.
    fn capacity(&self, config: &Config) -> Result<u64, RunError> {
        let of_device = config.host_sectors();
        let Some(FlowNamespace { name, first_sector, sectors, .. }) = &self.namespace else {
            return Ok(of_device);
        };
        let behind = of_device.saturating_sub(*first_sector);
        if *sectors == 0 || *sectors > behind {
            return Err(RunError::Workload(format!(
                "namespace `{name}` begins at sector {first_sector} and takes {sectors}, but the SSD has {of_device}; choose a larger SSD, \
                 or a smaller namespace"
            )));
        }
        Ok(*sectors)
    }

    /// The place of its sector 0 on the SSD.
    pub(crate) fn begins_at(&self) -> u64 {
        self.first_sector + self.namespace.as_ref().map_or(0, |part| part.first_sector)
    }

    /// The SSD's placement identifier for a handle of the flow; 0 for none.
    pub(crate) fn identifier(&self, handle: u16) -> u16 {
        self.namespace.as_ref().map_or(handle, |part| part.of_core().identifier(handle))
    }

    /// The size of the flow's part of the device, sectors.
    ///
    /// # Errors
    /// If it does not fit.
    pub fn room(&self, config: &Config) -> Result<u64, RunError> {
        let capacity = self.capacity(config)?;
        let behind = capacity.saturating_sub(self.first_sector);
        let room = self.sectors.unwrap_or(behind);
        if room == 0 || room > behind {
            return Err(RunError::Workload(format!(
                "flow `{}` begins at sector {} and takes {room} sectors, but {} has {capacity}; choose a larger SSD, \
                 or a smaller first_sector or sectors",
                self.name,
                self.first_sector,
                self.namespace
                    .as_ref()
                    .map_or("the SSD".to_owned(), |part| format!("namespace `{}`", part.name)),
            )));
        }
        Ok(room)
    }

    /// The requests, for a device of this configuration.
    pub(crate) fn open(&self, config: &Config, gauge: Arc<Gauge>) -> Result<OneByOne, RunError> {
        Ok(match &self.requests {
            FlowRequests::Trace(trace) => Box::new(self.replayed(trace, config, gauge)?),
            FlowRequests::Synthetic(_) => Box::new(self.generated(config)?.map(Ok)),
            FlowRequests::Fio { fio } => Box::new(self.of_job(fio, config)?.map(Ok)),
            FlowRequests::Live { .. } => Box::new(std::iter::empty()),
        })
    }

    /// The requests of a job, for a device of this configuration.
    fn of_job(&self, fio: &Fio, config: &Config) -> Result<FioRequests, RunError> {
        self.room(config)?;
        let mut job = fio.job.clone();
        if let (Some(zbd), Some(shape)) = (&mut job.zbd, config.zone_shape()) {
            zbd.written = vec![0; shape.count as usize];
            for (zone, sectors) in shape.filled(config.filled_share()) {
                zbd.written[zone as usize] = sectors * SECTOR_BYTES;
            }
        }
        Ok(FioRequests::new(job, config.seed, fio.number))
    }

    /// The requests of the flow, if no file must be read for them.
    ///
    /// # Errors
    /// If the flow is a trace, or does not fit the device.
    pub fn made_up(&self, config: &Config) -> Result<Box<dyn Iterator<Item = HostRequest> + Send>, RunError> {
        Ok(match &self.requests {
            FlowRequests::Fio { fio } => Box::new(self.of_job(fio, config)?),
            _ => Box::new(self.generated(config)?),
        })
    }

    /// The requests of a trace, for a device of this configuration.
    fn replayed(
        &self,
        trace: &Trace,
        config: &Config,
        gauge: Arc<Gauge>,
    ) -> Result<impl Iterator<Item = Result<HostRequest, SourceError>> + Send + use<>, RunError> {
        let wrap = trace.reading.wrap.unwrap_or(config.host.wrap);
        let policy = if wrap { AddressPolicy::Wrap } else { AddressPolicy::Error };
        let inner = WithinDevice::new(trace.open(Arc::clone(&gauge))?, self.room(config)?, policy);
        Ok(Wrapping { inner, gauge }.map(|item| item.map_err(Into::into)))
    }

    /// Opens the flow for a run. This reads the first requests of a trace, so that an invalid file is found before the
    /// simulation.
    ///
    /// # Errors
    /// If a file cannot be read, or the flow does not fit the device.
    pub fn input(&self, config: &Config, gauge: Arc<Gauge>) -> Result<FlowInput, RunError> {
        let (source, timed): (BoxedRequests, bool) = match &self.requests {
            FlowRequests::Trace(trace) => {
                let mut requests = self.replayed(trace, config, gauge)?;
                let head: Vec<_> = requests.by_ref().take(PEEKED).collect();
                let mut head = head.into_iter();
                if let Some(Err(_)) = head.as_slice().last()
                    && let Some(Err(error)) = head.next_back()
                {
                    return Err(RunError::of_source(error));
                }
                let timed = head.as_slice().iter().flatten().any(|request| request.arrival_ns > 0);
                (Box::new(head.chain(requests)), timed)
            }
            FlowRequests::Live { .. } => (Box::new(std::iter::empty()), true),
            FlowRequests::Synthetic(source) => {
                let workload = &source.workload;
                let timed = workload.inter_arrival_us > 0.0
                    || workload.phases.iter().any(|phase| phase.inter_arrival_us > 0.0);
                (Box::new(self.generated(config)?), timed)
            }
            FlowRequests::Fio { fio } => (Box::new(self.of_job(fio, config)?.map(Ok)), false),
        };
        let source = self.placed(source, config.seed);
        let depth = self.queue_depth.unwrap_or(config.host.queue_depth);
        let replay = match (self.mode, config.host.mode) {
            (FlowMode::Paced, _) => {
                let (every, pause) = self.rest.unwrap_or_default();
                Replay::Paced { depth, rest: Rest { every, pause } }
            }
            (FlowMode::Open, _) | (FlowMode::Auto, HostMode::Open) => Replay::Open,
            (FlowMode::Closed, _) | (FlowMode::Auto, HostMode::Closed) => Replay::Closed { depth },
            (FlowMode::Auto, HostMode::Auto) if timed => Replay::Open,
            (FlowMode::Auto, HostMode::Auto) => Replay::Closed { depth },
        };
        let ns = |time_s: Option<f64>| (time_s.unwrap_or_default() * 1e9).round_ties_even() as Ns;
        Ok(FlowInput {
            weight: self.weight,
            priority: self.priority,
            handle: self.named_handles().next().unwrap_or_default(),
            namespace: self.namespace.as_ref().map(FlowNamespace::of_core),
            first_sector: self.first_sector,
            sectors: self
                .sectors
                .or_else(|| self.namespace.as_ref().map(|part| part.sectors))
                .unwrap_or(u64::MAX),
            time_scale: self.time_scale.unwrap_or(1.0) * config.host.time_scale,
            group: self.group,
            lasts: ns(self.lasts_s),
            ramp: ns(self.ramp_s),
            is_logged: self.iolog().is_some(),
            ..FlowInput::new(&self.name, source, replay)
        })
    }

    /// The same requests; where the flow has several placement handles, each write names one.
    pub(crate) fn placed(&self, source: BoxedRequests, seed: u64) -> BoxedRequests {
        if self.handles.len() < 2 && self.handle_ranges.is_empty() {
            return source;
        }
        Box::new(Placed { source, flow: self.clone(), seed, writes: 0 })
    }

    /// The placement handle of a write at a sector of the flow, which comes after so many others in a run of this seed; 0: none.
    pub(crate) fn handle_of(&self, sector: u64, writes: usize, seed: u64) -> u16 {
        if self.handle_ranges.is_empty() {
            let count = self.handles.len().max(1);
            let place = match self.handle_seed {
                Some(own) => {
                    below(seed ^ own.rotate_left(32), writes as u64, Purpose::HandleChoice, count as u64)
                        as usize
                }
                None => writes % count,
            };
            return self.handles.get(place).copied().unwrap_or_default();
        }
        let range =
            self.handle_ranges.iter().find(|range| (range.first_sector..range.end_sector).contains(&sector));
        range.map_or(DEFAULT_HANDLE, |range| range.handle)
    }

    /// The handles that its writes may name.
    pub(crate) fn named_handles(&self) -> impl Iterator<Item = u16> {
        let missed = (!self.handle_ranges.is_empty()).then_some(DEFAULT_HANDLE);
        self.handles.iter().copied().chain(self.handle_ranges.iter().map(|range| range.handle)).chain(missed)
    }

    /// The file for what the flow submits.
    #[must_use]
    pub fn iolog(&self) -> Option<&str> {
        match &self.requests {
            FlowRequests::Fio { fio } => fio.iolog.as_deref(),
            _ => None,
        }
    }

    /// Its requests come at times of their own, if they have any.
    pub(crate) fn keeps_times(&self, config: &Config) -> bool {
        match self.mode {
            FlowMode::Open | FlowMode::Paced => true,
            FlowMode::Closed => false,
            FlowMode::Auto => config.host.mode != HostMode::Closed,
        }
    }

    /// The requests of a synthetic flow alone.
    ///
    /// # Errors
    /// If the flow is a trace, or does not fit the device.
    pub fn generated(&self, config: &Config) -> Result<Generator, RunError> {
        let Some(workload) = self.workload() else {
            return Err(RunError::Workload(format!("flow `{}` is not a synthetic workload", self.name)));
        };
        Ok(Generator::new(workload, self.room(config)?, config.seed)?)
    }

    /// The generator's configuration, if the flow is synthetic.
    #[must_use]
    pub fn workload(&self) -> Option<&WorkloadConfig> {
        match &self.requests {
            FlowRequests::Trace(_) | FlowRequests::Live { .. } | FlowRequests::Fio { .. } => None,
            FlowRequests::Synthetic(source) => Some(&source.workload),
        }
    }

    /// A warning for the results if the workload was scaled to fit the device.
    #[must_use]
    pub fn warning(&self, config: &Config) -> Option<String> {
        let generator = self.generated(config).ok()?;
        let percent = generator.scale() * 100.0;
        (generator.scale() < 1.0)
            .then(|| format!("{}: its footprint is scaled down to {percent:.3} % to fit the SSD", self.name))
    }

    /// The number of requests of the flow, if it is known without reading it.
    #[must_use]
    pub fn count(&self) -> Option<u64> {
        self.workload().map(|workload| workload.requests)
    }
}
