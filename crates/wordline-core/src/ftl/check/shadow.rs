//! Checked mode: a second, simple account of what every sector holds.
//!
//! Every write gives its sectors a new version; every program, copy and erase is followed in a map
//! of physical sectors. A read must find, in the page it was sent to, exactly the versions that were
//! written last, both when it is asked for and when its data arrives. A program may only contain what the
//! host delivered or a completed read brought (`at_hand.rs`).

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::at_hand::{AtHand, sectors_of};
use super::page_times::PageTimes;
use super::promises::Promises;
use super::rows::Rows;
use crate::engine::{Ns, state};
use crate::error::SimError;
use crate::flash::{Carried, Owner, SectorMask};
use crate::nand::{BlockId, Lpn, Pun, UnitGeometry};

/// Versions of all logical and physical sectors.
#[derive(Debug)]
pub struct Shadow {
    sectors_per_page: usize,
    pub(in crate::ftl) geometry: UnitGeometry,
    /// Latest version of each logical sector; 0 = never written.
    latest: Rows<Lpn>,
    /// Version that each physical sector holds.
    pub(in crate::ftl) stored: Rows<Pun>,
    /// Logical page that each physical page was programmed for, plus one; 0 = erased.
    owner: Rows<Pun, u64>,
    /// What reads under way must find: (page, sectors, sum of versions), with how many.
    pub(in crate::ftl) expected: BTreeMap<(Pun, u64), u32>,
    /// Sectors that were accepted and are not bound for a physical page yet, by page: a read meanwhile
    /// may find the old data or the new.
    pending: BTreeMap<Lpn, SectorMask>,
    /// Versions in the controller's copies of pages whose wordlines are being merged.
    pub(in crate::ftl) copies: BTreeMap<Pun, Vec<u32>>,
    /// Physical pages whose programs were cut off: there is nothing in them to read.
    cut_off: BTreeSet<Pun>,
    /// Sectors that the host has trimmed and not written since, by page.
    trimmed: BTreeMap<Lpn, SectorMask>,
    /// Data in the controller, from where a program may take them.
    pub(in crate::ftl) at_hand: AtHand,
    /// When each physical page was programmed.
    pub(in crate::ftl) times: PageTimes,
    /// Physical pages that were written fast, with when they are lost, ns.
    written_fast: BTreeMap<Pun, Ns>,
    /// Pages that were found beyond the retention of a fast write, each once.
    outlived: u64,
    version: u32,
    /// What no loss of power may undo, where one undoes anything.
    pub(in crate::ftl) promises: Option<Promises>,
    /// Reads checked on arrival.
    pub reads_checked: u64,
}

state! {
    Shadow {
        values: latest, stored, owner, expected, pending, copies, cut_off, trimmed, at_hand, times, written_fast, outlived, version, promises, reads_checked;
        derived: sectors_per_page, geometry;
    }
}

impl Shadow {
    /// All sectors at version 0; a loss of power `undoes` what was not flushed.
    #[must_use]
    pub fn new(geometry: &UnitGeometry, logical_pages: u64, undoes: bool) -> Shadow {
        let sectors_per_page = geometry.sectors_per_page() as usize;
        Shadow {
            sectors_per_page,
            geometry: *geometry,
            latest: Rows::new(logical_pages as usize, sectors_per_page),
            stored: Rows::new(geometry.pages() as usize, sectors_per_page),
            owner: Rows::new(geometry.pages() as usize, 1),
            expected: BTreeMap::new(),
            pending: BTreeMap::new(),
            copies: BTreeMap::new(),
            cut_off: BTreeSet::new(),
            trimmed: BTreeMap::new(),
            at_hand: AtHand::default(),
            times: PageTimes::default(),
            written_fast: BTreeMap::new(),
            outlived: 0,
            version: 0,
            promises: undoes.then(|| Promises::new(logical_pages as usize, sectors_per_page)),
            reads_checked: 0,
        }
    }

