//! A drive that Python steps: the run of a [`Simulation`], taken over.

use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, TryLockError};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyTuple};
use wordline_core::flash::Status;
use wordline_core::host::{Op, SECTOR_BYTES};
use wordline_core::zones::Zone;
use wordline_run::hosts::log::{LogCounts, LogRun, LogSettings, drive_log};
use wordline_run::{DoneJob, DriveOp, Flow, HeldDrive, Run};

use crate::bug::Blame;
use crate::errors;
use crate::simulation::{self, Simulation};
use crate::watch::Watch;

/// A drive that a program holds.
#[pyclass(frozen, module = "wordline._core")]
pub struct Drive {
    held: Mutex<Option<HeldDrive>>,
    blame: Blame,
}

/// A zone: state, first byte, write pointer from there, bytes that the host has written.
type ZoneRow = (&'static str, u64, u64, u64);

/// One operation as Python says it: operation, offset, length, flow, handle.
#[derive(FromPyObject)]
struct Said(u8, u64, u64, u16, u16);

#[pymethods]
impl Drive {
    /// Takes over the run of a simulation, whose flows are live.
    #[new]
    fn new(simulation: PyRef<'_, Simulation>, logs: bool) -> PyResult<Self> {
        let (run, blame) = (simulation.take()?, simulation.blame());
        let held = blame.caught(|| HeldDrive::new(run, logs))?.map_err(|error| blame.run(&error))?;
        Ok(Self { held: Mutex::new(Some(held)), blame })
    }

    /// Submits jobs of one operation each, or of as many as `lengths` says. Returns the number of the first job.
    #[pyo3(signature = (at_ns, ops, lengths=None))]
    fn submit(&self, py: Python<'_>, at_ns: u64, ops: Vec<Said>, lengths: Option<Vec<u32>>) -> PyResult<u64> {
        let ops: PyResult<Vec<DriveOp>> = ops
            .into_iter()
            .map(|Said(op, offset, bytes, flow, handle)| {
                Ok(DriveOp { op: op_of(op)?, offset, bytes, flow, handle })
            })
            .collect();
        self.submit_ops(py, at_ns, &ops?, lengths.as_deref())
    }

    /// The same, of columns: little-endian bytes of 8, 64, 64, 16 and 16 bits a row.
    #[expect(clippy::too_many_arguments, reason = "columns of a table")]
    #[pyo3(signature = (at_ns, op, offset, length, flow, handle, lengths=None))]
    fn submit_columns(
        &self,
        py: Python<'_>,
        at_ns: u64,
        op: &[u8],
        offset: &[u8],
        length: &[u8],
        flow: &[u8],
        handle: &[u8],
        lengths: Option<Vec<u32>>,
    ) -> PyResult<u64> {
        let rows = op.len();
        if offset.len() != 8 * rows
            || length.len() != 8 * rows
            || flow.len() != 2 * rows
            || handle.len() != 2 * rows
        {
            return Err(PyValueError::new_err("columns of different lengths"));
        }
        let wide = |column: &[u8], row: usize| {
            u64::from_le_bytes(column[8 * row..8 * row + 8].try_into().unwrap_or_default())
        };
        let narrow = |column: &[u8], row: usize| u16::from_le_bytes([column[2 * row], column[2 * row + 1]]);
        let ops: PyResult<Vec<DriveOp>> = (0..rows)
            .map(|row| {
                let (offset, bytes) = (wide(offset, row), wide(length, row));
                Ok(DriveOp {
                    op: op_of(op[row])?,
                    offset,
                    bytes,
                    flow: narrow(flow, row),
                    handle: narrow(handle, row),
                })
            })
            .collect();
        self.submit_ops(py, at_ns, &ops?, lengths.as_deref())
    }

    /// Lets time go on, or without a time until every job is done. Returns `(job, done_ns, status)` of each job that is
    /// done since the last call, with the offset of its last operation where `with_offsets` asks for it.
    #[pyo3(signature = (until_ns=None, with_offsets=false))]
    fn advance<'py>(
        &self,
        py: Python<'py>,
        until_ns: Option<u64>,
        with_offsets: bool,
    ) -> PyResult<Bound<'py, PyList>> {
        let mut watch = Watch::new(None).with_policies([self.blame.failure()]);
        let done = self.blame.detached(py, || {
            let mut place = self.lock()?;
            let held = held_of(&mut place)?;
            let mut go_on = |report| watch.go_on(report);
            match until_ns {
                Some(until) => held.advance(until, &mut go_on),
                None => held.drain(&mut go_on),
            }
            .map_err(|error| self.blame.run(&error))?;
            let mut jobs = Vec::new();
            held.take_done(&mut jobs);
            Ok::<_, PyErr>(jobs)
        })?;
        watch.end()?;
        let jobs = done?;
        let success = PyString::intern(py, Status::Success.name());
        let status_of = |status: Status| match status {
            Status::Success => success.clone(),
            status => PyString::intern(py, status.name()),
        };
        if with_offsets {
            let rows = jobs.iter().map(|job| (job.job, job.done_ns, status_of(job.status), job.offset));
            return PyList::new(py, rows.collect::<Vec<_>>());
        }
        let rows =
            jobs.into_iter().map(|DoneJob { job, done_ns, status, .. }| (job, done_ns, status_of(status)));
        PyList::new(py, rows.collect::<Vec<_>>())
    }

    /// See [`HeldDrive::next_event`].
    fn next_event(&self) -> PyResult<Option<u64>> {
        Ok(held_of(&mut *self.lock()?)?.next_event())
    }

    /// The latest time that the drive was given, ns.
    fn now(&self) -> PyResult<u64> {
        Ok(held_of(&mut *self.lock()?)?.now())
    }

    /// Jobs that are not done.
    fn under_way(&self) -> PyResult<u64> {
        Ok(held_of(&mut *self.lock()?)?.under_way())
    }

    /// What is measured begins now.
    fn mark(&self) -> PyResult<()> {
        let mut place = self.lock()?;
        let held = held_of(&mut place)?;
        self.blame.caught(|| held.mark())
    }

    /// A second drive in the same state.
    fn fork(&self, py: Python<'_>) -> PyResult<Self> {
        let fork = self
            .blame
            .detached(py, || held_of(&mut *self.lock()?)?.fork().map_err(|error| self.blame.run(&error)))??;
        Ok(Self { held: Mutex::new(Some(fork)), blame: self.blame.clone() })
    }

    /// Writes the state of a copy that is switched off in good order.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        self.blame.detached(py, || {
            let copy = held_of(&mut *self.lock()?)?.fork().map_err(|error| self.blame.run(&error))?;
            copy.put_away().and_then(|run| run.save(&path)).map_err(|error| self.blame.run(&error))
        })?
    }

    /// The zones as they are now: `(state, first byte, written bytes, bytes of the host)` of each; None on a drive without.
    fn zones(&self) -> PyResult<Option<Vec<ZoneRow>>> {
        let mut place = self.lock()?;
        let Some(zones) = held_of(&mut place)?.zones() else { return Ok(None) };
        let row = |(number, zone): (u32, &Zone)| {
            let bytes = |sectors: u64| sectors * SECTOR_BYTES;
            (zone.state.name(), bytes(zones.start_of(number)), bytes(zone.pointer), bytes(zone.written))
        };
        Ok(Some((0..).zip(zones.all()).map(row).collect()))
    }

    /// Sends the requests of a flow, as JSON, through a log on the drive. Returns what the log did, as numbers: units that the user
    /// sees, bytes of one, requests, units written, moved, segments cleared, flushes, jobs that failed; and the response times of its
    /// user as JSON, by `read`, `write` and `all`.
    #[expect(clippy::too_many_arguments, reason = "the settings of a log")]
    #[pyo3(signature = (flow, spare, segment_bytes, free_segments, depth, fills, warmup, progress=None))]
    fn run_log(
        &self,
        py: Python<'_>,
        flow: &str,
        spare: f64,
        segment_bytes: u64,
        free_segments: u32,
        depth: u32,
        fills: bool,
        warmup: u64,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<([u64; 8], String)> {
        let flow = Flow::read(flow).map_err(|error| errors::run(&error))?;
        let settings = LogSettings { spare, segment_bytes, free_segments, depth, fills, warmup };
        let mut watch = Watch::new(progress.as_ref()).with_policies([self.blame.failure()]);
        let done = self.blame.detached(py, || {
            let mut place = self.lock()?;
            let held = held_of(&mut place)?;
            drive_log(held, &flow, &settings, &mut |report| watch.go_on(report))
                .map_err(|error| self.blame.run(&error))
        })?;
        watch.end()?;
        let Some(LogRun { shape, counts, times }) = done? else {
            return Err(errors::request("the log was stopped"));
        };
        let LogCounts { requests, written, moved, cleared, flushes, failed } = counts;
        let units = shape.logical_units();
        let numbers = [units, shape.unit_bytes, requests, written, moved, cleared, flushes, failed];
        Ok((numbers, times.to_json()))
    }

    /// Ends the drive: its memory is free again.
    fn close(&self) -> PyResult<()> {
        *self.lock()? = None;
        Ok(())
    }

    /// Operations as they arrived: `(arrival_ns, operation, offset, length, flow, handle)`; None where no log is kept.
    fn log<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyList>>> {
        let mut place = self.lock()?;
        let Some(log) = held_of(&mut place)?.log() else { return Ok(None) };
        let rows: PyResult<Vec<Bound<'py, PyTuple>>> = log
            .iter()
            .map(|&(flow, request)| {
                let (offset, length) =
                    (request.sector * SECTOR_BYTES, u64::from(request.sectors) * SECTOR_BYTES);
                (request.arrival_ns, request.op as u8, offset, length, flow, request.hint).into_pyobject(py)
            })
            .collect();
        Ok(Some(PyList::new(py, rows?)?))
    }

    /// See [`Simulation`].
    fn document(&self) -> PyResult<String> {
        self.with_run(|run| simulation::document_of(run, &self.blame))?
    }

    /// See [`Simulation`].
    fn replays(&self) -> PyResult<Vec<(&'static str, Option<u32>)>> {
        self.with_run(simulation::replays_of)
    }

    /// See [`Simulation`].
    fn warnings(&self) -> PyResult<Vec<String>> {
        self.with_run(Run::warnings)
    }

    /// See [`Simulation`].
    fn tables<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.with_run(|run| simulation::tables_of(py, run))?
    }
}

