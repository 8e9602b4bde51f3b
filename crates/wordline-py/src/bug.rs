//! Converts a panic, which is always a fault in Wordline, to an exception.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind};

use pyo3::prelude::*;

use crate::errors;

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
