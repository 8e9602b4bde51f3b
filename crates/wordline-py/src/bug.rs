//! A panic is a fault of Wordline's: it becomes an exception that says so.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind};

use pyo3::prelude::*;

use crate::errors;

thread_local! {
    /// What the last panic of this thread said, and where.
    static SAID: RefCell<String> = const { RefCell::new(String::new()) };
}

/// From now on a panic is kept for the exception instead of being printed.
pub fn keep_panics() {
    std::panic::set_hook(Box::new(|info: &PanicHookInfo<'_>| {
        let what = info.payload_as_str().unwrap_or("no reason given");
        let place = info.location().map(|place| format!(" ({}:{})", place.file(), place.line()));
        SAID.set(format!("{what}{}", place.unwrap_or_default()));
    }));
}

/// What `work` returns.
///
/// # Errors
/// `BugError` when it panics.
pub fn caught<T>(work: impl FnOnce() -> T) -> PyResult<T> {
    // What was under way is not used again: the exception ends the call, and its object is of no use then.
    catch_unwind(AssertUnwindSafe(work)).map_err(|_| errors::bug(&SAID.take()))
}

/// As [`caught`], for work that takes long: other threads of Python may run meanwhile.
///
/// # Errors
/// See [`caught`].
pub fn detached<T: Send>(py: Python<'_>, work: impl FnOnce() -> T + Send) -> PyResult<T> {
    py.detach(|| catch_unwind(AssertUnwindSafe(work))).map_err(|_| errors::bug(&SAID.take()))
}