impl Drive {
    /// What its faults are put down to.
    pub fn blame(&self) -> &Blame {
        &self.blame
    }

    /// Another thread may hold the drive and wait for Python: who comes second is told so.
    pub fn lock(&self) -> PyResult<MutexGuard<'_, Option<HeldDrive>>> {
        match self.held.try_lock() {
            Ok(place) => Ok(place),
            Err(TryLockError::Poisoned(place)) => Ok(place.into_inner()),
            Err(TryLockError::WouldBlock) => {
                Err(errors::request("another thread uses the drive at this moment"))
            }
        }
    }

    fn with_run<T>(&self, work: impl FnOnce(&Run) -> T) -> PyResult<T> {
        let mut place = self.lock()?;
        let held = held_of(&mut place)?;
        self.blame.caught(|| work(held.run()))
    }

    fn submit_ops(
        &self,
        py: Python<'_>,
        at_ns: u64,
        ops: &[DriveOp],
        lengths: Option<&[u32]>,
    ) -> PyResult<u64> {
        self.blame.detached(py, || {
            held_of(&mut *self.lock()?)?.submit(at_ns, ops, lengths).map_err(|error| self.blame.run(&error))
        })?
    }
}

fn held_of(place: &mut Option<HeldDrive>) -> PyResult<&mut HeldDrive> {
    place.as_mut().ok_or_else(|| errors::request("the drive is closed"))
}

/// The operation of a number.
pub fn op_of(number: u8) -> PyResult<Op> {
    Op::ALL.get(usize::from(number)).copied().ok_or_else(|| {
        let names: Vec<_> = Op::ALL.iter().map(|op| format!("{} {}", *op as u8, op.name())).collect();
        errors::request(&format!("operation {number}: take {}", names.join(", ")))
    })
}
