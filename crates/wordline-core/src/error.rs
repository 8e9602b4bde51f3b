//! What can go wrong in a run.

use thiserror::Error;

/// Why a simulation could not go on.
#[derive(Debug, Error)]
pub enum SimError {
    /// A write has nowhere to go, now or ever.
    #[error("the SSD is out of space: {0}")]
    OutOfSpace(String),
    /// A run that gets nowhere, although something goes on.
    #[error("the run gets nowhere: {0}")]
    Stuck(String),
    /// A request that the device cannot serve.
    #[error("{0}")]
    Request(String),
    /// A workload could not be read; the message names file and line.
    #[error("{0}")]
    Workload(Box<dyn std::error::Error + Send + Sync>),
    /// An arrival, or the run itself, is later than [`crate::TIME_MAX`].
    #[error("{0}")]
    TooLate(String),
    /// Checked mode found that the simulator contradicts itself.
    #[error("check failed: {0}")]
    Check(String),
    /// The caller asked to stop.
    #[error("stopped")]
    Stopped,
}
