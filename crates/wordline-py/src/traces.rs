//! Traces and generated requests without an SSD: statistics, and output to files.

use std::path::Path;

use pyo3::prelude::*;
use wordline_run::{Flow, Trace, traces};
use wordline_trace::convert::{Existing, OutputFormat, check_target};
use wordline_trace::{Format, StatOptions};

use crate::config::Configuration;
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

/// What becomes of a file that is there.
pub(crate) fn existing(force: bool) -> Existing {
    if force { Existing::Replace } else { Existing::Keep }
}

/// Checks the options of a trace, given as JSON; opens no file.
#[pyfunction]
pub fn check_trace(trace: &str) -> PyResult<()> {
    read(trace).map(drop)
}

/// The name of the format of a trace's first file, given or detected.
#[pyfunction]
pub fn trace_format(trace: &str) -> PyResult<&'static str> {
    read(trace)?.format().map_err(|error| errors::trace(&error))
}

fn read(trace: &str) -> PyResult<Trace> {
    Trace::read(trace).map_err(|error| errors::trace(&error))
}

/// Statistics of a trace, as JSON, and the notes of its reader.
#[pyfunction]
#[pyo3(signature = (trace, *, sequential_window=None, progress=None))]
pub fn trace_stat(
    py: Python<'_>,
    trace: &str,
    sequential_window: Option<usize>,
    progress: Option<Py<PyAny>>,
) -> PyResult<(String, Vec<String>)> {
    let mut options = StatOptions::default();
    options.sequential_window = sequential_window.unwrap_or(options.sequential_window);
    let mut watch = Watch::new(progress.as_ref());
    let trace = read(trace)?;
    let result = bug::detached(py, || traces::stat(&trace, &options, &mut |report| watch.go_on(report)))?;
    watch.end()?;
    let (found, notes) = result.map_err(|error| errors::trace(&error))?;
    Ok((serde_json::to_string(&found).map_err(errors::unexpected)?, notes))
}

/// Writes the requests of a flow to a file: a trace as it is, others as they are made for a configuration's SSD. Returns the
/// number of requests, and the notes of the trace's reader.
#[pyfunction]
#[pyo3(signature = (path, to, flow, config, *, force=false, progress=None))]
pub fn write_trace(
    py: Python<'_>,
    path: &str,
    to: &str,
    flow: &str,
    config: PyRef<'_, Configuration>,
    force: bool,
    progress: Option<Py<PyAny>>,
) -> PyResult<(u64, Vec<String>)> {
    let to: OutputFormat = to.parse().map_err(|error| errors::trace(&error))?;
    let (path, existing) = (Path::new(path), existing(force));
    let flow = Flow::read(flow).map_err(|error| errors::run(&error))?;
    let mut watch = Watch::new(progress.as_ref());
    let config = &config.resolved.config;
    let result = bug::detached(py, || {
        traces::write_flow(&flow, config, path, to, existing, &mut |report| watch.go_on(report))
    })?;
    watch.end()?;
    result.map_err(|error| errors::run(&error))
}
