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
    /// The drive has no such command (Invalid Command Opcode, 01h).
    InvalidOpcode,
    /// It would leave its zone, or the capacity of its zone (B8h).
    ZoneBoundaryError,
    /// It writes to a zone that is full (B9h).
    ZoneIsFull,
    /// It writes to a zone that can only be read (BAh).
    ZoneIsReadOnly,
    /// Its zone cannot be used (BBh).
    ZoneIsOffline,
    /// It does not write at the write pointer of its zone (BCh).
    ZoneInvalidWrite,
    /// It would make one zone more active than the drive allows (BDh).
    TooManyActiveZones,
    /// It would open one zone more than the drive allows, and the host has opened all that are open (BEh).
    TooManyOpenZones,
    /// Its zone does not go from the state that it is in to the one that is asked for (BFh).
    InvalidZoneTransition,
}

/// Number of [`Status`]es.
pub const STATUSES: usize = Status::ALL.len();

impl Status {
    /// All of them, each at its place.
    pub const ALL: [Status; 15] = [
        Status::Success,
        Status::InvalidField,
        Status::LbaOutOfRange,
        Status::UnrecoveredReadError,
        Status::AbortedPowerLoss,
        Status::AbortedSqDeletion,
        Status::InvalidOpcode,
        Status::ZoneBoundaryError,
        Status::ZoneIsFull,
        Status::ZoneIsReadOnly,
        Status::ZoneIsOffline,
        Status::ZoneInvalidWrite,
        Status::TooManyActiveZones,
        Status::TooManyOpenZones,
        Status::InvalidZoneTransition,
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
            Status::InvalidOpcode => "invalid_opcode",
            Status::ZoneBoundaryError => "zone_boundary_error",
            Status::ZoneIsFull => "zone_is_full",
            Status::ZoneIsReadOnly => "zone_is_read_only",
            Status::ZoneIsOffline => "zone_is_offline",
            Status::ZoneInvalidWrite => "zone_invalid_write",
            Status::TooManyActiveZones => "too_many_active_zones",
            Status::TooManyOpenZones => "too_many_open_zones",
            Status::InvalidZoneTransition => "invalid_zone_transition",
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
    /// Its first sector: of an append, the one that the drive has chosen.
    pub sector: u64,
}

/// Something of a request that is under way has failed: it will not complete with [`Status::Success`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// The request.
    pub request: u32,
    /// How it ends.
    pub status: Status,
}
