//! One run, driven by Python.

use std::ops::{Deref, DerefMut};
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use pyo3::prelude::*;
use pyo3::types::PyDict;
use wordline_core::RunOptions;
use wordline_core::host::Replay;
use wordline_run::{AgedKey, DriveCache, Flow, Run, RunError, StateKind, drive_number, intervals, tables};

use crate::bug::Blame;
use crate::config::Configuration;
use crate::policies::{self, Failure};
use crate::tables::to_python;
use crate::watch::Watch;
use crate::{bug, errors, traces};

/// The last preconditioned drive, for further runs that write the same before they begin.
#[pyclass(frozen, module = "wordline._core")]
pub struct Drives {
    cache: Mutex<DriveCache>,
}

#[pymethods]
impl Drives {
    /// Largest drive that is kept, bytes.
    #[classattr]
    const LARGEST_BYTES: usize = DriveCache::LARGEST_BYTES;

    /// Makes an empty cache.
    #[new]
    fn new() -> Self {
        Self { cache: Mutex::default() }
    }

    /// Number of runs that found their drive here.
    #[getter]
    fn hits(&self) -> u64 {
        self.lock().hits()
    }

    /// A number that runs share which would write the same before they begin; None if a run shares its drive with none.
    #[staticmethod]
    fn number(config: PyRef<'_, Configuration>, flows: &str) -> PyResult<Option<u64>> {
        let flows = Flow::read_all(flows).map_err(|error| errors::run(&error))?;
        bug::caught(|| drive_number(&config.resolved.config, &flows))
    }
}

impl Drives {
    fn lock(&self) -> MutexGuard<'_, DriveCache> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A simulated SSD with its host.
#[pyclass(frozen, module = "wordline._core")]
pub struct Simulation {
    /// None once a drive has taken it over.
    run: Mutex<Option<Run>>,
    /// The file that it goes on from.
    state: OnceLock<String>,
    /// What its policies in Python have done wrong.
    failure: Failure,
}

#[pymethods]
impl Simulation {
    /// Opens every flow of a JSON list, and builds an empty SSD.
    #[new]
    #[pyo3(signature = (config, flows, *, check=false, log_requests=false, timeline_ns=None, log_jobs=false))]
    fn new(
        py: Python<'_>,
        config: PyRef<'_, Configuration>,
        flows: &str,
        check: bool,
        log_requests: bool,
        timeline_ns: Option<(u64, u64)>,
        log_jobs: bool,
    ) -> PyResult<Self> {
        let (mut config, failure) = (config.resolved.config.clone(), Failure::default());
        policies::give(py, &mut config, &failure)?;
        let flows = Flow::read_all(flows).map_err(|error| errors::run(&error))?;
        let options =
            RunOptions { check, log_requests, timeline: timeline_ns, log_jobs, ..RunOptions::default() };
        let run = Blame::on(None, &failure)
            .detached(py, || Run::new(&config, flows, options))?
            .map_err(|error| errors::run(&error))?;
        Ok(Self { run: Mutex::new(Some(run)), state: OnceLock::new(), failure })
    }

    /// Returns true if anything is written before the run.
    fn needs_preconditioning(&self) -> bool {
        self.lock().needs_preconditioning()
    }

    /// Writes the data before the run: fill, overwrites, and the update phase of workloads that have one. If `drives`
    /// holds an equal drive, takes that.
    #[pyo3(signature = (progress=None, drives=None))]
    fn precondition(
        &self,
        py: Python<'_>,
        progress: Option<Py<PyAny>>,
        drives: Option<Py<Drives>>,
    ) -> PyResult<()> {
        self.watched(py, progress.as_ref(), |watch| {
            let (mut run, mut go_on) = (self.lock(), |report| watch.go_on(report));
            match &drives {
                Some(drives) => run.precondition_from(&mut drives.get().lock(), &mut go_on),
                None => run.precondition(&mut go_on),
            }
        })
    }

    /// What its drive depends on when it has been aged without time, as text, and the files of traces whose content counts, too; None
    /// if no other process may have the same.
    fn aged_key(&self) -> PyResult<Option<(String, Vec<String>)>> {
        let key = self.blame().caught(|| self.lock().aged_key())?;
        Ok(key.map(|AgedKey { text, traces }| (text, traces)))
    }

    /// Takes the drive that is kept, if it is what `age` would make; false if not.
    fn take_aged(&self, py: Python<'_>, drives: Py<Drives>) -> PyResult<bool> {
        self.watched(py, None, |_| self.lock().take_aged(&mut drives.get().lock()))
    }

