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
    /// The SSD lost its power before it had answered (Commands Aborted due to Power Loss Notification).
    AbortedPowerLoss,
    /// It waited in its submission queue when the SSD was switched off (Command Aborted due to SQ Deletion).
    AbortedSqDeletion,
}

/// Number of [`Status`]es.
pub const STATUSES: usize = Status::ALL.len();

impl Status {
    /// All of them, each at its place.
    pub const ALL: [Status; 6] = [
        Status::Success,
        Status::InvalidField,
        Status::LbaOutOfRange,
        Status::UnrecoveredReadError,
        Status::AbortedPowerLoss,
        Status::AbortedSqDeletion,
    ];

    /// Its name in results.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Status::Success => "success",
            Status::InvalidField => "invalid_field",
            Status::LbaOutOfRange => "lba_out_of_range",
            Status::UnrecoveredReadError => "unrecovered_read_error",
            Status::AbortedPowerLoss => "aborted_power_loss",
            Status::AbortedSqDeletion => "aborted_sq_deletion",
        }
    }

    /// True where the device did what was asked, as far as it could; what it refused, or did not come to, has no response
    /// time that counts.
    #[must_use]
    pub fn is_carried_out(self) -> bool {
        matches!(self, Status::Success | Status::UnrecoveredReadError)
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
