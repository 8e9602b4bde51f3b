//! The page-level mapping table and its inverse: 8 bytes and a bit for each page, 10 where numbers need more than 32 bits.

use crate::engine::{BitTable, Numbers, SpreadNumbers, SpreadTable, Table, state};
use crate::nand::{Lpn, Pun};

/// Logical to physical pages and back, and which physical pages hold live data.
///
/// An untouched table is memory that the operating system has not even given out yet. Cost follows the footprint. A page
/// that was trimmed is told apart from one that was never touched.
#[derive(Debug)]
pub struct Mapping {
    to_physical: Numbers,
    /// Written and read in the order of pages, block by block.
    to_logical: SpreadNumbers,
    valid: BitTable<Pun>,
}

state! {
    Mapping {
        parts: to_physical, to_logical, valid;
        checked: is_sound;
    }
}

impl Mapping {
    /// A table for `logical` pages over `physical` ones, all unmapped; with `few_used`, most of them stay so.
    #[must_use]
    pub fn new(logical: u64, physical: u64, few_used: bool) -> Mapping {
        let (pages, places) = (logical as usize, physical as usize);
        let (to_physical, valid) = if few_used {
            (Numbers::below(physical, pages, Table::zeroed, Table::zeroed), BitTable::zeroed(places))
        } else {
            let numbers =
                Numbers::below(physical, pages, Table::zeroed_for_random_use, Table::zeroed_for_random_use);
            (numbers, BitTable::zeroed_for_random_use(places))
        };
        let to_logical = SpreadNumbers::below(logical, places, SpreadTable::zeroed, SpreadTable::zeroed);
        Mapping { to_physical, to_logical, valid }
    }

    /// Whether what is mapped and what is valid are the same, and there.
    fn is_sound(&self) -> bool {
        let lpn_of =
            |pun: Pun| if self.to_logical.has(pun.index()) { self.to_logical.get(pun.index()) } else { None };
        let is_mapped = |pun: Pun| {
            lpn_of(pun).is_some_and(|lpn| {
                self.to_physical.has(lpn) && self.to_physical.get(lpn) == Some(pun.index())
            })
        };
        self.mapped().all(|(lpn, pun)| lpn_of(pun) == Some(lpn.index()) && self.valid.get(pun))
            && self.valid.all_set().all(is_mapped)
    }

    /// Whether there is such a logical page.
    pub fn has(&self, lpn: Lpn) -> bool {
        self.to_physical.has(lpn.index())
    }

    /// Where a logical page is.
    #[inline(always)]
    #[must_use]
    pub fn get(&self, lpn: Lpn) -> Option<Pun> {
        self.to_physical.get(lpn.index()).map(Pun::from_index)
    }

    /// All logical pages that are somewhere.
    pub fn mapped(&self) -> impl Iterator<Item = (Lpn, Pun)> {
        let used = self.to_physical.used().map(Lpn::from_index);
        used.filter_map(|lpn| Some((lpn, self.get(lpn)?)))
    }

    /// True when a logical page was trimmed and not written since.
    #[inline]
    #[must_use]
    pub fn is_trimmed(&self, lpn: Lpn) -> bool {
        self.to_physical.is_gone(lpn.index())
    }

    /// Binds a logical page to a fresh physical page, from where it is now: an entry that is known is not loaded, which would
    /// have to wait for memory.
    #[inline(always)]
    pub fn bind(&mut self, lpn: Lpn, from: Option<Pun>, to: Pun) {
        debug_assert_eq!(self.get(lpn), from, "a page is where its mapping says");
        if let Some(from) = from {
            self.valid.clear(from);
        }
        self.to_physical.set(lpn.index(), to.index());
        self.to_logical.set(to.index(), lpn.index());
        self.valid.set(to);
    }

    /// The newest places of a logical page never came to be: it is at an older one, or was never written. Returns where it was.
    pub fn fall_back(&mut self, lpn: Lpn, to: Option<Pun>) -> Option<Pun> {
        let old = self.get(lpn);
        match to {
            Some(pun) => self.bind(lpn, old, pun),
            None => {
                old.into_iter().for_each(|old| self.valid.clear(old));
                self.to_physical.clear(lpn.index());
            }
        }
        old
    }

    /// Forgets a logical page; returns where it was.
    pub fn unbind(&mut self, lpn: Lpn) -> Option<Pun> {
        let old = Pun::from_index(self.to_physical.take(lpn.index())?);
        self.valid.clear(old);
        Some(old)
    }

    /// True when a physical page holds the latest data of a logical one.
    #[inline]
    #[must_use]
    pub fn is_valid(&self, pun: Pun) -> bool {
        self.valid.get(pun)
    }

    /// The logical page that was last bound to a physical one.
    #[inline]
    #[must_use]
    pub fn lpn_of(&self, pun: Pun) -> Lpn {
        Lpn::from_index(self.to_logical.there(pun.index()))
    }

