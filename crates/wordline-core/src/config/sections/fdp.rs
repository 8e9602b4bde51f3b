//! Flexible Data Placement (NVM Express Base Specification 2.1, section 8.1.10): the host says by a handle which data belong
//! together.

use crate::parameter::{choices, section};

choices! {
    /// Whether data of different handles share blocks when they move.
    pub enum Isolation {
        /// There are no handles
        Off = "off",
        /// Initially isolated: what is written lies apart, what moves lies together
        Initially = "initially",
        /// Persistently isolated: what moves stays with its handle
        Persistently = "persistently",
    }
}

section! {
    /// `[fdp]`: reclaim unit handles. A reclaim unit is a group of blocks (`ftl.group`), and there is one reclaim group.
    pub struct FdpConfig {
        /// The type of all reclaim unit handles. A write goes to the handle that it names, without one to the first.
        isolation: Isolation = Isolation::Off, word(Isolation::CHOICES);
        /// Reclaim unit handles. Each has an open group of blocks in each pool (`ftl.group`); persistently isolated ones have a second,
        /// for what moves.
        handles: u32 = 8, whole(1, 128).unless("fdp.isolation", &["off"])
            .source("assumed: PM9D3a and FEMU have 8");
    }
}

impl FdpConfig {
    /// There are handles.
    #[must_use]
    pub fn is_on(&self) -> bool {
        self.isolation != Isolation::Off
    }

    /// Data that move stay with their handle.
    #[must_use]
    pub fn is_persistent(&self) -> bool {
        self.isolation == Isolation::Persistently
    }
}
