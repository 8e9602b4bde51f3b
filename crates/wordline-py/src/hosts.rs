//! Hosts with feedback on drives that Python holds.

use std::sync::MutexGuard;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use wordline_run::hosts::{Finished, Striped, Task, Tasks, run};
use wordline_run::{DriveOp, HeldDrive};

use crate::bug::Blame;
use crate::errors;
use crate::held::{Drive, op_of};
use crate::watch::Watch;

/// What became of tasks, as columns of bytes: when a thread took each, when it was done, and flags (1: a read of it
/// came to a die at the drive's own work; 2: it failed).
type Columns<'py> = (Bound<'py, PyBytes>, Bound<'py, PyBytes>, Bound<'py, PyBytes>);

/// Carries out tasks on drives that are one address space; see [`Tasks`]. Columns are little-endian bytes: of tasks 64
/// bits of time, 8 of the pool, 32 of the task before plus one, 32 of how many operations; of operations 8, 64 and 64
/// bits, and 8 of the placement handle.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "columns of two tables")]
#[pyo3(signature = (drives, chunk_bytes, threads, at, pool, after, count, op, offset, length, handle, mark_ns=None, progress=None))]
pub fn run_tasks<'py>(
    py: Python<'py>,
    drives: Vec<Py<Drive>>,
    chunk_bytes: u64,
    threads: Vec<usize>,
    at: &[u8],
    pool: &[u8],
    after: &[u8],
    count: &[u8],
    op: &[u8],
    offset: &[u8],
    length: &[u8],
    handle: &[u8],
    mark_ns: Option<u64>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Columns<'py>> {
    let tasks = tasks_of(at, pool, after, count)?;
    let ops = ops_of(op, offset, length, handle)?;
    let stripes = Striped { drives: drives.len() as u64, chunk_bytes };
    let mut host = Tasks::new(tasks, ops, &threads, stripes, mark_ns)
        .map_err(|error| PyValueError::new_err(error.to_string()))?;
    let failures = drives.iter().map(|drive| drive.get().blame().failure());
    let mut watch = Watch::new(progress.as_ref()).with_policies(failures);
    let blame = Blame::first(drives.iter().map(|drive| drive.get().blame()));
    let ended = blame.detached(py, || {
        let mut places: Vec<MutexGuard<'_, Option<HeldDrive>>> =
            drives.iter().map(|drive| drive.get().lock()).collect::<PyResult<_>>()?;
        let mut held = Vec::new();
        for place in &mut places {
            held.push(place.take().ok_or_else(|| errors::request("the drive is closed"))?);
        }
        let ended = run(&mut host, &mut held, &mut |report| watch.go_on(report));
        for (place, drive) in places.iter_mut().zip(held) {
            **place = Some(drive);
        }
        ended.map_err(|error| blame.run(&error))
    })?;
    watch.end()?;
    drives.iter().try_for_each(|drive| drive.get().blame().caught(|| ()))?;
    ended?;
    let finished = host.finished();
    let wide = |value: fn(&Finished) -> u64| -> Vec<u8> {
        finished.iter().flat_map(|each| value(each).to_le_bytes()).collect()
    };
    let flags: Vec<u8> =
        finished.iter().map(|each| u8::from(each.behind_own_work) | u8::from(each.failed) << 1).collect();
    Ok((
        PyBytes::new(py, &wide(|each| each.begun_ns)),
        PyBytes::new(py, &wide(|each| each.done_ns)),
        PyBytes::new(py, &flags),
    ))
}

fn tasks_of(at: &[u8], pool: &[u8], after: &[u8], count: &[u8]) -> PyResult<Vec<Task>> {
    let rows = pool.len();
    if at.len() != 8 * rows || after.len() != 4 * rows || count.len() != 4 * rows {
        return Err(PyValueError::new_err("columns of different lengths"));
    }
    let task = |row: usize| Task {
        at: wide(at, row),
        pool: usize::from(pool[row]),
        after: (narrow(after, row) as usize).checked_sub(1),
        ops: narrow(count, row) as usize,
    };
    Ok((0..rows).map(task).collect())
}

fn ops_of(op: &[u8], offset: &[u8], length: &[u8], handle: &[u8]) -> PyResult<Vec<DriveOp>> {
    let rows = op.len();
    if offset.len() != 8 * rows || length.len() != 8 * rows || handle.len() != rows {
        return Err(PyValueError::new_err("columns of different lengths"));
    }
    let row = |row: usize| {
        let (offset, bytes) = (wide(offset, row), wide(length, row));
        Ok(DriveOp { op: op_of(op[row])?, offset, bytes, flow: 0, handle: handle[row].into() })
    };
    (0..rows).map(row).collect()
}

fn wide(column: &[u8], row: usize) -> u64 {
    u64::from_le_bytes(column[8 * row..8 * row + 8].try_into().unwrap_or_default())
}

fn narrow(column: &[u8], row: usize) -> u32 {
    u32::from_le_bytes(column[4 * row..4 * row + 4].try_into().unwrap_or_default())
}
