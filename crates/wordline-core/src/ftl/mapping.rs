//! The page-level mapping table and its inverse: 8 bytes and a bit for each page.

use crate::engine::{BitTable, SpreadTable, Table, prefetch, state};
use crate::nand::{Lpn, Ppn};

/// Logical to physical pages and back, and which physical pages hold live data.
///
/// Entries hold the number plus one, so that an untouched table is all zeros: memory that the
/// operating system has not even given out yet. Cost follows the footprint. A page that was trimmed
/// is told apart from one that was never touched.
#[derive(Debug)]
pub struct Mapping {
    to_physical: Table<u32>,
    /// Written and read in the order of pages, block by block.
    to_logical: SpreadTable<u32>,
    valid: BitTable<Ppn>,
}

state! {
    Mapping {
        parts: to_physical, to_logical, valid;
    }
}

/// The entry of a page that was trimmed; no physical page has this number.
const TRIMMED: u32 = u32::MAX;

/// What an entry says: neither untouched nor trimmed pages are anywhere.
#[inline]
fn place(entry: u32) -> Option<Ppn> {
    let ppn = entry.wrapping_sub(1);
    (ppn < TRIMMED - 1).then_some(Ppn::new(ppn))
}

impl Mapping {
    /// A table for `logical` pages over `physical` ones, all unmapped; with `few_used`, most of them stay so.
    #[must_use]
    pub fn new(logical: u64, physical: u64, few_used: bool) -> Mapping {
        let to_logical = SpreadTable::zeroed(physical as usize);
        if few_used {
            return Mapping {
                to_physical: Table::zeroed(logical as usize),
                to_logical,
                valid: BitTable::zeroed(physical as usize),
            };
        }
        Mapping {
            to_physical: Table::zeroed_for_random_use(logical as usize),
            to_logical,
            valid: BitTable::zeroed_for_random_use(physical as usize),
        }
    }

    /// Number of logical pages.
    #[must_use]
    pub fn logical_pages(&self) -> u64 {
        self.to_physical.len() as u64
    }

    /// Where a logical page is.
    #[inline]
    #[must_use]
    pub fn get(&self, lpn: Lpn) -> Option<Ppn> {
        place(self.to_physical[lpn.index()])
    }

    /// True when a logical page was trimmed and not written since.
    #[inline]
    #[must_use]
    pub fn is_trimmed(&self, lpn: Lpn) -> bool {
        self.to_physical[lpn.index()] == TRIMMED
    }

    /// Binds a logical page to a fresh physical page; returns where it was.
    #[inline(always)]
    pub fn bind(&mut self, lpn: Lpn, ppn: Ppn) -> Option<Ppn> {
        let old = self.get(lpn);
        self.bind_new(lpn, ppn);
        if let Some(old) = old {
            self.valid.clear(old);
        }
        old
    }

    /// The same for a logical page that was nowhere.
    #[inline(always)]
    pub fn bind_new(&mut self, lpn: Lpn, ppn: Ppn) {
        self.to_physical[lpn.index()] = ppn.index() as u32 + 1;
        self.to_logical[ppn.index()] = lpn.index() as u32 + 1;
        self.valid.set(ppn);
    }

    /// Binds a logical page to a fresh physical page, from where it is now. The old entry is not loaded, which would
    /// have to wait for memory.
    #[inline]
    pub fn rebind(&mut self, lpn: Lpn, from: Ppn, to: Ppn) {
        debug_assert_eq!(self.get(lpn), Some(from), "a page that moves is where its mapping says");
        self.bind_new(lpn, to);
        self.valid.clear(from);
    }

    /// The newest places of a logical page never came to be: it is at an older one, or was never written. Returns where it was.
    pub fn fall_back(&mut self, lpn: Lpn, to: Option<Ppn>) -> Option<Ppn> {
        let old = self.get(lpn);
        if let Some(old) = old {
            self.valid.clear(old);
        }
        match to {
            Some(ppn) => self.bind_new(lpn, ppn),
            None => self.to_physical[lpn.index()] = 0,
        }
        old
    }

    /// Forgets a logical page; returns where it was.
    pub fn unbind(&mut self, lpn: Lpn) -> Option<Ppn> {
        let entry = &mut self.to_physical[lpn.index()];
        let old = place(std::mem::replace(entry, TRIMMED))?;
        self.valid.clear(old);
        Some(old)
    }

    /// True when a physical page holds the latest data of a logical one.
    #[inline]
    #[must_use]
    pub fn is_valid(&self, ppn: Ppn) -> bool {
        self.valid.get(ppn)
    }

    /// The logical page that was last bound to a physical one.
    #[inline]
    #[must_use]
    pub fn lpn_of(&self, ppn: Ppn) -> Lpn {
        Lpn::new(self.to_logical[ppn.index()].wrapping_sub(1))
    }

    /// First valid page in `from..end`.
    #[inline]
    #[must_use]
    pub fn next_valid(&self, from: Ppn, end: Ppn) -> Option<Ppn> {
        self.valid.next_set(from, end)
    }

    /// All valid pages in `from..end`.
    pub fn valid_in(&self, from: Ppn, end: Ppn) -> impl Iterator<Item = Ppn> {
        let mut at = from;
        std::iter::from_fn(move || {
            let ppn = self.next_valid(at, end)?;
            at = ppn + 1;
            Some(ppn)
        })
    }

    /// Asks for the entry of a page that is about to be needed.
    #[inline]
    pub fn prefetch(&self, lpn: Lpn) {
        prefetch(&self.to_physical, lpn.index());
    }

    /// Asks for what [`Mapping::lpn_of`] says of a physical page, which may lie behind the last one.
    #[inline]
    pub fn prefetch_lpn_of(&self, ppn: Ppn) {
        self.to_logical.prefetch(ppn.index());
    }

    /// Asks for the valid bit of a physical page.
    #[inline]
    pub fn prefetch_valid(&self, ppn: Ppn) {
        self.valid.prefetch(ppn);
    }
}

/// Damage, for tests of the checks.
#[cfg(test)]
impl Mapping {
    /// Sends a logical page to a physical one that is not its own.
    pub fn corrupt(&mut self, lpn: Lpn, ppn: Ppn) {
        self.to_physical[lpn.index()] = ppn.index() as u32 + 1;
    }

    /// Loses a logical page.
    pub fn corrupt_to_none(&mut self, lpn: Lpn) {
        self.to_physical[lpn.index()] = 0;
    }
}