    /// A write has reached the SSD: from now on its sectors are the latest.
    pub fn accept(&mut self, lpn: Lpn, sectors: SectorMask) {
        self.version = self.version.wrapping_add(1).max(1);
        let row = self.latest.row_mut(lpn);
        for i in sectors_of(sectors) {
            row[i] = self.version;
        }
        *self.pending.entry(lpn).or_insert(0) |= sectors;
        if let Some(trimmed) = self.trimmed.get_mut(&lpn) {
            *trimmed &= !sectors;
        }
    }

    /// A request of the host writes sectors, which are the latest.
    pub fn promise(&mut self, request: u32, lpn: Lpn, sectors: SectorMask) {
        if let Some(promises) = &mut self.promises {
            promises.writes(request, lpn, sectors, self.version);
        }
    }

    /// A page's data is bound for `pun`, and goes there by a program, which may be over `at_once`: new sectors, and of those
    /// where it was (`carried`) at least the ones that are `kept`.
    ///
    /// # Errors
    /// [`SimError::Check`] for a sector that is not in the controller.
    pub fn written(
        &mut self,
        lpn: Lpn,
        pun: Pun,
        (sectors, carried, kept): (SectorMask, Option<Pun>, SectorMask),
        at_once: bool,
    ) -> Result<(), SimError> {
        if at_once {
            self.commit(lpn, pun, sectors, carried);
            return Ok(());
        }
        if let Some(old) = carried {
            let has_data = |&i: &usize| self.held(old, i) != 0;
            let written = (0..self.sectors_per_page).filter(has_data).fold(0, |mask, i| mask | 1 << i);
            let kept = if self.at_hand.is_new(lpn) { 0 } else { kept };
            self.check_at_hand(lpn, old, (written | kept) & !sectors)?;
        }
        self.at_hand.take(lpn, sectors)?;
        self.commit(lpn, pun, sectors, carried);
        self.at_hand.program_started(pun);
        Ok(())
    }

    /// A page moves, all of which the controller must have for its program, unless that is over `at_once`.
    ///
    /// # Errors
    /// [`SimError::Check`] where it does not.
    pub fn moved(&mut self, lpn: Lpn, (from, to): (Pun, Pun), at_once: bool) -> Result<(), SimError> {
        if !at_once {
            self.check_at_hand(lpn, from, SectorMask::MAX)?;
            self.at_hand.let_go(lpn);
            self.at_hand.program_started(to);
        }
        for i in 0..self.sectors_per_page {
            let version = self.held(from, i);
            self.stored.row_mut(to)[i] = version;
        }
        self.owner.row_mut(to)[0] = self.owner.get(from, 0);
        Ok(())
    }

    /// The controller has these sectors of a page as the physical page `from` holds them.
    pub(in crate::ftl) fn check_at_hand(
        &self,
        lpn: Lpn,
        from: Pun,
        need: SectorMask,
    ) -> Result<(), SimError> {
        if self.at_hand.is_in_flight(from) || self.copies.contains_key(&from) {
            return Ok(());
        }
        match self.at_hand.missing(lpn, need, &self.row(from)) {
            None => Ok(()),
            Some(i) => Err(SimError::Check(format!(
                "sector {i} of logical page {lpn} leaves physical page {from} for another, but nobody has read it there"
            ))),
        }
    }

    /// What a physical page holds.
    fn row(&self, pun: Pun) -> Vec<u32> {
        (0..self.sectors_per_page).map(|i| self.stored.get(pun, i)).collect()
    }

    /// The logical page that a physical page was programmed for.
    pub(in crate::ftl) fn owner_of(&self, pun: Pun) -> Option<Lpn> {
        self.owner.get(pun, 0).checked_sub(1).map(|lpn| Lpn::from_index(lpn as usize))
    }

