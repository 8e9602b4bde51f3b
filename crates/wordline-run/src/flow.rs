//! A flow: the source of its requests, its replay, and how it is opened for one device.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use wordline_core::config::{Config, HostMode, WorkloadConfig};
use wordline_core::flash::Priority;
use wordline_core::host::{BoxedRequests, FlowInput, HostRequest, Replay, Rest, SourceError};
use wordline_trace::fio::{FioJob, FioRequests};
use wordline_trace::synthetic::Generator;
use wordline_trace::{AddressPolicy, TraceError, TraceOptions, WithinDevice};

use crate::RunError;
use crate::stream::{Gauge, TraceStream};

/// Requests that are read to find out whether a trace has times.
const PEEKED: usize = 1024;

/// The requests of a flow, one by one.
pub(crate) type OneByOne = Box<dyn Iterator<Item = Result<HostRequest, SourceError>> + Send>;

/// Trace files and their read options; nothing is opened yet.
#[derive(Clone, Debug)]
pub struct Trace {
    /// The files, pieces of one trace.
    pub paths: Vec<String>,
    /// The read options.
    pub options: TraceOptions,
    /// Whether addresses beyond the device wrap around; if not set, `host.wrap` decides.
    pub wrap: Option<bool>,
    /// Number of replays, from 1.
    pub rounds: u64,
}

impl Trace {
    /// Opens the trace as it is, for no device in particular.
    ///
    /// # Errors
    /// If a file cannot be opened, or its format is not known.
    pub fn open(&self, gauge: Arc<Gauge>) -> Result<TraceStream, TraceError> {
        TraceStream::open(self.options.clone(), self.paths.clone(), self.rounds, gauge)
    }
}

/// A source of requests.
#[derive(Clone, Debug)]
pub enum FlowRequests {
    /// A trace.
    Trace(Box<Trace>),
    /// A generator.
    Synthetic(Box<WorkloadConfig>),
    /// A fio job, with a number that separates its random numbers from those of other jobs.
    Fio(Box<FioJob>, u64),
    /// Requests from outside, while the run goes on.
    Live,
}

/// A flow: a source of requests, and the settings of its replay.
#[derive(Clone, Debug)]
pub struct Flow {
    /// The name in results.
    pub name: String,
    /// The source of its requests.
    pub requests: FlowRequests,
    /// Open or closed; `Auto` uses `host.mode`, and then whether the requests have times.
    pub mode: HostMode,
    /// Outstanding requests in closed mode, 1 to 65,535; if not set, `host.queue_depth`.
    pub queue_depth: Option<u32>,
    /// Weight of its submission queue, from 1.
    pub weight: u32,
    /// How urgent its requests are, to a scheduling policy that looks at it.
    pub priority: Priority,
    /// First sector of the flow on the device.
    pub first_sector: u64,
    /// Number of sectors that it uses; if not set, all from the first.
    pub sectors: Option<u64>,
    /// Factor of all times between arrivals, above 0.
    pub time_scale: f64,
    /// If set, requests arrive at their times, but at most the queue depth are outstanding; `mode` is then ignored.
    pub pace: Option<Rest>,
    /// Flows start by group, from 0: each group when the previous one is complete.
    pub group: u32,
    /// Duration of submission, ns; 0: until its requests end.
    pub lasts: u64,
    /// Requests that arrive within this time after the start of the flow are simulated but not counted, ns.
    pub ramp: u64,
}

impl Flow {
    /// A flow that uses the whole device, replayed with the settings in `[host]`.
    #[must_use]
    pub fn new(name: &str, requests: FlowRequests) -> Flow {
        Flow {
            name: name.to_owned(),
            requests,
            mode: HostMode::Auto,
            queue_depth: None,
            weight: 1,
            priority: Priority::High,
            first_sector: 0,
            sectors: None,
            time_scale: 1.0,
            pace: None,
            group: 0,
            lasts: 0,
            ramp: 0,
        }
    }

    /// A flow of the generator in `[workload]` of a configuration.
    #[must_use]
    pub fn synthetic(config: &Config) -> Flow {
        Flow::new(&config.workload.name, FlowRequests::Synthetic(Box::new(config.workload.clone())))
    }

