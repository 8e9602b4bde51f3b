//! One run: built from a configuration and flows, preconditioned, run, asked for its results.

use std::sync::{Arc, Mutex, MutexGuard};

use pyo3::prelude::*;
use pyo3::types::PyDict;
use wordline_core::config::{Config, Fill, Shape};
use wordline_core::host::Op;
use wordline_core::nand::Lpn;
use wordline_core::{RunOptions, SimError, Ssd};
use wordline_trace::synthetic::UpdatePhase;

use crate::config::Configuration;
use crate::source::{FlowSource, OneByOne, OpenError};
use crate::stream::Gauge;
use crate::watch::{Report, Watch};
use crate::{document, errors, intervals, tables};

/// A simulated SSD with its host.
#[pyclass(frozen, module = "wordline._core")]
pub struct Simulation {
    config: Config,
    flows: Vec<FlowSource>,
    gauges: Vec<Arc<Gauge>>,
    options: RunOptions,
    ssd: Mutex<Ssd>,
}

#[pymethods]
impl Simulation {
    /// Opens every flow and lays out an empty SSD.
    #[new]
    #[pyo3(signature = (config, flows, *, check=false, log_requests=false, timeline_ns=None))]
    fn new(
        py: Python<'_>,
        config: PyRef<'_, Configuration>,
        flows: Vec<PyRef<'_, FlowSource>>,
        check: bool,
        log_requests: bool,
        timeline_ns: Option<(u64, u64)>,
    ) -> PyResult<Self> {
        let config = config.resolved.config.clone();
        let flows: Vec<FlowSource> = flows.iter().map(|flow| (*flow).clone()).collect();
        if flows.is_empty() {
            return Err(errors::workload("a run needs at least one flow"));
        }
        let options = RunOptions {
            check,
            log_requests,
            timeline: timeline_ns,
            requests: count(&flows).filter(|_| !writes_before_run(&config, &flows)),
        };
        let gauges: Vec<Arc<Gauge>> = flows.iter().map(|_| Arc::default()).collect();
        let built = py.detach(|| -> Result<Ssd, OpenError> {
            let inputs =
                flows.iter().zip(&gauges).map(|(flow, gauge)| flow.input(&config, Arc::clone(gauge)));
            Ok(Ssd::new(&config, inputs.collect::<Result<_, _>>()?, &options))
        });
        let ssd = Mutex::new(built.map_err(|error| error.raise())?);
        Ok(Self { config, flows, gauges, options, ssd })
    }

    /// Whether anything is written before the run.
    fn needs_preconditioning(&self) -> bool {
        writes_before_run(&self.config, &self.flows)
    }

    /// Writes what is there before the run: fill, overwrites, and the update phase of workloads that have one.
    #[pyo3(signature = (progress=None))]
    fn precondition(&self, py: Python<'_>, progress: Option<Py<PyAny>>) -> PyResult<()> {
        let mut watch = Watch::new(progress.as_ref());
        let mut problem = None;
        let result = py.detach(|| {
            let mut ssd = self.lock();
            let mut report =
                |fraction| watch.go_on(|| Report { fraction: Some(fraction), ..Report::default() });
            let shaped =
                self.config.precondition.shape == Shape::Workload && self.config.precondition.overwrite > 0.0;
            let mut pages = WrittenPages::new(&self.config, &self.flows);
            let shape: Option<&mut dyn Iterator<Item = Lpn>> = if shaped { Some(&mut pages) } else { None };
            let result = ssd.precondition(&self.config, shape, &mut report);
            problem = pages.problem.take();
            result?;
            for flow in self.flows.iter().filter(|flow| has_updates(flow)) {
                match updated_pages(&self.config, flow) {
                    Ok(mut pages) => ssd.update(&mut pages, &mut report)?,
                    Err(error) => problem = Some(error),
                }
            }
            Ok(())
        });
        match problem {
            Some(problem) => Err(problem.raise()),
            None => finish(watch, result),
        }
    }

    /// Runs until every request is complete.
    #[pyo3(signature = (progress=None))]
    fn run(&self, py: Python<'_>, progress: Option<Py<PyAny>>) -> PyResult<()> {
        let mut watch = Watch::new(progress.as_ref());
        let total = count(&self.flows).filter(|_| self.ends_by_count());
        let result = py.detach(|| {
            self.lock().run_with_power(&self.config.power, &mut |progress| {
                watch.go_on(|| Report {
                    fraction: self.fraction(total, progress.completed),
                    requests: progress.completed,
                    simulated_ns: progress.now,
                })
            })
        });
        finish(watch, result)
    }

    /// What was measured, as a JSON document.
    fn document(&self) -> String {
        document::of(&self.config, &self.lock(), self.options.check)
    }

    /// What a reader of the results should know.
    fn warnings(&self) -> Vec<String> {
        let flows = self.flows.iter().zip(&self.gauges);
        flows
            .flat_map(|(flow, gauge)| {
                gauge.warnings(&flow.name).into_iter().chain(flow.warning(&self.config))
            })
            .collect()
    }

    /// `bins`, `series`, `intervals`, `requests` and `timeline`, each a dict of columns.
    fn tables<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let ssd = self.lock();
        let all = PyDict::new(py);
        all.set_item("bins", tables::to_python(py, &tables::bins(&ssd))?)?;
        all.set_item("series", tables::to_python(py, &tables::series(&ssd))?)?;
        all.set_item("intervals", tables::to_python(py, &intervals::columns(&ssd))?)?;
        if self.options.log_requests {
            all.set_item("requests", tables::to_python(py, &tables::requests(&ssd))?)?;
        }
        if self.options.timeline.is_some() {
            all.set_item("timeline", tables::to_python(py, &tables::timeline(&ssd))?)?;
        }
        Ok(all)
    }
}

