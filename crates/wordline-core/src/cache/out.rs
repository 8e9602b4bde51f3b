//! What leaves the cache for an access.

use crate::flash::{Notice, Owner, PageOp, SectorMask};

/// Sectors of a page operation of the host that the cache has taken in, or serves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moved {
    /// The request.
    pub owner: Owner,
    /// How many.
    pub sectors: u32,
    /// They are all that the operation asked for.
    pub is_all: bool,
}

/// What leaves the cache for an access.
#[derive(Debug, Default)]
pub struct CacheOut {
    /// Page operations for the FTL.
    pub ops: Vec<PageOp>,
    /// Pages for the FTL that have to be read from DRAM first.
    pub leaving: Vec<PageOp>,
    /// Owners that were served without data.
    pub served: Vec<Owner>,
    /// What crosses the DRAM for the host.
    pub moved: Vec<Moved>,
    /// What it has taken in and given to flash; kept in checked mode and for a live host.
    pub notes: Option<Vec<Notice>>,
}

impl CacheOut {
    pub(super) fn moved(&mut self, owner: Owner, sectors: SectorMask, is_all: bool) {
        self.moved.push(Moved { owner, sectors: sectors.count_ones(), is_all });
    }

    /// Pages that go to the FTL, now or later.
    pub fn all_ops(&self) -> impl Iterator<Item = &PageOp> {
        self.leaving.iter().chain(&self.ops)
    }
}
