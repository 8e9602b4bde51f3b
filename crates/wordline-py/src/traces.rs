//! Traces and generated requests without an SSD: measured, and written to files.

use std::sync::Arc;

use pyo3::prelude::*;
use wordline_run::{Gauge, Report, RunError};
use wordline_trace::convert::{Existing, OutputFormat, check_target, convert};
use wordline_trace::stat::StatCollector;
use wordline_trace::{Format, StatOptions, TraceError, TraceRequest};

use crate::config::Configuration;
use crate::source::{FlowSource, TraceSource};
use crate::watch::Watch;
use crate::{bug, errors};

/// Requests between two looks at the clock.
const REQUESTS_PER_LOOK: u64 = 1 << 14;

/// Names of the trace formats that can be read, each with what it is.
#[pyfunction]
pub fn trace_formats() -> Vec<(&'static str, &'static str)> {
    Format::ALL.map(|format| (format.name(), format.help())).to_vec()
}

/// Names of the trace formats that can be written.
#[pyfunction]
pub fn trace_output_formats() -> Vec<&'static str> {
    OutputFormat::ALL.map(OutputFormat::name).to_vec()
}

/// Finds out before the work whether a trace can be written to `path`.
#[pyfunction]
#[pyo3(signature = (path, inputs, *, force=false))]
pub fn check_trace_target(path: &str, inputs: Vec<String>, force: bool) -> PyResult<()> {
    check_target(path.as_ref(), &inputs, existing(force)).map_err(|error| errors::trace(&error))
}

fn existing(force: bool) -> Existing {
    if force { Existing::Replace } else { Existing::Keep }
}

/// Statistics of a trace, as JSON, and what its reader noted.
#[pyfunction]
#[pyo3(signature = (trace, *, sequential_window=None, progress=None))]
pub fn trace_stat(
    py: Python<'_>,
    trace: PyRef<'_, TraceSource>,
    sequential_window: Option<usize>,
    progress: Option<Py<PyAny>>,
) -> PyResult<(String, Vec<String>)> {
    let source = trace.trace.clone();
    let gauge: Arc<Gauge> = Arc::default();
    let mut watch = Watch::new(progress.as_ref());
    let result = bug::detached(py, || -> Result<String, TraceError> {
        let defaults = StatOptions::default();
        let options =
            StatOptions { sequential_window: sequential_window.unwrap_or(defaults.sequential_window) };
        let mut collector = StatCollector::new(&options)?;
        for item in Watched::new(source.open(Arc::clone(&gauge))?, &mut watch, &gauge) {
            collector.add(&item?);
        }
        Ok(serde_json::to_string(&collector.finish()).unwrap_or_default())
    })?;
    if let Some(failure) = watch.failure() {
        return Err(failure);
    }
    Ok((result.map_err(|error| errors::trace(&error))?, gauge.warnings("trace")))
}

/// Writes a trace, or a workload as generated for a configuration's SSD, to a file; says how many requests, and what its
/// reader noted.
#[pyfunction]
#[pyo3(signature = (path, to, *, trace=None, flow=None, config=None, force=false, progress=None))]
#[expect(clippy::too_many_arguments, reason = "keywords of a Python function")]
pub fn write_trace(
    py: Python<'_>,
    path: &str,
    to: &str,
    trace: Option<PyRef<'_, TraceSource>>,
    flow: Option<PyRef<'_, FlowSource>>,
    config: Option<PyRef<'_, Configuration>>,
    force: bool,
    progress: Option<Py<PyAny>>,
) -> PyResult<(u64, Vec<String>)> {
    let to: OutputFormat = to.parse().map_err(|error| errors::trace(&error))?;
    let gauge: Arc<Gauge> = Arc::default();
    let mut watch = Watch::new(progress.as_ref());
    let trace = trace.map(|trace| trace.trace.clone());
    let flow = flow.map(|flow| flow.flow.clone());
    let config = config.map(|config| config.resolved.config.clone());
    let result = bug::detached(py, || -> Result<u64, RunError> {
        type Requests = Box<dyn Iterator<Item = Result<TraceRequest, TraceError>>>;
        let inputs = trace.as_ref().map_or(&[][..], |trace| &trace.paths);
        check_target(path.as_ref(), inputs, existing(force))?;
        let requests: Requests = match (&trace, &flow, &config) {
            (Some(trace), None, _) => {
                let mut stream = trace.open(Arc::clone(&gauge))?;
                // The native format keeps everything; the others get what the SSD is asked.
                if to == OutputFormat::Native {
                    Box::new(std::iter::from_fn(move || stream.next_request()))
                } else {
                    Box::new(stream.map(|request| request.map(Into::into)))
                }
            }
            (None, Some(flow), Some(config)) => {
                Box::new(flow.made_up(config)?.map(|request| Ok(request.into())))
            }
            _ => {
                return Err(RunError::Workload(
                    "give a trace, or a workload with its configuration".to_owned(),
                ));
            }
        };
        Ok(convert(Watched::new(requests, &mut watch, &gauge), path, to, existing(force))?)
    })?;
    match watch.failure() {
        Some(failure) => Err(failure),
        None => result.map(|count| (count, gauge.warnings("trace"))).map_err(|error| errors::run(&error)),
    }
}

/// Requests that end early, with an error that is not their own, when the watch says so.
struct Watched<'w, 'p, I> {
    inner: I,
    watch: &'w mut Watch<'p>,
    gauge: &'w Gauge,
    count: u64,
}

impl<'w, 'p, I> Watched<'w, 'p, I> {
    fn new(inner: I, watch: &'w mut Watch<'p>, gauge: &'w Gauge) -> Self {
        Self { inner, watch, gauge, count: 0 }
    }
}

impl<R, I: Iterator<Item = Result<R, TraceError>>> Iterator for Watched<'_, '_, I> {
    type Item = Result<R, TraceError>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        self.count += 1;
        let (gauge, requests) = (self.gauge, self.count);
        if self.count.is_multiple_of(REQUESTS_PER_LOOK)
            && !self.watch.go_on(Report { fraction: gauge.fraction(), requests, simulated_ns: 0 })
        {
            // An error, so that nothing half-written stays; the caller raises what the watch holds.
            return Some(Err(TraceError::Option { option: "trace".to_owned(), why: "stopped".to_owned() }));
        }
        self.inner.next()
    }
}
