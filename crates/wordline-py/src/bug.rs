//! Converts a panic to an exception: a fault of Wordline, or of a state that somebody changed after it was saved.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind};

use pyo3::prelude::*;
use wordline_core::SimError;
use wordline_run::RunError;

use crate::errors;
use crate::policies::Failure;

thread_local! {
    /// Message and place of the last panic of this thread.
    static SAID: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Keeps the message of a panic for the exception instead of printing it.
pub fn keep_panics() {
    std::panic::set_hook(Box::new(|info: &PanicHookInfo<'_>| {
        let what = info.payload_as_str().unwrap_or("no reason given");
        let place = info.location().map(|place| format!(" ({}:{})", place.file(), place.line()));
        SAID.set(format!("{what}{}", place.unwrap_or_default()));
    }));
}

/// Runs `work` and returns its result.
///
/// # Errors
/// `BugError` if it panics.
pub fn caught<T>(work: impl FnOnce() -> T) -> PyResult<T> {
    // The exception ends the call, and its object is not used again after it.
    catch_unwind(AssertUnwindSafe(work)).map_err(|_| errors::bug(&SAID.take()))
}

/// Like [`caught`], for long work: other Python threads may run during it.
///
/// # Errors
/// See [`caught`].
pub fn detached<T: Send>(py: Python<'_>, work: impl FnOnce() -> T + Send) -> PyResult<T> {
    py.detach(|| catch_unwind(AssertUnwindSafe(work))).map_err(|_| errors::bug(&SAID.take()))
}

/// What a panic and a failed check are put down to: Wordline, or the state that a run goes on from. Whether all that a state names is
/// there is checked when it is loaded; what its numbers say of each other shows as the run goes on.
///
/// A run with policies in Python ends with the first error of one of them, whatever came of it.
#[derive(Clone, Default)]
pub struct Blame {
    state: Option<String>,
    failure: Failure,
}

impl Blame {
    /// The state of a file, if the run goes on from one, and the policies in Python, if it has some.
    pub fn on(state: Option<&String>, failure: &Failure) -> Blame {
        Blame { state: state.cloned(), failure: failure.clone() }
    }

    /// What the policies in Python have done wrong.
    pub fn failure(&self) -> &Failure {
        &self.failure
    }

    /// The first of several that is a state's.
    pub fn first<'a>(all: impl IntoIterator<Item = &'a Blame>) -> Blame {
        all.into_iter()
            .find(|blame| blame.state.is_some() || blame.failure.is_there())
            .cloned()
            .unwrap_or_default()
    }

    /// See [`caught`].
    pub fn caught<T>(&self, work: impl FnOnce() -> T) -> PyResult<T> {
        let done = catch_unwind(AssertUnwindSafe(work)).map_err(|_| self.panicked());
        self.unless_failed(done)
    }

    /// See [`detached`].
    pub fn detached<T: Send>(&self, py: Python<'_>, work: impl FnOnce() -> T + Send) -> PyResult<T> {
        let done = py.detach(|| catch_unwind(AssertUnwindSafe(work)).map_err(|_| self.panicked()));
        self.unless_failed(done)
    }

    /// What was done, unless a policy in Python has failed.
    fn unless_failed<T>(&self, done: PyResult<T>) -> PyResult<T> {
        if !self.failure.is_there() {
            return done;
        }
        Python::attach(|py| self.failure.error(py)).map_or(done, Err)
    }

    /// The exception for an error of a run.
    pub fn run(&self, error: &RunError) -> PyErr {
        match error {
            RunError::Simulation(error) => self.simulation(error),
            error => errors::run(error),
        }
    }

    /// The exception for an error of a simulation.
    pub fn simulation(&self, error: &SimError) -> PyErr {
        match (&self.state, error) {
            (Some(state), SimError::Check(what)) => errors::changed_state(state, what),
            _ => errors::simulation(error),
        }
    }

    fn panicked(&self) -> PyErr {
        let said = SAID.take();
        self.state.as_ref().map_or_else(|| errors::bug(&said), |state| errors::changed_state(state, &said))
    }
}