impl Simulation {
    fn lock(&self) -> MutexGuard<'_, Ssd> {
        self.ssd.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    fn ends_by_count(&self) -> bool {
        self.config.host.duration_s <= 0.0
    }

    /// Share of the run that is done: by count, by simulated time, or by what is read of the files.
    fn fraction(&self, total: Option<u64>, completed: u64) -> Option<f64> {
        if let Some(total) = total {
            return Some((completed + self.config.host.warmup_requests) as f64 / total as f64)
                .map(|f| f.min(1.0));
        }
        let shares: Option<Vec<f64>> = self.gauges.iter().map(|gauge| gauge.fraction()).collect();
        shares.filter(|_| self.ends_by_count()).and_then(|shares| shares.into_iter().reduce(f64::min))
    }
}

/// A run that was stopped was stopped by its watch.
fn finish(watch: Watch<'_>, result: Result<(), SimError>) -> PyResult<()> {
    match watch.failure() {
        Some(failure) => Err(failure),
        None => result.map_err(|error| errors::sim(&error)),
    }
}

/// Requests of all flows, if that is known without reading them.
fn count(flows: &[FlowSource]) -> Option<u64> {
    flows.iter().map(FlowSource::count).sum()
}

/// Whether anything is written before the run.
fn writes_before_run(config: &Config, flows: &[FlowSource]) -> bool {
    matches!(config.precondition.fill, Fill::Share(share) if share > 0.0)
        || config.precondition.overwrite > 0.0
        || flows.iter().any(has_updates)
}

fn has_updates(flow: &FlowSource) -> bool {
    flow.workload().is_some_and(|w| w.update_scattered_ratio > 0.0 || w.update_run_ratio > 0.0)
}

/// The pages that a flow's update phase rewrites.
fn updated_pages(config: &Config, flow: &FlowSource) -> Result<impl Iterator<Item = Lpn> + use<>, OpenError> {
    let workload =
        flow.workload().ok_or_else(|| OpenError::Workload("a trace has no update phase".to_owned()))?;
    let shift = config.geometry().sectors_per_page().trailing_zeros();
    let first_sector = flow.first_sector();
    let updates = UpdatePhase::new(workload, flow.room(config)?, config.seed)?;
    Ok(updates.flat_map(move |request| {
        let sector = request.sector + first_sector;
        (sector >> shift) as Lpn..=((sector + u64::from(request.sectors) - 1) >> shift) as Lpn
    }))
}

/// The pages that the flows write, in turn, over and over: the shape of preconditioning.
struct WrittenPages<'a> {
    config: &'a Config,
    flows: &'a [FlowSource],
    open: Vec<Option<OneByOne>>,
    turn: usize,
    /// Pages of the request at hand that are still to come.
    pages: std::ops::RangeInclusive<Lpn>,
    /// Writes since every flow began anew: a round without any would go on for ever.
    written: bool,
    shift: u32,
    problem: Option<OpenError>,
}

impl<'a> WrittenPages<'a> {
    fn new(config: &'a Config, flows: &'a [FlowSource]) -> Self {
        let shift = config.geometry().sectors_per_page().trailing_zeros();
        #[expect(clippy::reversed_empty_ranges, reason = "no page is at hand yet")]
        let pages = 1..=0;
        Self { config, flows, open: Vec::new(), turn: 0, pages, written: true, shift, problem: None }
    }

    /// Opens every flow from its beginning.
    fn rewind(&mut self) -> Result<(), OpenError> {
        if !self.written {
            return Err(OpenError::Workload(
                "precondition.shape = \"workload\", but the workload writes nothing; set precondition.shape = \"random\", \
                 or precondition.overwrite = 0"
                    .to_owned(),
            ));
        }
        self.written = false;
        let open = |flow: &FlowSource| flow.requests(self.config, Arc::default()).map(Some);
        self.open = self.flows.iter().map(open).collect::<Result<_, _>>()?;
        Ok(())
    }

    /// The next write of a flow whose turn it is; flows that have ended are passed over.
    fn next_write(&mut self) -> Result<(u64, u32), OpenError> {
        loop {
            if self.open.iter().all(Option::is_none) {
                self.rewind()?;
            }
            self.turn = (self.turn + 1) % self.flows.len();
            let Some(source) = &mut self.open[self.turn] else { continue };
            let write = source.find(|item| item.as_ref().map_or(true, |request| request.op == Op::Write));
            match write {
                Some(Ok(request)) => {
                    self.written = true;
                    return Ok((request.sector + self.flows[self.turn].first_sector(), request.sectors));
                }
                Some(Err(error)) => {
                    return Err(match error.downcast() {
                        Ok(error) => OpenError::Trace(*error),
                        Err(error) => OpenError::Workload(error.to_string()),
                    });
                }
                None => self.open[self.turn] = None,
            }
        }
    }
}

impl Iterator for WrittenPages<'_> {
    type Item = Lpn;

    fn next(&mut self) -> Option<Lpn> {
        if let Some(page) = self.pages.next() {
            return Some(page);
        }
        if self.problem.is_some() {
            return None;
        }
        match self.next_write() {
            Ok((sector, sectors)) => {
                let end = sector + u64::from(sectors.max(1)) - 1;
                self.pages = (sector >> self.shift) as Lpn..=(end >> self.shift) as Lpn;
                self.pages.next()
            }
            Err(problem) => {
                self.problem = Some(problem);
                None
            }
        }
    }
}
