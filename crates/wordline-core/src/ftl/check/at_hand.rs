//! Checked mode follows data: which sectors the controller has at hand, and so may program.
//!
//! Data come to the controller from the host (or the cache), by a completed read of the physical page that holds them, or
//! are still there because their program is not done. A write that waits keeps the rest of its page at hand.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::error::SimError;
use crate::flash::SectorMask;
use crate::nand::{Lpn, Pun};

/// Sectors of one logical page that reads have brought, with their versions.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Fetched {
    /// The physical page that was read last.
    from: Pun,
    sectors: SectorMask,
    versions: Vec<u32>,
}

/// Data in the controller.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(in crate::ftl) struct AtHand {
    /// By page and sector: writes that were delivered and that no program contains yet.
    delivered: BTreeMap<Lpn, Vec<u32>>,
    /// Pages that had no place when a write of them was delivered. Nothing was in them; a page that a read has given a
    /// place since, as if it had been written before the run, holds nothing either that the write would have to keep.
    new: BTreeSet<Lpn>,
    fetched: BTreeMap<Lpn, Fetched>,
    /// The pages in `fetched`, ordered by the physical page that was read last.
    by_place: BTreeSet<(Pun, Lpn)>,
    /// Physical pages whose programs are not done.
    in_flight: BTreeSet<Pun>,
    /// The sectors that each read under way brings, by transaction and unit, and whether there was something to read when
    /// it was asked for.
    asked: BTreeMap<(u32, Pun), (SectorMask, bool)>,
}

/// The sectors of a mask.
pub(in crate::ftl) fn sectors_of(mask: SectorMask) -> impl Iterator<Item = usize> {
    (0..64).filter(move |i| mask >> i & 1 == 1)
}

impl AtHand {
    /// The host, or the cache, hands over sectors to be written, of a page that `is_new` where it has no place.
    pub fn delivered(&mut self, lpn: Lpn, sectors: SectorMask, is_new: bool) {
        if is_new {
            self.new.insert(lpn);
        }
        let counts = self.delivered.entry(lpn).or_insert_with(|| vec![0; 64]);
        sectors_of(sectors).for_each(|i| counts[i] += 1);
    }

    /// Two writes of these sectors have become one.
    pub fn joined(&mut self, lpn: Lpn, sectors: SectorMask) {
        if let Some(counts) = self.delivered.get_mut(&lpn) {
            sectors_of(sectors).for_each(|i| counts[i] = counts[i].saturating_sub(1));
        }
    }

    /// True where a write waits that was delivered when its page had no place.
    pub fn is_new(&self, lpn: Lpn) -> bool {
        self.new.contains(&lpn)
    }

    /// A read of these sectors of a physical page is asked for.
    pub fn asked(&mut self, read: u32, pun: Pun, sectors: SectorMask) {
        self.asked.insert((read, pun), (sectors, !self.is_in_flight(pun)));
    }

    /// A read is done: the sectors that it has brought.
    ///
    /// # Errors
    /// [`SimError::Check`] where it was asked for before the page's program was done.
    pub fn answered(&mut self, read: u32, pun: Pun) -> Result<SectorMask, SimError> {
        match self.asked.remove(&(read, pun)) {
            Some((sectors, true)) => Ok(sectors),
            _ => Err(SimError::Check(format!("physical page {pun} was read before its program was done"))),
        }
    }

    /// Sectors of a page are in the controller, and stay there until a program contains them. `row` is what the whole
    /// physical page holds, which `is_current` unless it has a newer copy.
    pub fn keep(&mut self, lpn: Lpn, pun: Pun, sectors: SectorMask, row: &[u32], is_current: bool) {
        let Fetched { from, sectors: known, versions } = self.fetched.entry(lpn).or_default();
        if is_current || versions.is_empty() {
            self.by_place.remove(&(*from, lpn));
            self.by_place.insert((pun, lpn));
            *from = pun;
        }
        versions.resize(row.len(), 0);
        for i in sectors_of(sectors).filter(|&i| i < row.len() && (is_current || *known >> i & 1 == 0)) {
            versions[i] = row[i];
        }
        *known |= sectors;
    }

    /// The program of a physical page is asked for: its data stay at hand until it is done.
    pub fn program_started(&mut self, pun: Pun) {
        self.in_flight.insert(pun);
    }

    /// A program is done. Where it `is_current` and a write of the same page waits, its data, `row`, stay at hand for that.
    pub fn program_done(&mut self, lpn: Lpn, pun: Pun, row: &[u32], is_current: bool) {
        if self.in_flight.remove(&pun) && is_current && self.delivered.contains_key(&lpn) {
            self.keep(lpn, pun, SectorMask::MAX, row, true);
        }
    }

    /// A physical page was erased.
    pub fn erased(&mut self, pun: Pun) {
        self.in_flight.remove(&pun);
    }

    /// True while the program of a physical page is not done.
    pub fn is_in_flight(&self, pun: Pun) -> bool {
        self.in_flight.contains(&pun)
    }

    /// The first sector of `need` that no read has brought in the version that the page `row` holds.
    pub fn missing(&self, lpn: Lpn, need: SectorMask, row: &[u32]) -> Option<usize> {
        let known = self.fetched.get(&lpn);
        let is_known = |i: usize| known.is_some_and(|f| f.sectors >> i & 1 == 1 && f.versions[i] == row[i]);
        sectors_of(need).filter(|&i| i < row.len()).find(|&i| !is_known(i))
    }