    /// The program of a physical page is done; the page `is_current` where it has no newer copy.
    pub fn program_done(&mut self, pun: Pun, is_current: bool) {
        if let Some(lpn) = self.owner_of(pun) {
            let row = self.row(pun);
            self.at_hand.program_done(lpn, pun, &row, is_current);
        }
    }

    /// A page's data is bound for `pun`: new sectors, the rest carried over from where it was.
    pub fn commit(&mut self, lpn: Lpn, pun: Pun, sectors: SectorMask, carried: Option<Pun>) {
        for i in 0..self.sectors_per_page {
            let version = if sectors >> i & 1 == 1 {
                self.latest.get(lpn, i)
            } else {
                carried.map_or(0, |old| self.held(old, i))
            };
            self.stored.row_mut(pun)[i] = version;
        }
        self.owner.row_mut(pun)[0] = u64::from(lpn) + 1;
        if let Some(pending) = self.pending.get_mut(&lpn) {
            *pending &= !sectors;
            if *pending == 0 {
                self.pending.remove(&lpn);
            }
        }
    }

    /// Power is gone, and with it the newest version of these sectors, which only the volatile cache held.
    pub fn lost(&mut self, lpn: Lpn, sectors: SectorMask, pun: Option<Pun>) {
        for i in (0..self.sectors_per_page).filter(|i| sectors >> i & 1 == 1) {
            let held = pun.map_or(0, |pun| self.held(pun, i));
            self.latest.row_mut(lpn)[i] = held;
        }
        if let Some(pending) = self.pending.get_mut(&lpn) {
            *pending &= !sectors;
        }
    }

    /// Power is gone, and with it all that was not on flash: pages are what their places hold now.
    ///
    /// # Errors
    /// [`SimError::Check`] where a page holds less than what was promised.
    pub fn fall_back(&mut self, place: impl Fn(Lpn) -> Option<Pun>) -> Result<(), SimError> {
        for lpn in self.latest.kept().collect::<Vec<Lpn>>() {
            let pun = place(lpn);
            for i in 0..self.sectors_per_page {
                let held = pun.map_or(0, |pun| self.stored.get(pun, i));
                let promised = self.promises.as_ref().map_or(0, |promises| promises.of(lpn, i));
                if held < promised {
                    return Err(SimError::Check(format!(
                        "power was cut, and sector {i} of logical page {lpn} holds version {held}, but {promised} was flushed"
                    )));
                }
                self.latest.row_mut(lpn)[i] = held;
            }
        }
        self.pending.clear();
        if let Some(promises) = &mut self.promises {
            promises.power_cut();
        }
        Ok(())
    }

    /// The host has trimmed sectors of a page: the SSD may forget them, until they are written again.
    pub fn trim(&mut self, lpn: Lpn, sectors: SectorMask) {
        *self.trimmed.entry(lpn).or_insert(0) |= sectors;
    }

    /// A page was forgotten. What the host has written since its trim is not on flash yet.
    ///
    /// # Errors
    /// [`SimError::Check`] for a sector that the host has not trimmed.
    pub fn forgotten(&mut self, lpn: Lpn) -> Result<(), SimError> {
        let trimmed = self.trimmed.remove(&lpn).unwrap_or(0);
        let pending = self.pending.get(&lpn).copied().unwrap_or(0);
        let unsettled = pending | self.at_hand.waiting(lpn);
        for i in 0..self.sectors_per_page {
            if trimmed >> i & 1 == 1 {
                self.latest.row_mut(lpn)[i] = 0;
            } else if unsettled >> i & 1 == 0 && self.latest.get(lpn, i) != 0 {
                return Err(SimError::Check(format!(
                    "logical page {lpn} was forgotten, but its sector {i} was not trimmed"
                )));
            }
        }
        if let Some(promises) = &mut self.promises {
            promises.trimmed(lpn);
        }
        if pending & !trimmed == 0 {
            self.pending.remove(&lpn);
        } else {
            self.pending.insert(lpn, pending & !trimmed);
        }
        Ok(())
    }

