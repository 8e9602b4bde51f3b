//! Why a run could not begin or go on, and what was asked wrongly.

use thiserror::Error;
use wordline_core::SimError;
use wordline_core::host::SourceError;
use wordline_trace::TraceError;
use wordline_trace::synthetic::SyntheticError;

/// Why a run could not begin or go on.
#[derive(Debug, Error)]
pub enum RunError {
    /// A trace cannot be read.
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// A generator cannot be made.
    #[error(transparent)]
    Synthetic(#[from] SyntheticError),
    /// A workload cannot be run as asked.
    #[error("{0}")]
    Workload(String),
    /// The state of a run cannot be written or loaded.
    #[error("{file}: {what}")]
    State {
        /// The file.
        file: String,
        /// What is wrong, and what helps.
        what: String,
    },
    /// The simulation could not go on.
    #[error(transparent)]
    Simulation(#[from] SimError),
}

impl RunError {
    /// From what a source of requests says.
    pub(crate) fn of_source(error: SourceError) -> RunError {
        match error.downcast::<TraceError>() {
            Ok(error) => RunError::Trace(*error),
            Err(error) => RunError::Workload(error.to_string()),
        }
    }
}

/// A value that is none of those that there are, or a configuration that lacks what is asked of it.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{0}")]
pub struct WrongValue(pub String);

impl WrongValue {
    pub(crate) fn new(message: &str) -> WrongValue {
        WrongValue(message.to_owned())
    }
}
