//! Checked mode: a second, simple account of what every sector holds.
//!
//! Every write gives its sectors a new version; every program, copy and erase is followed in a map
//! of physical sectors. A read must find, in the page it was sent to, exactly the versions that were
//! written last, both when it is asked for and when its data arrives.

use std::collections::{BTreeMap, BTreeSet};

use super::rows::Rows;
use crate::engine::state;
use crate::error::SimError;
use crate::flash::{SectorMask, Txn};
use crate::nand::{BlockId, Geometry, Lpn, Ppn};

/// Versions of all logical and physical sectors.
#[derive(Debug)]
pub struct Shadow {
    sectors_per_page: usize,
    pub(super) pages_per_block: u32,
    /// Latest version of each logical sector; 0 = never written.
    latest: Rows,
    /// Version that each physical sector holds.
    pub(super) stored: Rows,
    /// Logical page that each physical page was programmed for, plus one; 0 = erased.
    owner: Rows,
    logical_pages: u32,
    /// What reads under way must find: (page, sectors, sum of versions), with how many.
    pub(super) expected: BTreeMap<(Ppn, u64), u32>,
    /// Sectors that were accepted and are not bound for a physical page yet, by page: a read meanwhile
    /// may find the old data or the new.
    pending: BTreeMap<Lpn, SectorMask>,
    /// Versions in the controller's copies of pages whose wordlines are being merged.
    pub(super) copies: BTreeMap<Ppn, Vec<u32>>,
    /// Physical pages whose programs were cut off: there is nothing in them to read.
    cut_off: BTreeSet<Ppn>,
    version: u32,
    /// Reads checked on arrival.
    pub reads_checked: u64,
}

state! {
    Shadow {
        values: latest, stored, owner, expected, pending, copies, cut_off, version, reads_checked;
        derived: sectors_per_page, pages_per_block, logical_pages;
    }
}

impl Shadow {
    /// All sectors at version 0.
    #[must_use]
    pub fn new(geometry: &Geometry, logical_pages: u32) -> Shadow {
        let sectors_per_page = geometry.sectors_per_page() as usize;
        Shadow {
            sectors_per_page,
            pages_per_block: geometry.pages_per_block,
            latest: Rows::new(logical_pages as usize, sectors_per_page),
            stored: Rows::new(geometry.pages() as usize, sectors_per_page),
            owner: Rows::new(geometry.pages() as usize, 1),
            logical_pages,
            expected: BTreeMap::new(),
            pending: BTreeMap::new(),
            copies: BTreeMap::new(),
            cut_off: BTreeSet::new(),
            version: 0,
            reads_checked: 0,
        }
    }

    /// A write has reached the SSD: from now on its sectors are the latest.
    pub fn accept(&mut self, lpn: Lpn, sectors: SectorMask) {
        self.version = self.version.wrapping_add(1).max(1);
        let row = self.latest.row_mut(lpn);
        for i in (0..self.sectors_per_page).filter(|i| sectors >> i & 1 == 1) {
            row[i] = self.version;
        }
        *self.pending.entry(lpn).or_insert(0) |= sectors;
    }

    /// A page's data is bound for `ppn`: new sectors, the rest carried over from where it was.
    pub fn commit(&mut self, lpn: Lpn, ppn: Ppn, sectors: SectorMask, carried: Option<Ppn>) {
        for i in 0..self.sectors_per_page {
            let version = if sectors >> i & 1 == 1 {
                self.latest.get(lpn, i)
            } else {
                carried.map_or(0, |old| self.held(old, i))
            };
            self.stored.row_mut(ppn)[i] = version;
        }
        self.owner.row_mut(ppn)[0] = lpn + 1;
        if let Some(pending) = self.pending.get_mut(&lpn) {
            *pending &= !sectors;
            if *pending == 0 {
                self.pending.remove(&lpn);
            }
        }
    }

    /// Power is gone, and with it the newest version of these sectors, which only the volatile cache held.
    pub fn lost(&mut self, lpn: Lpn, sectors: SectorMask, ppn: Option<Ppn>) {
        for i in (0..self.sectors_per_page).filter(|i| sectors >> i & 1 == 1) {
            let held = ppn.map_or(0, |ppn| self.held(ppn, i));
            self.latest.row_mut(lpn)[i] = held;
        }
        if let Some(pending) = self.pending.get_mut(&lpn) {
            *pending &= !sectors;
        }
    }

    /// A page was forgotten.
    pub fn trimmed(&mut self, lpn: Lpn) {
        self.latest.clear(lpn);
        self.pending.remove(&lpn);
    }

    /// A page was copied inside the flash.
    pub fn copied(&mut self, from: Ppn, to: Ppn) {
        for i in 0..self.sectors_per_page {
            let version = self.held(from, i);
            self.stored.row_mut(to)[i] = version;
        }
        self.owner.row_mut(to)[0] = self.owner.get(from, 0);
    }