    /// A physical page is being written fast; it keeps its data until `lost_at`.
    pub fn written_fast(&mut self, pun: Pun, lost_at: Ns) {
        self.written_fast.insert(pun, lost_at);
    }

    /// Counts live pages that have outlived the retention of their fast write, each once.
    pub fn count_outlived(&mut self, now: Ns, is_live: impl Fn(Pun) -> bool) {
        let before = self.written_fast.len();
        self.written_fast.retain(|&pun, &mut lost_at| now <= lost_at || !is_live(pun));
        self.outlived += (before - self.written_fast.len()) as u64;
    }

    /// Pages that [`Shadow::count_outlived`] has found.
    #[must_use]
    pub fn outlived(&self) -> u64 {
        self.outlived
    }

    /// The mapping sends a read of `sectors` to `pun`: they must be there.
    ///
    /// # Errors
    /// [`SimError::Check`] when the page holds something else.
    pub fn check_lookup(&mut self, lpn: Lpn, pun: Option<Pun>, sectors: SectorMask) -> Result<(), SimError> {
        let settled = sectors & !self.pending.get(&lpn).copied().unwrap_or(0) & !self.at_hand.waiting(lpn);
        for i in (0..self.sectors_per_page).filter(|i| settled >> i & 1 == 1) {
            let want = self.latest.get(lpn, i);
            let have = pun.map_or(0, |pun| self.held(pun, i));
            if want != have {
                return Err(SimError::Check(format!(
                    "sector {i} of logical page {lpn} should hold version {want}, but {pun:?} holds {have}"
                )));
            }
        }
        Ok(())
    }

    /// The version of a sector: in the controller's copy of the page where there is one, else on flash.
    fn held(&self, pun: Pun, sector: usize) -> u32 {
        self.copies.get(&pun).map_or_else(|| self.stored.get(pun, sector), |copy| copy[sector])
    }

    fn fingerprint(&self, pun: Pun) -> u64 {
        let versions = (0..self.sectors_per_page).map(|i| u64::from(self.stored.get(pun, i)));
        versions.fold(0xcbf2_9ce4_8422_2325, |sum, v| (sum ^ v).wrapping_mul(0x100_0000_01b3))
    }

    /// A read of sectors of a page begins: its contents may not change until it is done.
    pub fn read_started(&mut self, read: u32, pun: Pun, sectors: SectorMask) {
        self.at_hand.asked(read, pun, sectors);
        let print = self.fingerprint(pun);
        *self.expected.entry((pun, print)).or_insert(0) += 1;
    }

    /// A read has failed, and goes on under another number.
    ///
    /// # Errors
    /// [`SimError::Check`] when it was asked for too early.
    pub fn read_goes_on(&mut self, read: u32, new: u32, pun: Pun) -> Result<(), SimError> {
        let sectors = self.at_hand.answered(read, pun)?;
        self.at_hand.asked(new, pun, sectors);
        Ok(())
    }

    /// A read's data arrives. Data of a partial write stay, and those of a page that moves, where it `is_current`.
    ///
    /// # Errors
    /// [`SimError::Check`] when the page changed under it.
    pub fn read_done(&mut self, read: u32, carried: &Carried, is_current: bool) -> Result<(), SimError> {
        let &Carried { owner, lpn, unit: pun, .. } = carried;
        let sectors = self.at_hand.answered(read, pun)?;
        if self.cut_off.contains(&pun) {
            return Err(SimError::Check(format!(
                "physical page {pun} of logical page {lpn} was read, but its program was cut off"
            )));
        }
        let print = self.fingerprint(pun);
        let Some(count) = self.expected.get_mut(&(pun, print)) else {
            return Err(SimError::Check(format!(
                "physical page {pun} of logical page {lpn} changed while it was read"
            )));
        };
        *count -= 1;
        if *count == 0 {
            self.expected.remove(&(pun, print));
        }
        self.reads_checked += 1;
        let stays = match owner {
            Owner::Merge(_) => true,
            Owner::Job(_) | Owner::Rewrite(_) => is_current,
            _ => false,
        };
        if stays {
            let row = self.row(pun);
            self.at_hand.keep(lpn, pun, sectors, &row, is_current);
        }
        Ok(())
    }

