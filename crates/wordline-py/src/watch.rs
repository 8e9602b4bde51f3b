//! What a long run does for Python now and then: look for Ctrl-C, and tell how far it is.

use std::time::Duration;

use pyo3::prelude::*;
use wordline_run::Report;

/// Wall time between two looks.
const INTERVAL: Duration = Duration::from_millis(100);

#[expect(
    clippy::disallowed_types,
    reason = "how often Python is asked follows wall time, and no result does"
)]
type Clock = std::time::Instant;

/// Looks at Python every [`INTERVAL`], from a thread that is otherwise detached from it.
pub struct Watch<'a> {
    callback: Option<&'a Py<PyAny>>,
    next: Clock,
    failure: Option<PyErr>,
}

impl<'a> Watch<'a> {
    /// Tells `callback(fraction, requests, simulated_ns)`, if there is one.
    pub fn new(callback: Option<&'a Py<PyAny>>) -> Self {
        Self { callback, next: Clock::now() + INTERVAL, failure: None }
    }

    /// False when the run should stop: on a signal, or when the callback raised.
    pub fn go_on(&mut self, report: Report) -> bool {
        if self.failure.is_some() {
            return false;
        }
        if Clock::now() < self.next {
            return true;
        }
        self.failure = Python::attach(|py| self.tell(py, report)).err();
        self.next = Clock::now() + INTERVAL;
        self.failure.is_none()
    }

    fn tell(&self, py: Python<'_>, report: Report) -> PyResult<()> {
        py.check_signals()?;
        if let Some(callback) = self.callback {
            callback.call1(py, (report.fraction, report.requests, report.simulated_ns))?;
        }
        Ok(())
    }

    /// The work is over.
    ///
    /// # Errors
    /// What stopped it, if it was this watch.
    pub fn end(self) -> PyResult<()> {
        self.failure.map_or(Ok(()), Err)
    }
}
