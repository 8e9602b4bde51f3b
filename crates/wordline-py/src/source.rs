//! The sources of a flow's requests, and how they are opened for one device.

use pyo3::prelude::*;
use wordline_core::config::HostMode;
use wordline_core::flash::Priority;
use wordline_core::host::Rest;
use wordline_run::{Flow, FlowRequests, Trace};
use wordline_trace::{TraceError, TraceOptions};

use crate::config::Configuration;
use crate::errors;

/// Trace files and their read options; nothing is opened yet.
#[pyclass(frozen, module = "wordline._core")]
#[derive(Clone)]
pub struct TraceSource {
    pub trace: Trace,
}

#[pymethods]
impl TraceSource {
    #[new]
    #[pyo3(signature = (paths, *, format=None, csv_columns=None, device=None, on_time_back=None,
                        on_zero_length=None, time_unit=None, skip=0, limit=None, wrap=None, rounds=1))]
    #[expect(clippy::too_many_arguments, reason = "keywords of a Python constructor")]
    fn new(
        paths: Vec<String>,
        format: Option<&str>,
        csv_columns: Option<&str>,
        device: Option<&str>,
        on_time_back: Option<&str>,
        on_zero_length: Option<&str>,
        time_unit: Option<&str>,
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
            if let Some(unit) = time_unit {
                options.time_unit(unit.parse()?);
            }
            if let Some(limit) = limit {
                options.limit(limit);
            }
            options.skip(skip).own_thread(true);
            Ok(options)
        };
        let options = options().map_err(|error| errors::trace(&error))?;
        Ok(Self { trace: Trace { paths, options, wrap, rounds } })
    }

    /// The format of the first file, given or detected.
    fn format(&self) -> PyResult<&'static str> {
        let mut options = self.trace.options.clone();
        let first = self.trace.paths.iter().take(1);
        let reader = options.own_thread(false).open_all(first).map_err(|error| errors::trace(&error))?;
        Ok(reader.format().name())
    }
}

/// A flow: a source of requests, and the settings of its replay.
#[pyclass(frozen, module = "wordline._core")]
#[derive(Clone)]
pub struct FlowSource {
    pub flow: Flow,
}

#[pymethods]
impl FlowSource {
    #[new]
    #[pyo3(signature = (name, *, trace=None, workload=None, fio=None, live=false, mode="auto", queue_depth=None, weight=1,
                        priority="high", first_sector=0, sectors=None, time_scale=1.0, rest=None, group=0, lasts_ns=0, ramp_ns=0))]
    #[expect(clippy::too_many_arguments, reason = "keywords of a Python constructor")]
    fn new(
        name: String,
        trace: Option<PyRef<'_, TraceSource>>,
        workload: Option<PyRef<'_, Configuration>>,
        fio: Option<(&str, u64)>,
        live: bool,
        mode: &str,
        queue_depth: Option<u32>,
        weight: u32,
        priority: &str,
        first_sector: u64,
        sectors: Option<u64>,
        time_scale: f64,
        rest: Option<(u32, u64)>,
        group: u32,
        lasts_ns: u64,
        ramp_ns: u64,
    ) -> PyResult<Self> {
        let requests = match (trace, workload, fio, live) {
            (Some(trace), None, None, false) => FlowRequests::Trace(Box::new(trace.trace.clone())),
            (None, Some(config), None, false) => {
                FlowRequests::Synthetic(Box::new(config.resolved.config.workload.clone()))
            }
            (None, None, Some((job, number)), false) => {
                let job = serde_json::from_str(job)
                    .map_err(|error| errors::workload(&format!("fio job: {error}")))?;
                FlowRequests::Fio(Box::new(job), number)
            }
            (None, None, None, true) => FlowRequests::Live,
            _ => {
                return Err(errors::workload(
                    "a flow has a trace, a workload or a job of fio's, and one of them",
                ));
            }
        };
        let priority = Priority::named(priority).ok_or_else(|| {
            let names = Priority::NAMES.join(", ");
            errors::workload(&format!("flow `{name}`: priority `{priority}` is not known; it takes {names}"))
        })?;
        let (every, pause) = rest.unwrap_or_default();
        let (mode, pace) = replay_mode(mode, Rest { every, pause }).ok_or_else(|| {
            errors::workload(&format!("flow `{name}`: mode `{mode}` is not known; it takes {MODES}"))
        })?;
        let flow = Flow {
            name,
            requests,
            mode,
            queue_depth,
            weight,
            priority,
            first_sector,
            sectors,
            time_scale,
            pace,
            group,
            lasts: lasts_ns,
            ramp: ramp_ns,
        };
        flow.check().map_err(|error| errors::run(&error))?;
        Ok(Self { flow })
    }
}

const MODES: &str = "auto, closed, open or paced";

/// The meaning of a mode's name.
fn replay_mode(name: &str, rest: Rest) -> Option<(HostMode, Option<Rest>)> {
    Some(match name {
        "auto" => (HostMode::Auto, None),
        "closed" => (HostMode::Closed, None),
        "open" => (HostMode::Open, None),
        "paced" => (HostMode::Auto, Some(rest)),
        _ => return None,
    })
}