    /// A program takes sectors that were delivered.
    ///
    /// # Errors
    /// [`SimError::Check`] for one that was not.
    pub fn take(&mut self, lpn: Lpn, sectors: SectorMask) -> Result<(), SimError> {
        let counts = self.delivered.get_mut(&lpn);
        for i in sectors_of(sectors) {
            match counts.as_ref().map(|counts| counts[i]) {
                None | Some(0) => {
                    return Err(SimError::Check(format!(
                        "sector {i} of logical page {lpn} is programmed as new, but nobody has delivered it"
                    )));
                }
                Some(_) => {}
            }
        }
        if let Some(counts) = counts {
            sectors_of(sectors).for_each(|i| counts[i] -= 1);
            if counts.iter().all(|&count| count == 0) {
                self.delivered.remove(&lpn);
                self.new.remove(&lpn);
            }
        }
        self.let_go(lpn);
        Ok(())
    }

    /// What was read of a page is not needed any more, unless a write of it waits.
    pub fn let_go(&mut self, lpn: Lpn) {
        if !self.delivered.contains_key(&lpn)
            && let Some(page) = self.fetched.remove(&lpn)
        {
            self.by_place.remove(&(page.from, lpn));
        }
    }

    /// The controller gives up what it has read of some physical pages, unless a write of it waits.
    pub fn let_go_of(&mut self, pages: &std::ops::Range<Pun>) {
        let here: Vec<_> =
            self.by_place.range((pages.start, Lpn::new(0))..(pages.end, Lpn::new(0))).copied().collect();
        for (_, lpn) in here {
            self.let_go(lpn);
        }
    }

    /// Sectors of a page of which a write waits that was delivered.
    pub fn waiting(&self, lpn: Lpn) -> SectorMask {
        let counts = self.delivered.get(&lpn).into_iter().flatten();
        counts.enumerate().filter(|&(_, &count)| count > 0).fold(0, |mask, (i, _)| mask | 1 << i)
    }

    /// Power is gone. What is left in the protected memory: writes that were `queued`, pages of which `is_kept` is true,
    /// and what was on its way to flash.
    pub fn power_cut(
        &mut self,
        queued: impl Iterator<Item = (Lpn, SectorMask)>,
        is_kept: impl Fn(Lpn) -> bool,
    ) {
        self.asked.clear();
        self.delivered.clear();
        self.fetched.retain(|&lpn, _| is_kept(lpn));
        self.by_place.retain(|&(_, lpn)| is_kept(lpn));
        for (lpn, sectors) in queued {
            self.delivered(lpn, sectors, self.new.contains(&lpn));
        }
        self.new.retain(|lpn| self.delivered.contains_key(lpn));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sector_is_taken_as_often_as_it_was_delivered() {
        let mut data = AtHand::default();
        data.delivered(Lpn::new(4), 0b011, false);
        data.delivered(Lpn::new(4), 0b010, false);
        data.take(Lpn::new(4), 0b011).unwrap();
        data.take(Lpn::new(4), 0b010).unwrap();
        let error = data.take(Lpn::new(4), 0b010).unwrap_err().to_string();
        assert!(error.contains("sector 1 of logical page 4"), "{error}");
        data.delivered(Lpn::new(5), 0b1, false);
        data.delivered(Lpn::new(5), 0b1, false);
        data.joined(Lpn::new(5), 0b1);
        data.take(Lpn::new(5), 0b1).unwrap();
        assert!(data.take(Lpn::new(5), 0b1).is_err());
    }

    #[test]
    fn what_was_read_counts_in_the_version_that_was_read() {
        let mut data = AtHand::default();
        assert_eq!(data.missing(Lpn::new(4), 0b11, &[7, 8]), Some(0), "nothing was read");
        data.keep(Lpn::new(4), Pun::new(3), 0b01, &[7, 8], true);
        assert_eq!(data.missing(Lpn::new(4), 0b01, &[7, 8]), None);
        assert_eq!(data.missing(Lpn::new(4), 0b11, &[7, 8]), Some(1), "one sector was read");
        assert_eq!(data.missing(Lpn::new(4), 0b01, &[9, 8]), Some(0), "another version");
        data.let_go(Lpn::new(4));
        assert_eq!(data.missing(Lpn::new(4), 0b01, &[7, 8]), Some(0), "forgotten");
    }

    #[test]
    fn a_write_that_waits_keeps_its_page_at_hand() {
        let mut data = AtHand::default();
        data.program_started(Pun::new(9));
        assert!(data.is_in_flight(Pun::new(9)));
        data.delivered(Lpn::new(4), 0b10, false);
        data.program_done(Lpn::new(4), Pun::new(9), &[7, 8], true);
        assert_eq!((data.is_in_flight(Pun::new(9)), data.missing(Lpn::new(4), 0b01, &[7, 8])), (false, None));
        data.take(Lpn::new(4), 0b10).unwrap();
        assert_eq!(data.missing(Lpn::new(4), 0b01, &[7, 8]), Some(0), "nobody waits any more");
    }
}
