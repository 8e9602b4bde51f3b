//! What leaves the cache for an access.

use crate::flash::{Notice, Owner, PageOp, SectorMask};

/// Sectors of a request that the cache has taken in, or serves, together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moved {
    /// The request.
    pub owner: Owner,
    /// How many.
    pub sectors: u32,
    /// Page operations of the request that ask for nothing else.
    pub served: u32,
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
    /// What crosses the DRAM for the host, one transfer each.
    pub moved: Vec<Moved>,
    /// Transfers that nothing is added to any more.
    sealed: usize,
    /// Page operations that were there before the same moment.
    sealed_ops: usize,
    /// What it has taken in and given to flash; kept in checked mode and for a live host.
    pub notes: Option<Vec<Notice>>,
}

impl CacheOut {
    /// Sectors of a page operation cross the DRAM, and are all of it or not. Those of one request that follow each other do so together.
    pub(super) fn moved(&mut self, owner: Owner, sectors: SectorMask, is_all: bool) {
        let (sectors, served) = (sectors.count_ones(), u32::from(is_all));
        match self.moved[self.sealed..].last_mut() {
            Some(last) if last.owner == owner => {
                last.sectors += sectors;
                last.served += served;
            }
            _ => self.moved.push(Moved { owner, sectors, served }),
        }
    }

    /// What crosses the DRAM from now on is a transfer of its own.
    pub(super) fn seal(&mut self) {
        (self.sealed, self.sealed_ops) = (self.moved.len(), self.ops.len());
    }

    /// Takes what has come since [`CacheOut::seal`], but for notes, where nothing had left or been served before.
    pub fn take_unsealed(&mut self) -> CacheOut {
        CacheOut {
            ops: self.ops.split_off(self.sealed_ops),
            leaving: std::mem::take(&mut self.leaving),
            served: std::mem::take(&mut self.served),
            moved: self.moved.split_off(self.sealed),
            ..CacheOut::default()
        }
    }

    /// Puts back what was taken, behind what there is.
    pub fn put_back(&mut self, mut last: CacheOut) {
        self.ops.append(&mut last.ops);
        self.leaving.append(&mut last.leaving);
        self.served.append(&mut last.served);
        self.moved.append(&mut last.moved);
    }

    /// Takes all transfers.
    pub fn take_moved(&mut self) -> Vec<Moved> {
        self.sealed = 0;
        std::mem::take(&mut self.moved)
    }

    /// Pages that go to the FTL, now or later.
    pub fn all_ops(&self) -> impl Iterator<Item = &PageOp> {
        self.leaving.iter().chain(&self.ops)
    }
}
