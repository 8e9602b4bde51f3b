//! Regular calls to Python during long work: checks for Ctrl-C, and reports progress.

use std::time::Duration;

use pyo3::prelude::*;
use wordline_run::Report;

use crate::policies::Failure;

/// Wall time between two checks, s; `WORDLINE_PROGRESS_S` names another one.
const INTERVAL_S: f64 = 0.1;

/// See [`INTERVAL_S`].
fn interval() -> Duration {
    let given = std::env::var("WORDLINE_PROGRESS_S").ok().and_then(|text| text.parse().ok());
    Duration::from_secs_f64(given.filter(|seconds| (0.0..=60.0).contains(seconds)).unwrap_or(INTERVAL_S))
}

#[expect(
    clippy::disallowed_types,
    reason = "how often Python is asked follows wall time, and no result does"
)]
type Clock = std::time::Instant;

/// Checks with Python every [`INTERVAL_S`], from a thread that is otherwise detached from it.
pub struct Watch<'a> {
    callback: Option<&'a Py<PyAny>>,
    interval: Duration,
    next: Clock,
    save_at: Option<Clock>,
    is_save_time: bool,
    failure: Option<PyErr>,
    policies: Vec<Failure>,
}

impl<'a> Watch<'a> {
    /// Builds a watch that calls `callback(fraction, requests, simulated_ns)`, if there is one.
    pub fn new(callback: Option<&'a Py<PyAny>>) -> Self {
        let interval = interval();
        Self {
            callback,
            interval,
            next: Clock::now() + interval,
            save_at: None,
            is_save_time: false,
            failure: None,
            policies: Vec::new(),
        }
    }

    /// The same; it also stops after an error of policies in Python.
    pub fn with_policies<'f>(self, policies: impl IntoIterator<Item = &'f Failure>) -> Self {
        Self { policies: policies.into_iter().cloned().collect(), ..self }
    }

    /// Returns false if the run should stop: on a signal, after an exception of the callback, or to save.
    pub fn go_on(&mut self, report: Report) -> bool {
        if self.failure.is_some() || self.policies.iter().any(Failure::is_there) {
            return false;
        }
        if Clock::now() < self.next {
            return true;
        }
        self.failure = Python::attach(|py| self.tell(py, report)).err();
        self.next = Clock::now() + self.interval;
        self.is_save_time = self.failure.is_none() && self.save_at.is_some_and(|at| Clock::now() >= at);
        self.failure.is_none() && !self.is_save_time
    }

    /// Does something in Python; an exception stops the run.
    pub fn hand_over(&mut self, give: impl FnOnce(Python<'_>) -> PyResult<()>) {
        if let Err(error) = Python::attach(give) {
            self.failure.get_or_insert(error);
        }
    }

    /// An exception has stopped the run.
    pub fn has_failed(&self) -> bool {
        self.failure.is_some()
    }

    /// Lets the run stop after this many seconds, to save its state.
    pub fn save_in(&mut self, seconds: f64) {
        self.save_at = Some(Clock::now() + Duration::from_secs_f64(seconds));
    }

    /// Returns true once if the run was stopped to save.
    pub fn takes_save_time(&mut self) -> bool {
        std::mem::take(&mut self.is_save_time)
    }

    fn tell(&self, py: Python<'_>, report: Report) -> PyResult<()> {
        py.check_signals()?;
        if let Some(callback) = self.callback {
            callback.call1(py, (report.fraction, report.requests, report.simulated_ns))?;
        }
        Ok(())
    }

    /// Ends the watch.
    ///
    /// # Errors
    /// The exception that stopped the work, if this watch stopped it.
    pub fn end(self) -> PyResult<()> {
        self.failure.map_or(Ok(()), Err)
    }
}
