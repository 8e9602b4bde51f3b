//! Traces and generated requests without an SSD: statistics, and output to files.

use std::path::Path;

use pyo3::prelude::*;
use wordline_run::traces;
use wordline_trace::convert::{Existing, OutputFormat, check_target};
use wordline_trace::{Format, StatOptions};

use crate::config::Configuration;
use crate::source::{FlowSource, TraceSource};
use crate::watch::Watch;
use crate::{bug, errors};

/// Names of the trace formats that can be read, each with a description.
#[pyfunction]
pub fn trace_formats() -> Vec<(&'static str, &'static str)> {
    Format::ALL.map(|format| (format.name(), format.help())).to_vec()
}

/// Names of the trace formats that can be written.
#[pyfunction]
pub fn trace_output_formats() -> Vec<&'static str> {
    OutputFormat::ALL.map(OutputFormat::name).to_vec()
}

/// Checks before the work that a trace can be written to `path`.
#[pyfunction]
#[pyo3(signature = (path, inputs, *, force=false))]
pub fn check_trace_target(path: &str, inputs: Vec<String>, force: bool) -> PyResult<()> {
    check_target(path.as_ref(), &inputs, existing(force)).map_err(|error| errors::trace(&error))
}

fn existing(force: bool) -> Existing {
    if force { Existing::Replace } else { Existing::Keep }
}

/// Statistics of a trace, as JSON, and the notes of its reader.
#[pyfunction]
#[pyo3(signature = (trace, *, sequential_window=None, progress=None))]
pub fn trace_stat(
    py: Python<'_>,
    trace: PyRef<'_, TraceSource>,
    sequential_window: Option<usize>,
    progress: Option<Py<PyAny>>,
) -> PyResult<(String, Vec<String>)> {
    let mut options = StatOptions::default();
    options.sequential_window = sequential_window.unwrap_or(options.sequential_window);
    let mut watch = Watch::new(progress.as_ref());
    let trace = &trace.trace;
    let result = bug::detached(py, || traces::stat(trace, &options, &mut |report| watch.go_on(report)))?;
    watch.end()?;
    let (found, notes) = result.map_err(|error| errors::trace(&error))?;
    Ok((serde_json::to_string(&found).map_err(errors::unexpected)?, notes))
}

/// Writes a trace, or a workload as generated for a configuration's SSD, to a file; returns the number of requests, and
/// the notes of its reader.
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
    let (path, existing) = (Path::new(path), existing(force));
    let mut watch = Watch::new(progress.as_ref());
    let mut go_on = |report| watch.go_on(report);
    let result = match (&trace, &flow, &config) {
        (Some(trace), None, _) => {
            let trace = &trace.trace;
            bug::detached(py, || traces::convert_trace(trace, path, to, existing, &mut go_on))?
        }
        (None, Some(flow), Some(config)) => {
            let (flow, config) = (&flow.flow, &config.resolved.config);
            let written =
                bug::detached(py, || traces::write_flow(flow, config, path, to, existing, &mut go_on))?;
            written.map(|count| (count, Vec::new()))
        }
        _ => return Err(errors::workload("give a trace, or a workload with its configuration")),
    };
    watch.end()?;
    result.map_err(|error| errors::run(&error))
}
