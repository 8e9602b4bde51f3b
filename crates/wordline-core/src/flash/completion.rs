//! How a request of the host ends.

use serde::{Deserialize, Serialize};

use crate::engine::Ns;

/// What the host hears of a request that is complete, in NVMe's words (Base Specification 2.1, section 4.2.3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Status {
    /// It was served.
    #[default]
    Success,
    /// It makes no sense: it is to read, write or trim nothing.
    InvalidField,
    /// It reaches beyond the last sector.
    LbaOutOfRange,
    /// A page could not be decoded.
    UnrecoveredReadError,
}

/// Number of [`Status`]es.
pub const STATUSES: usize = Status::ALL.len();

impl Status {
    /// All of them, each at its place.
    pub const ALL: [Status; 4] =
        [Status::Success, Status::InvalidField, Status::LbaOutOfRange, Status::UnrecoveredReadError];

    /// Its name in results.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Status::Success => "success",
            Status::InvalidField => "invalid_field",
            Status::LbaOutOfRange => "lba_out_of_range",
            Status::UnrecoveredReadError => "unrecovered_read_error",
        }
    }

    /// True where the device has not begun the request.
    #[must_use]
    pub fn is_refusal(self) -> bool {
        matches!(self, Status::InvalidField | Status::LbaOutOfRange)
    }
}

/// A request is complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Completion {
    /// The request.
    pub request: u32,
    /// How it ended.
    pub status: Status,
    /// When the host sees it, ns.
    pub at: Ns,
}

/// Something of a request that is under way has failed: it will not complete with [`Status::Success`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// The request.
    pub request: u32,
    /// How it ends.
    pub status: Status,
}
