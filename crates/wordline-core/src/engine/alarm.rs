//! What rings at a time of its own, besides what is under way.

use super::Event;

/// An alarm of a part of the SSD.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alarm {
    /// Blocks are looked at whose data may be due for a refresh.
    Refresh,
    /// Fast pages are looked for whose rewrites are due.
    Rewrites,
    /// Pages in the cache have waited long enough for the rest of them.
    Cache,
    /// Units have waited long enough for others that share their program.
    Packing,
    /// The host may have become idle, so that the SLC cache is folded.
    Idle,
    /// The unit of the journal that is being filled has waited long enough.
    Journal,
    /// Open groups are looked at that nobody may write to any more.
    OpenGroups,
}

impl Alarm {
    /// All of them, in the order of their numbers.
    pub const ALL: [Alarm; 7] = [
        Alarm::Refresh,
        Alarm::Rewrites,
        Alarm::Cache,
        Alarm::Packing,
        Alarm::Idle,
        Alarm::Journal,
        Alarm::OpenGroups,
    ];

    /// The alarm of an [`Event::Alarm`].
    #[must_use]
    pub fn numbered(number: u32) -> Alarm {
        Alarm::ALL[number as usize]
    }

    /// The event of its ringing.
    #[must_use]
    pub fn event(self) -> Event {
        Event::Alarm(self as u32)
    }

    /// It rings at intervals. The others ring once, when they were set.
    #[must_use]
    pub fn is_periodic(self) -> bool {
        matches!(self, Alarm::Refresh | Alarm::Rewrites | Alarm::OpenGroups)
    }

    /// It does not ring once nothing comes from the host any more: what is due later is due when the SSD is used again.
    #[must_use]
    pub fn ends_with_host(self) -> bool {
        matches!(self, Alarm::Rewrites | Alarm::OpenGroups | Alarm::Idle | Alarm::Journal)
    }
}
