//! Flexible Data Placement (NVM Express Base Specification 2.1, section 8.1.10): the host says by a handle which data belong
//! together.

use crate::parameter::{Domain, choices, section};

choices! {
    /// Whether data of different handles share blocks when they move.
    pub enum Isolation {
        /// There are no handles
        Off = "off",
        /// Initially isolated: what is written lies apart, what moves lies together
        Initially = "initially",
        /// Persistently isolated: what moves stays with its handle
        Persistently = "persistently",
        /// Handles of `fdp.persistent_handles` are persistently isolated, others initially
        Mixed = "mixed",
    }
}

choices! {
    /// Where GC looks for a victim.
    pub enum HandleVictims {
        /// Among all groups of blocks
        Group = "group",
        /// Among those of the persistently isolated handle that has opened a group last, as long as one of them wins room
        Handle = "handle",
    }
}

/// Handles that a drive has at most.
const HANDLES_MAX: u32 = 128;

/// The number of a handle.
const HANDLE: Domain = Domain::Whole { low: 1, high: HANDLES_MAX as i64, multiple_of: 1 };

section! {
    /// `[fdp]`: reclaim unit handles. A reclaim unit is a group of blocks (`ftl.group`), or several. Handles are counted from 1.
    pub struct FdpConfig {
        /// The type of the reclaim unit handles. A write goes to the handle that it names, without one to the first.
        isolation: Isolation = Isolation::Off, word(Isolation::CHOICES);
        /// Reclaim unit handles. Each has an open group of blocks in each pool (`ftl.group`) of a reclaim group; persistently isolated
        /// ones have a second, for what moves.
        handles: u32 = 8, whole(1, HANDLES_MAX as i64).unless("fdp.isolation", &["off"])
            .source("assumed: PM9D3a and FEMU have 8");
        /// The handles that are persistently isolated.
        persistent_handles: Vec<u32> = vec![1], list(&HANDLE, 1, HANDLES_MAX as usize).when("fdp.isolation", &["mixed"]);
        /// Reclaim groups: the channels are divided into so many equal sets, and data stay in theirs. A placement identifier names a group and
        /// a handle.
        reclaim_groups: u32 = 1, whole(1, 64).unless("fdp.isolation", &["off"]);
        /// Groups of blocks in a reclaim unit: they are filled in turn, row by row, and collected and erased together.
        unit_superblocks: u32 = 1, whole(1, 64).unless("fdp.isolation", &["off"]);
        /// Where GC looks for a victim.
        victims: HandleVictims = HandleVictims::Group, word(HandleVictims::CHOICES)
            .when("fdp.isolation", &["persistently", "mixed"]);
    }
}

impl FdpConfig {
    /// There are handles.
    #[must_use]
    pub fn is_on(&self) -> bool {
        self.isolation != Isolation::Off
    }

    /// Reclaim groups: one where there are no handles.
    #[must_use]
    pub fn groups(&self) -> u32 {
        if self.is_on() { self.reclaim_groups } else { 1 }
    }

    /// Groups of blocks in a reclaim unit: one where there are no handles.
    #[must_use]
    pub fn layers(&self) -> u32 {
        if self.is_on() { self.unit_superblocks } else { 1 }
    }

    /// Data that move stay with a handle, counted from 0.
    #[must_use]
    pub fn is_persistent(&self, handle: u32) -> bool {
        match self.isolation {
            Isolation::Off | Isolation::Initially => false,
            Isolation::Persistently => true,
            Isolation::Mixed => self.persistent_handles.contains(&(handle + 1)),
        }
    }

    /// Handles whose data stay with them when they move.
    #[must_use]
    pub fn persistent(&self) -> u32 {
        (0..self.handles).filter(|&handle| self.is_persistent(handle)).count() as u32
    }

    /// Victims of GC are of the handle that is short of room.
    #[must_use]
    pub fn collects_by_handle(&self) -> bool {
        self.victims == HandleVictims::Handle && self.is_on() && self.persistent() > 0
    }
}