    /// The first stage of `precondition`, without time.
    #[pyo3(signature = (progress=None, drives=None))]
    fn age(&self, py: Python<'_>, progress: Option<Py<PyAny>>, drives: Option<Py<Drives>>) -> PyResult<()> {
        self.watched(py, progress.as_ref(), |watch| {
            let mut kept = drives.as_ref().map(|drives| drives.get().lock());
            self.lock().age(kept.as_deref_mut(), &mut |report| watch.go_on(report))
        })
    }

    /// The second stage of `precondition`, with time, where there is one.
    #[pyo3(signature = (progress=None))]
    fn age_with_time(&self, py: Python<'_>, progress: Option<Py<PyAny>>) -> PyResult<()> {
        self.watched(py, progress.as_ref(), |watch| {
            self.lock().age_with_time(&mut |report| watch.go_on(report))
        })
    }

    /// Writes the drive, which has just been aged without time, to a file of at most so many bytes.
    fn save_aged(
        &self,
        py: Python<'_>,
        path: PathBuf,
        name: &str,
        about: &str,
        bytes_max: u64,
    ) -> PyResult<()> {
        let save = || self.lock().save_aged(&path, name, about, bytes_max);
        Ok(self.blame().detached(py, save)??)
    }

    /// Takes the drive of a file in place of ageing it; returns why it cannot be taken.
    #[pyo3(signature = (path, name, drives=None))]
    fn load_aged(
        &self,
        py: Python<'_>,
        path: PathBuf,
        name: &str,
        drives: Option<Py<Drives>>,
    ) -> PyResult<Option<String>> {
        let taken = self.blame().detached(py, || {
            let mut kept = drives.as_ref().map(|drives| drives.get().lock());
            self.lock().load_aged(&path, name, kept.as_deref_mut())
        })?;
        if taken.is_ok() {
            _ = self.state.set(path.display().to_string());
        }
        Ok(taken.err())
    }

    /// Runs until every request is complete; if asked, saves the state at an interval of wall time, in seconds. `events` gets what has
    /// happened, some ten thousand rows at a time: by kind, the columns.
    #[pyo3(signature = (progress=None, save=None, events=None))]
    fn run(
        &self,
        py: Python<'_>,
        progress: Option<Py<PyAny>>,
        save: Option<(PathBuf, f64)>,
        events: Option<Py<PyAny>>,
    ) -> PyResult<()> {
        self.watched(py, progress.as_ref(), |watch| {
            let mut run = self.lock();
            if let Some(events) = &events {
                return run_with_events(&mut run, watch, events);
            }
            let Some((path, every_s)) = save else { return run.run(&mut |report| watch.go_on(report)) };
            loop {
                watch.save_in(every_s);
                let result = run.run(&mut |report| watch.go_on(report));
                if !watch.takes_save_time() {
                    return result;
                }
                run.save(&path)?;
            }
        })
    }

    /// Every request is complete, and nothing is under way.
    fn is_over(&self) -> bool {
        self.lock().is_over()
    }

    /// Writes what jobs of fio submitted to the files that they name (`write_iolog`); returns the files.
    #[pyo3(signature = (*, force=false))]
    fn write_iologs(&self, py: Python<'_>, force: bool) -> PyResult<Vec<String>> {
        bug::detached(py, || self.lock().write_iologs(traces::existing(force)))?
            .map_err(|error| errors::trace(&error))
    }

    /// Shuts the SSD down in order after a run, in zero time: its volatile cache goes to flash.
    fn put_away(&self, py: Python<'_>) -> PyResult<()> {
        let blame = self.blame();
        blame.detached(py, || self.lock().ssd_mut().put_away())?.map_err(|error| blame.simulation(&error))
    }

    /// Writes the state to a file.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let blame = self.blame();
        blame.detached(py, || self.lock().save(&path))?.map_err(|error| blame.run(&error))
    }

    /// Takes the state of a file instead of preconditioning. Returns `run` or `drive`, the number of complete requests,
    /// and the simulated time, ns. `go_on`: see [`Run::load`].
    #[pyo3(signature = (path, go_on=true))]
    fn load(&self, py: Python<'_>, path: PathBuf, go_on: bool) -> PyResult<(&'static str, u64, u64)> {
        _ = self.state.set(path.display().to_string());
        let blame = self.blame();
        let loaded =
            blame.detached(py, || self.lock().load(&path, go_on))?.map_err(|error| blame.run(&error))?;
        let kind = match loaded.kind {
            StateKind::Run => "run",
            StateKind::Drive => "drive",
        };
        Ok((kind, loaded.requests, loaded.simulated_ns))
    }

    /// What it measured, as JSON.
    fn document(&self) -> PyResult<String> {
        document_of(&self.lock(), &self.blame())
    }

    /// How each flow sends its requests: `open`, `closed` or `paced`, and the most that are outstanding of the last two.
    fn replays(&self) -> Vec<(&'static str, Option<u32>)> {
        replays_of(&self.lock())
    }

