//! A Python object that is asked: its calls, its first error, its state.

use std::cell::Cell;
use std::fmt;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use wordline_core::engine::{LoadError, Loader, Saver};
use wordline_core::policy::{DeviceView, External};

/// The first error of the Python policies of a run. From then on none of them is asked, and the run stops at its next report.
///
/// Ctrl-C that comes while one is asked is such an error, too. It is raised once: what was measured can be looked at, but the run is not what
/// it would have been, so it has no state.
#[derive(Clone, Default)]
pub struct Failure(Arc<Kept>);

#[derive(Default)]
struct Kept {
    is_there: AtomicBool,
    was_interrupted: AtomicBool,
    error: Mutex<Option<PyErr>>,
}

impl Failure {
    /// There is one.
    pub fn is_there(&self) -> bool {
        self.0.is_there.load(Ordering::Relaxed)
    }

    /// The error, for each call that comes after it; of an interruption for the first one.
    pub fn error(&self, py: Python<'_>) -> Option<PyErr> {
        let kept = self.0.error.lock().unwrap_or_else(PoisonError::into_inner);
        let error = kept.as_ref().map(|error| error.clone_ref(py));
        if error.as_ref().is_some_and(|error| error.is_instance_of::<PyKeyboardInterrupt>(py)) {
            self.0.was_interrupted.store(true, Ordering::Relaxed);
            self.0.is_there.store(false, Ordering::Relaxed);
        }
        error
    }

    /// Ctrl-C came while a policy was asked.
    pub fn was_interrupted(&self) -> bool {
        self.0.was_interrupted.load(Ordering::Relaxed)
    }

    fn keep(&self, error: PyErr) {
        let mut kept = self.0.error.lock().unwrap_or_else(PoisonError::into_inner);
        kept.get_or_insert(error);
        self.0.is_there.store(true, Ordering::Relaxed);
    }
}

/// A policy of one SSD.
pub struct Asked {
    slot: &'static str,
    seed: u64,
    /// An `Asked` of Python; `None` if it could not be made, which is a failure.
    policy: Option<Py<PyAny>>,
    failure: Failure,
    times: Cell<u64>,
}

impl fmt::Debug for Asked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.slot)
    }
}

impl Asked {
    /// A policy that begins as the object that Python gave.
    pub fn new(slot: &'static str, held: &Py<PyAny>, failure: Failure, device: &DeviceView<'_>) -> Asked {
        let made = Python::attach(|py| {
            held.bind(py).call_method1("begin", (shown(py, device)?,)).map(Bound::unbind)
        });
        let policy = made.map_err(|error| failure.keep(error)).ok();
        Asked { slot, seed: device.seed, policy, failure, times: Cell::new(0) }
    }

    /// Seed of the random numbers of this question.
    pub fn seed(&self) -> String {
        format!("{} {} {}", self.seed, self.slot, self.times.get())
    }

    /// Asks a method, and reads what it returns. `None` if there was an error, now or before.
    pub fn ask<T>(
        &self,
        method: &str,
        view: impl FnOnce(Python<'_>) -> PyResult<Py<PyAny>>,
        read: impl FnOnce(&Bound<'_, PyAny>) -> Result<T, String>,
    ) -> Option<T> {
        self.call(method, |py| Ok((view(py)?,).into_pyobject(py)?.unbind()), read)
    }

    /// The same of a method without arguments.
    pub fn ask_plain<T>(
        &self,
        method: &str,
        read: impl FnOnce(&Bound<'_, PyAny>) -> Result<T, String>,
    ) -> Option<T> {
        self.call(method, |py| Ok(PyTuple::empty(py).unbind()), read)
    }

    fn call<T>(
        &self,
        method: &str,
        arguments: impl FnOnce(Python<'_>) -> PyResult<Py<PyTuple>>,
        read: impl FnOnce(&Bound<'_, PyAny>) -> Result<T, String>,
    ) -> Option<T> {
        let policy = self.policy.as_ref()?;
        if self.failure.is_there() || self.failure.was_interrupted() {
            return None;
        }
        self.times.set(self.times.get() + 1);
        Python::attach(|py| {
            let policy = policy.bind(py);
            let answer = policy.getattr(method).and_then(|asked| asked.call1(arguments(py)?.bind(py)));
            let said =
                answer.map_err(|error| policy.call_method1("explained", (method, error.into_value(py))));
            let said = said.and_then(|answer| {
                read(&answer).map_err(|wanted| policy.call_method1("refused", (method, answer, wanted)))
            });
            said.map_err(|error| self.failure.keep(error.map_or_else(|error| error, PyErr::from_value))).ok()
        })
    }
}

impl External for Asked {
    fn save(&self, to: &mut Saver<'_>) -> io::Result<()> {
        if self.failure.was_interrupted() {
            let why = "Ctrl-C came while a policy in Python was asked, and the run went on without its answer; press it again another time";
            return Err(io::Error::other(why));
        }
        let Some(policy) = &self.policy else { return Err(io::Error::other("the policy failed")) };
        let bytes: PyResult<Vec<u8>> =
            Python::attach(|py| policy.bind(py).call_method0("state").and_then(|bytes| bytes.extract()));
        to.value(&(self.times.get(), bytes.map_err(|error| io::Error::other(said(&error)))?))
    }

    fn load(&mut self, from: &mut Loader<'_>) -> Result<(), LoadError> {
        let (times, bytes): (u64, Vec<u8>) = from.value()?;
        self.times.set(times);
        let Some(policy) = &self.policy else { return Err(LoadError::Other("the policy failed".to_owned())) };
        Python::attach(|py| policy.bind(py).call_method1("restore", (bytes,)).map(drop))
            .map_err(|error| LoadError::Other(said(&error)))
    }
}

/// The message of an error, without its class.
fn said(error: &PyErr) -> String {
    Python::attach(|py| error.value(py).to_string())
}

/// What a policy knows of the device when it begins.
fn shown<'py>(py: Python<'py>, device: &DeviceView<'_>) -> PyResult<Bound<'py, PyDict>> {
    let geometry = &device.geometry;
    let shown = PyDict::new(py);
    shown.set_item("seed", device.seed)?;
    shown.set_item("channels", geometry.channels)?;
    shown.set_item("dies", geometry.planes() / geometry.planes_per_die)?;
    shown.set_item("planes", geometry.planes())?;
    shown.set_item("blocks_per_plane", geometry.blocks_per_plane)?;
    shown.set_item("pages_per_block", geometry.pages_per_block)?;
    shown.set_item("page_bytes", geometry.page_bytes)?;
    Ok(shown)
}

/// A truth that a policy returns.
pub fn truth(answer: &Bound<'_, PyAny>) -> Result<bool, String> {
    // One of NumPy's is none of Python's.
    let is_word = |word: &str| answer.get_type().name().is_ok_and(|name| name == word);
    if is_word("bool") || is_word("bool_") {
        return answer.is_truthy().map_err(|error| error.to_string());
    }
    Err("True or False".to_owned())
}

/// A time that a policy returns, ns; or none.
pub fn time(answer: &Bound<'_, PyAny>) -> Result<Option<u64>, String> {
    if answer.is_none() {
        return Ok(None);
    }
    let number = answer.call_method0("__index__").and_then(|number| number.extract::<u64>());
    let in_range = number.ok().filter(|&time| time <= wordline_core::TIME_MAX);
    in_range.map(Some).ok_or_else(|| format!("whole ns from 0 to {}, or None", wordline_core::TIME_MAX))
}