    /// Power is gone: the program of a physical page was cut off.
    pub fn program_cut_off(&mut self, pun: Pun) {
        self.cut_off.insert(pun);
        self.written_fast.remove(&pun);
    }

    /// Power is gone, and all reads with it. The protected memory has writes that are `queued`, and `pages`.
    pub fn power_cut(&mut self, queued: &[(Lpn, SectorMask)], pages: &BTreeSet<Lpn>) {
        self.expected.clear();
        self.at_hand.power_cut(queued.iter().copied(), |lpn| pages.contains(&lpn));
    }

    /// A block was erased: nothing may be read from it.
    ///
    /// # Errors
    /// [`SimError::Check`] when a read of it is under way.
    pub fn erased(&mut self, block: BlockId) -> Result<(), SimError> {
        let Range { start: first, end } = self.geometry.pages_of(block);
        if self.expected.range((first, 0)..(end, 0)).next().is_some() {
            return Err(SimError::Check(format!("block {block} was erased while it was read")));
        }
        self.drop_copies(block);
        for pun in first.to(end) {
            self.cut_off.remove(&pun);
            self.written_fast.remove(&pun);
            self.at_hand.erased(pun);
            self.times.erased(pun);
            self.stored.clear(pun);
            self.owner.clear(pun);
        }
        Ok(())
    }

    /// At the end of a run: no read is under way, and every page holds what was written last, but for
    /// sectors that are still `unflushed` in the cache. Pages that are `mapped` are where `place` says.
    ///
    /// # Errors
    /// [`SimError::Check`] with the first page that does not.
    pub fn verify(
        &self,
        mapped: impl Iterator<Item = (Lpn, Pun)>,
        place: &dyn Fn(Lpn) -> Option<Pun>,
        unflushed: &dyn Fn(Lpn) -> SectorMask,
    ) -> Result<(), SimError> {
        if let Some((&(pun, _), count)) = self.expected.iter().next() {
            return Err(SimError::Check(format!(
                "the run is over, but {count} reads of physical page {pun} are not"
            )));
        }
        self.verify_newest(mapped, place, unflushed)
    }

    /// The same while reads are under way: each page holds its newest data.
    pub fn verify_newest(
        &self,
        mapped: impl Iterator<Item = (Lpn, Pun)>,
        place: &dyn Fn(Lpn) -> Option<Pun>,
        unflushed: &dyn Fn(Lpn) -> SectorMask,
    ) -> Result<(), SimError> {
        let nowhere = self.latest.kept().chain(self.pending.keys().copied());
        let nowhere = nowhere.map(|lpn| (lpn, place(lpn))).filter(|(_, pun)| pun.is_none());
        for (lpn, pun) in mapped.map(|(lpn, pun)| (lpn, Some(pun))).chain(nowhere) {
            let pending = self.pending.get(&lpn).copied().unwrap_or(0);
            let lost = pending & !unflushed(lpn);
            if lost != 0 {
                return Err(SimError::Check(format!(
                    "sectors {lost:#x} of logical page {lpn} were written, and are neither on flash nor in the cache"
                )));
            }
            if let Some(pun) = pun.filter(|pun| self.cut_off.contains(pun)) {
                return Err(SimError::Check(format!(
                    "logical page {lpn} is mapped to {pun}, whose program was cut off"
                )));
            }
            for i in (0..self.sectors_per_page).filter(|i| pending >> i & 1 == 0) {
                let want = self.latest.get(lpn, i);
                let have = pun.map_or(0, |pun| self.stored.get(pun, i));
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
    pub fn holds(&self, pun: Pun, lpn: Lpn) -> bool {
        self.owner_of(pun) == Some(lpn)
    }
}