    /// Warnings about the results.
    fn warnings(&self) -> PyResult<Vec<String>> {
        self.blame().caught(|| self.lock().warnings())
    }

    /// `bins`, `series`, `intervals`, of several flows `flow_bins` and `flow_intervals`, of placement handles `handle_intervals`, `requests` and `timeline`, each a dict
    /// of columns.
    fn tables<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.blame().caught(|| tables_of(py, &self.lock()))?
    }
}

/// Runs from report to report, and gives what has happened in between.
fn run_with_events(run: &mut Run, watch: &mut Watch<'_>, events: &Py<PyAny>) -> Result<(), RunError> {
    loop {
        let mut goes_on = false;
        let result = run.run(&mut |report| {
            goes_on = watch.go_on(report);
            false
        });
        let tables = tables::events(run.ssd_mut());
        watch.hand_over(|py| {
            let all = PyDict::new(py);
            for (kind, columns) in &tables {
                all.set_item(kind, to_python(py, columns)?)?;
            }
            events.call1(py, (all,)).map(drop)
        });
        if !goes_on || watch.has_failed() {
            return result;
        }
    }
}

/// See `Simulation::document`.
pub fn document_of(run: &Run, blame: &Blame) -> PyResult<String> {
    let measured = blame.caught(|| run.measured())?;
    serde_json::to_string(&measured).map_err(errors::unexpected)
}

/// See `Simulation::replays`.
pub fn replays_of(run: &Run) -> Vec<(&'static str, Option<u32>)> {
    let name = |replay| match replay {
        Replay::Open => ("open", None),
        Replay::Closed { depth } => ("closed", Some(depth)),
        Replay::Paced { depth, .. } => ("paced", Some(depth)),
    };
    run.ssd().host().replays().map(name).collect()
}

/// See `Simulation::tables`.
pub fn tables_of<'py>(py: Python<'py>, run: &Run) -> PyResult<Bound<'py, PyDict>> {
    let ssd = run.ssd();
    let all = PyDict::new(py);
    all.set_item("bins", to_python(py, &tables::bins(ssd))?)?;
    all.set_item("series", to_python(py, &tables::series(ssd))?)?;
    all.set_item("intervals", to_python(py, &intervals::columns(ssd))?)?;
    if !ssd.metrics().flows.is_empty() {
        all.set_item("flow_bins", to_python(py, &tables::bins_of_flows(ssd))?)?;
        all.set_item("flow_intervals", to_python(py, &intervals::of_flows(ssd))?)?;
    }
    if let Some(columns) = intervals::of_handles(ssd) {
        all.set_item("handle_intervals", to_python(py, &columns)?)?;
    }
    if run.options().log_requests {
        all.set_item("requests", to_python(py, &tables::requests(ssd))?)?;
    }
    if run.options().timeline.is_some() {
        all.set_item("timeline", to_python(py, &tables::timeline(ssd))?)?;
    }
    Ok(all)
}

/// What the file of an aged drive says about it.
#[pyfunction]
pub fn about_aged(path: PathBuf) -> PyResult<String> {
    Ok(wordline_run::about_aged(&path)?)
}

/// The JSON Schema of a result.
#[pyfunction]
pub fn result_schema() -> String {
    wordline_run::result::schema().to_string()
}

/// The run of a [`Simulation`], locked.
pub struct Locked<'a>(MutexGuard<'a, Option<Run>>);

impl Deref for Locked<'_> {
    type Target = Run;

    fn deref(&self) -> &Run {
        self.0.as_ref().expect("the run is a drive's now")
    }
}

impl DerefMut for Locked<'_> {
    fn deref_mut(&mut self) -> &mut Run {
        self.0.as_mut().expect("the run is a drive's now")
    }
}

impl Simulation {
    /// The run.
    pub fn lock(&self) -> Locked<'_> {
        Locked(self.place())
    }

    /// Takes the run out: from now on it is somebody else's.
    pub fn take(&self) -> PyResult<Run> {
        self.place().take().ok_or_else(|| errors::unexpected("the run is a drive's already"))
    }

    /// What a fault of the run is put down to.
    pub fn blame(&self) -> Blame {
        Blame::on(self.state.get(), &self.failure)
    }

    fn place(&self) -> MutexGuard<'_, Option<Run>> {
        self.run.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does work detached from Python, under a watch. Only its watch stops it.
    fn watched<T: Send>(
        &self,
        py: Python<'_>,
        progress: Option<&Py<PyAny>>,
        work: impl FnOnce(&mut Watch<'_>) -> Result<T, RunError> + Send,
    ) -> PyResult<T> {
        let (mut watch, blame) = (Watch::new(progress).with_policies([&self.failure]), self.blame());
        let result = blame.detached(py, || work(&mut watch))?;
        watch.end()?;
        result.map_err(|error| blame.run(&error))
    }
}
