//! One zone.

use serde::{Deserialize, Serialize};

/// The states of a zone (2.1.1.3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum ZoneState {
    /// Nothing is written.
    #[default]
    Empty,
    /// A write or an append has opened it.
    ImplicitlyOpened,
    /// The host has opened it.
    ExplicitlyOpened,
    /// Written in part, or opened once, and not open.
    Closed,
    /// It takes no further write.
    Full,
    /// It can only be read.
    ReadOnly,
    /// It cannot be used.
    Offline,
}

impl ZoneState {
    /// All of them.
    pub const ALL: [ZoneState; 7] = [
        ZoneState::Empty,
        ZoneState::ImplicitlyOpened,
        ZoneState::ExplicitlyOpened,
        ZoneState::Closed,
        ZoneState::Full,
        ZoneState::ReadOnly,
        ZoneState::Offline,
    ];

    /// Its name in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            ZoneState::Empty => "empty",
            ZoneState::ImplicitlyOpened => "implicitly-opened",
            ZoneState::ExplicitlyOpened => "explicitly-opened",
            ZoneState::Closed => "closed",
            ZoneState::Full => "full",
            ZoneState::ReadOnly => "read-only",
            ZoneState::Offline => "offline",
        }
    }

    /// It takes writes, and counts as open.
    #[must_use]
    pub fn is_open(self) -> bool {
        matches!(self, ZoneState::ImplicitlyOpened | ZoneState::ExplicitlyOpened)
    }

    /// It counts as active.
    #[must_use]
    pub fn is_active(self) -> bool {
        self.is_open() || self == ZoneState::Closed
    }
}

/// A zone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Zone {
    /// What it is.
    pub state: ZoneState,
    /// Its write pointer: sectors from its start. At its capacity where it was finished.
    pub pointer: u64,
    /// Sectors that the host has written since the last reset.
    pub written: u64,
    /// The number of the write or append that it took last.
    pub(super) written_at: u64,
}