    /// Checks the numbers that do not depend on the SSD.
    ///
    /// # Errors
    /// If a number is out of its range.
    pub fn check(&self) -> Result<(), RunError> {
        let wrong = |what: &str| Err(RunError::Workload(format!("flow `{}`: {what}", self.name)));
        if self.queue_depth.is_some_and(|depth| !(1..=65_535).contains(&depth)) {
            return wrong("queue_depth takes 1 to 65535");
        }
        if self.weight == 0 {
            return wrong("weight takes 1 or more");
        }
        if !(self.time_scale > 0.0 && self.time_scale.is_finite()) {
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

impl Flow {
    /// The size of the flow's part of the device, sectors.
    ///
    /// # Errors
    /// If it does not fit.
    pub fn room(&self, config: &Config) -> Result<u64, RunError> {
        let capacity = config.host_sectors();
        let behind = capacity.saturating_sub(self.first_sector);
        let room = self.sectors.unwrap_or(behind);
        if room == 0 || room > behind {
            return Err(RunError::Workload(format!(
                "flow `{}` begins at sector {} and takes {room} sectors, but the SSD has {capacity}; choose a larger SSD, \
                 or a smaller first_sector or sectors",
                self.name, self.first_sector
            )));
        }
        Ok(room)
    }

    /// The requests, for a device of this configuration.
    pub(crate) fn open(&self, config: &Config, gauge: Arc<Gauge>) -> Result<OneByOne, RunError> {
        Ok(match &self.requests {
            FlowRequests::Trace(trace) => Box::new(self.replayed(trace, config, gauge)?),
            FlowRequests::Synthetic(_) => Box::new(self.generated(config)?.map(Ok)),
            FlowRequests::Fio(job, number) => Box::new(self.of_job(job, *number, config)?.map(Ok)),
            FlowRequests::Live => Box::new(std::iter::empty()),
        })
    }

    /// The requests of a job, for a device of this configuration.
    fn of_job(&self, job: &FioJob, number: u64, config: &Config) -> Result<FioRequests, RunError> {
        self.room(config)?;
        Ok(FioRequests::new(job.clone(), config.seed, number))
    }

    /// The requests of the flow, if no file must be read for them.
    ///
    /// # Errors
    /// If the flow is a trace, or does not fit the device.
    pub fn made_up(&self, config: &Config) -> Result<Box<dyn Iterator<Item = HostRequest> + Send>, RunError> {
        Ok(match &self.requests {
            FlowRequests::Fio(job, number) => Box::new(self.of_job(job, *number, config)?),
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
        let wrap = trace.wrap.unwrap_or(config.host.wrap);
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
            FlowRequests::Live => (Box::new(std::iter::empty()), true),
            FlowRequests::Synthetic(workload) => {
                let timed = workload.inter_arrival_us > 0.0
                    || workload.phases.iter().any(|phase| phase.inter_arrival_us > 0.0);
                (Box::new(self.generated(config)?), timed)
            }
            FlowRequests::Fio(job, number) => (Box::new(self.of_job(job, *number, config)?.map(Ok)), false),
        };
        let depth = self.queue_depth.unwrap_or(config.host.queue_depth);
        let open = match (self.mode, config.host.mode) {
            (HostMode::Open, _) | (HostMode::Auto, HostMode::Open) => true,
            (HostMode::Closed, _) | (HostMode::Auto, HostMode::Closed) => false,
            (HostMode::Auto, HostMode::Auto) => timed,
        };
        let replay = match self.pace {
            Some(rest) => Replay::Paced { depth, rest },
            None if open => Replay::Open,
            None => Replay::Closed { depth },
        };
        Ok(FlowInput {
            weight: self.weight,
            priority: self.priority,
            first_sector: self.first_sector,
            sectors: self.sectors.unwrap_or(u64::MAX),
            time_scale: self.time_scale * config.host.time_scale,
            group: self.group,
            lasts: self.lasts,
            ramp: self.ramp,
            ..FlowInput::new(&self.name, source, replay)
        })
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
            FlowRequests::Trace(_) | FlowRequests::Live | FlowRequests::Fio(..) => None,
            FlowRequests::Synthetic(workload) => Some(workload),
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