    /// The mapping sends a read of `sectors` to `ppn`: they must be there.
    ///
    /// # Errors
    /// [`SimError::Check`] when the page holds something else.
    pub fn check_lookup(&mut self, lpn: Lpn, ppn: Option<Ppn>, sectors: SectorMask) -> Result<(), SimError> {
        let settled = sectors & !self.pending.get(&lpn).copied().unwrap_or(0);
        for i in (0..self.sectors_per_page).filter(|i| settled >> i & 1 == 1) {
            let want = self.latest.get(lpn, i);
            let have = ppn.map_or(0, |ppn| self.held(ppn, i));
            if want != have {
                return Err(SimError::Check(format!(
                    "sector {i} of logical page {lpn} should hold version {want}, but {ppn:?} holds {have}"
                )));
            }
        }
        Ok(())
    }

    /// The version of a sector: in the controller's copy of the page where there is one, else on flash.
    fn held(&self, ppn: Ppn, sector: usize) -> u32 {
        self.copies.get(&ppn).map_or_else(|| self.stored.get(ppn, sector), |copy| copy[sector])
    }

    fn fingerprint(&self, ppn: Ppn) -> u64 {
        let versions = (0..self.sectors_per_page).map(|i| u64::from(self.stored.get(ppn, i)));
        versions.fold(0xcbf2_9ce4_8422_2325, |sum, v| (sum ^ v).wrapping_mul(0x100_0000_01b3))
    }

    /// A read of a page begins: its contents may not change until it is done.
    pub fn read_started(&mut self, ppn: Ppn) {
        let print = self.fingerprint(ppn);
        *self.expected.entry((ppn, print)).or_insert(0) += 1;
    }

    /// A read's data arrives.
    ///
    /// # Errors
    /// [`SimError::Check`] when the page changed under it.
    pub fn read_done(&mut self, txn: &Txn) -> Result<(), SimError> {
        if self.cut_off.contains(&txn.ppn) {
            return Err(SimError::Check(format!(
                "physical page {} of logical page {} was read, but its program was cut off",
                txn.ppn, txn.lpn
            )));
        }
        let print = self.fingerprint(txn.ppn);
        let Some(count) = self.expected.get_mut(&(txn.ppn, print)) else {
            return Err(SimError::Check(format!(
                "physical page {} of logical page {} changed while it was read",
                txn.ppn, txn.lpn
            )));
        };
        *count -= 1;
        if *count == 0 {
            self.expected.remove(&(txn.ppn, print));
        }
        self.reads_checked += 1;
        Ok(())
    }

    /// Power is gone: the program of a physical page was cut off.
    pub fn program_cut_off(&mut self, ppn: Ppn) {
        self.cut_off.insert(ppn);
    }

    /// Power is gone, and all reads with it.
    pub fn no_read_is_under_way(&mut self) {
        self.expected.clear();
    }

    /// A block was erased: nothing may be read from it.
    ///
    /// # Errors
    /// [`SimError::Check`] when a read of it is under way.
    pub fn erased(&mut self, block: BlockId) -> Result<(), SimError> {
        let first = block * self.pages_per_block;
        let end = first + self.pages_per_block;
        if self.expected.range((first, 0)..(end, 0)).next().is_some() {
            return Err(SimError::Check(format!("block {block} was erased while it was read")));
        }
        self.drop_copies(block);
        for ppn in first..end {
            self.cut_off.remove(&ppn);
            self.stored.clear(ppn);
            self.owner.clear(ppn);
        }
        Ok(())
    }

    /// At the end of a run: no read is under way, and every page holds what was written last, but for
    /// sectors that are still `unflushed` in the cache.
    ///
    /// # Errors
    /// [`SimError::Check`] with the first page that does not.
    pub fn verify(
        &self,
        place: &dyn Fn(Lpn) -> Option<Ppn>,
        unflushed: &dyn Fn(Lpn) -> SectorMask,
    ) -> Result<(), SimError> {
        if let Some((&(ppn, _), count)) = self.expected.iter().next() {
            return Err(SimError::Check(format!(
                "the run is over, but {count} reads of physical page {ppn} are not"
            )));
        }
        for lpn in 0..self.logical_pages {
            let pending = self.pending.get(&lpn).copied().unwrap_or(0);
            let lost = pending & !unflushed(lpn);
            if lost != 0 {
                return Err(SimError::Check(format!(
                    "sectors {lost:#x} of logical page {lpn} were written, and are neither on flash nor in the cache"
                )));
            }
            let ppn = place(lpn);
            if let Some(ppn) = ppn.filter(|ppn| self.cut_off.contains(ppn)) {
                return Err(SimError::Check(format!(
                    "logical page {lpn} is mapped to {ppn}, whose program was cut off"
                )));
            }
            if ppn.is_none() && self.latest.row(lpn).is_none() {
                continue;
            }
            for i in (0..self.sectors_per_page).filter(|i| pending >> i & 1 == 0) {
                let want = self.latest.get(lpn, i);
                let have = ppn.map_or(0, |ppn| self.stored.get(ppn, i));
                if want != have {
                    return Err(SimError::Check(format!(
                        "at the end, sector {i} of logical page {lpn} holds version {have}, not {want}"
                    )));
                }
            }
        }
        Ok(())
    }

    /// Whether a physical page was programmed for a logical one since its block's last erase.
    #[must_use]
    pub fn holds(&self, ppn: Ppn, lpn: Lpn) -> bool {
        self.owner.get(ppn, 0) == lpn + 1
    }
}