    /// First valid page in `from..end`.
    #[inline]
    #[must_use]
    pub fn next_valid(&self, from: Pun, end: Pun) -> Option<Pun> {
        self.valid.next_set(from, end)
    }

    /// All valid pages in `from..end`.
    pub fn valid_in(&self, from: Pun, end: Pun) -> impl Iterator<Item = Pun> {
        let mut at = from;
        std::iter::from_fn(move || {
            let pun = self.next_valid(at, end)?;
            at = pun + 1;
            Some(pun)
        })
    }

    /// Asks for the entry of a page that is about to be needed.
    #[inline]
    pub fn prefetch(&self, lpn: Lpn) {
        self.to_physical.prefetch(lpn.index());
    }

    /// Asks for what [`Mapping::lpn_of`] says of a physical page, which may lie behind the last one.
    #[inline]
    pub fn prefetch_lpn_of(&self, pun: Pun) {
        self.to_logical.prefetch(pun.index());
    }

    /// Asks for the valid bit of a physical page.
    #[inline]
    pub fn prefetch_valid(&self, pun: Pun) {
        self.valid.prefetch(pun);
    }
}

/// Damage, for tests of the checks.
#[cfg(test)]
impl Mapping {
    /// Sends a logical page to a physical one that is not its own.
    pub fn corrupt(&mut self, lpn: Lpn, pun: Pun) {
        self.to_physical.set(lpn.index(), pun.index());
    }

    /// Loses a logical page.
    pub fn corrupt_to_none(&mut self, lpn: Lpn) {
        self.to_physical.clear(lpn.index());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{LoadError, Loader, Saver, State};

    /// With a bit a page for programs that end before earlier ones (`Blocks`), these are all tables that have an entry a page.
    #[test]
    fn tables_take_few_bytes_a_page() {
        for (pages, of_logical, of_physical) in [(1u64 << 24, 4.2, 4.3), (1 << 33, 5.3, 5.4)] {
            let (logical, physical) = (pages / 8 * 7, pages);
            let mapping = Mapping::new(logical, physical, true);
            let ahead = BitTable::<Pun>::zeroed(physical as usize);
            let by_logical = mapping.to_physical.bytes() as f64;
            let by_physical = (mapping.to_logical.bytes() + mapping.valid.bytes() + ahead.bytes()) as f64;
            assert!(by_logical / logical as f64 <= of_logical, "{by_logical} of {logical}");
            assert!(by_physical / physical as f64 <= of_physical, "{by_physical} of {physical}");
        }
    }

    /// Loads what was saved, as from a file of somebody else.
    fn reloaded(mapping: &Mapping) -> Result<(), LoadError> {
        let mut bytes = Vec::new();
        mapping.save(&mut Saver::new(&mut bytes)).unwrap();
        Mapping::new(10, 100, true).load(&mut Loader::new(&mut &*bytes))
    }

    #[test]
    fn a_table_that_names_what_is_not_there_is_refused() {
        let fresh = || {
            let mut mapping = Mapping::new(10, 100, true);
            mapping.bind(Lpn::new(3), None, Pun::new(42));
            mapping
        };
        reloaded(&fresh()).unwrap();
        let forge: [fn(&mut Mapping); 5] = [
            |mapping| mapping.to_physical.set(3, 100),
            |mapping| mapping.to_physical.set(4, 42),
            |mapping| mapping.to_logical.set(42, 10),
            |mapping| mapping.valid.set(Pun::new(43)),
            |mapping| mapping.valid.clear(Pun::new(42)),
        ];
        for (number, forge) in forge.iter().enumerate() {
            let mut mapping = fresh();
            forge(&mut mapping);
            assert!(matches!(reloaded(&mapping), Err(LoadError::Other(_))), "{number}");
        }
    }

    #[test]
    fn numbers_beyond_32_bits_come_back() {
        let (logical, physical) = (7_500_000_000, 8_600_000_000);
        let mut mapping = Mapping::new(logical, physical, true);
        let page = |number: u64| {
            (Lpn::from_index(number as usize), Pun::from_index(physical as usize - 1 - number as usize))
        };
        for number in [0, (1 << 32) - 3, (1 << 32) - 2, (1 << 32) - 1, 1 << 32, logical - 1] {
            let (lpn, pun) = page(number);
            assert_eq!(mapping.get(lpn), None);
            mapping.bind(lpn, None, pun);
            assert_eq!(mapping.get(lpn), Some(pun));
            assert_eq!((mapping.lpn_of(pun), mapping.is_valid(pun)), (lpn, true));
            assert_eq!(mapping.next_valid(pun, pun + 1), Some(pun));
        }
        let (lpn, pun) = page(logical - 1);
        assert_eq!(
            (mapping.unbind(lpn), mapping.is_trimmed(lpn), mapping.is_valid(pun)),
            (Some(pun), true, false)
        );
    }
}
