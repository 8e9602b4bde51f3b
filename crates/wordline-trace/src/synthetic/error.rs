//! Errors of a synthetic workload.

use thiserror::Error;

/// A workload that cannot be generated; the message names the key, or the file and line, and the fix.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SyntheticError {
    /// A key's value is out of its range.
    #[error("workload.{key} = {value}: {expected}")]
    Range {
        /// Key inside `[workload]`.
        key: &'static str,
        /// Value as given.
        value: String,
        /// What is allowed.
        expected: String,
    },
    /// The SSD has no room for the workload's regions, even scaled down.
    #[error(
        "workload '{name}' needs at least {needed_bytes} bytes of addresses, the device leaves it {available_bytes}: \
         use a larger device, or smaller requests, alignment or workload.offset_bytes"
    )]
    CapacityTooSmall {
        /// The workload's name.
        name: String,
        /// The smallest number of bytes that is enough.
        needed_bytes: u64,
        /// Bytes that the capacity leaves after `offset_bytes`.
        available_bytes: u64,
    },
    /// A preset file that does not parse.
    #[error("{file}:{line}: {message}")]
    Preset {
        /// Name of the file.
        file: String,
        /// Line, from 1.
        line: usize,
        /// What is wrong, and what was expected.
        message: String,
    },
}

impl SyntheticError {
    /// A value out of its range.
    pub(super) fn range(key: &'static str, value: impl ToString, expected: impl Into<String>) -> Self {
        Self::Range { key, value: value.to_string(), expected: expected.into() }
    }
}
