//! Errors of a run, and wrong values in calls.

use std::io;

use thiserror::Error;
use wordline_core::SimError;
use wordline_core::host::SourceError;
use wordline_trace::TraceError;
use wordline_trace::synthetic::SyntheticError;

/// An error that prevents or ends a run.
#[derive(Debug, Error)]
pub enum RunError {
    /// A trace cannot be read.
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// A generator cannot be made.
    #[error(transparent)]
    Synthetic(#[from] SyntheticError),
    /// A workload cannot be run with these settings.
    #[error("{0}")]
    Workload(String),
    /// The state of a run cannot be written or loaded.
    #[error("{file}: {what}")]
    State {
        /// The file.
        file: String,
        /// What is wrong, and the fix.
        what: String,
    },
    /// The state of a run does not fit on its disk.
    #[error("{file}: cannot be written: {what}")]
    StorageFull {
        /// The file.
        file: String,
        /// What the system says.
        what: String,
    },
    /// The simulation could not go on.
    #[error(transparent)]
    Simulation(#[from] SimError),
}

impl RunError {
    /// Converts an error of a source of requests.
    pub(crate) fn of_source(error: SourceError) -> RunError {
        match error.downcast::<TraceError>() {
            Ok(error) => RunError::Trace(*error),
            Err(error) => RunError::Workload(error.to_string()),
        }
    }
}

/// True where a file could not be written for want of room.
#[must_use]
pub fn is_storage_full(error: &io::Error) -> bool {
    use io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
    matches!(error.kind(), StorageFull | QuotaExceeded | FileTooLarge)
}

/// An unknown value, or a configuration without a part that the call needs.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{0}")]
pub struct WrongValue(pub String);

impl WrongValue {
    pub(crate) fn new(message: &str) -> WrongValue {
        WrongValue(message.to_owned())
    }
}
