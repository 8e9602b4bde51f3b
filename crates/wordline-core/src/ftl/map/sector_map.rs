//! Which sectors of each page hold data, for FTLs that map by the page but know by the sector.

use std::io;

use crate::engine::{LoadError, Loader, Saver, SpreadTable, State, state};
use crate::flash::SectorMask;
use crate::nand::Pun;

/// For each physical page the sectors that hold nothing: a page that nobody entered is full.
#[derive(Debug)]
pub(in crate::ftl) struct SectorMap {
    empty: Masks,
    full_page: SectorMask,
}

state! {
    SectorMap {
        parts: empty;
        derived: full_page;
    }
}

/// A mask for each page, in the fewest bytes that hold it.
#[derive(Debug)]
enum Masks {
    Of8(SpreadTable<u8>),
    Of16(SpreadTable<u16>),
    Of32(SpreadTable<u32>),
    Of64(SpreadTable<u64>),
}

impl State for Masks {
    fn save(&self, to: &mut Saver<'_>) -> io::Result<()> {
        match self {
            Masks::Of8(table) => table.save(to),
            Masks::Of16(table) => table.save(to),
            Masks::Of32(table) => table.save(to),
            Masks::Of64(table) => table.save(to),
        }
    }

    fn load(&mut self, from: &mut Loader<'_>) -> Result<(), LoadError> {
        match self {
            Masks::Of8(table) => table.load(from),
            Masks::Of16(table) => table.load(from),
            Masks::Of32(table) => table.load(from),
            Masks::Of64(table) => table.load(from),
        }
    }
}

impl Masks {
    fn new(pages: usize, sectors: u32) -> Masks {
        match sectors {
            0..=8 => Masks::Of8(SpreadTable::zeroed(pages)),
            9..=16 => Masks::Of16(SpreadTable::zeroed(pages)),
            17..=32 => Masks::Of32(SpreadTable::zeroed(pages)),
            _ => Masks::Of64(SpreadTable::zeroed(pages)),
        }
    }

    #[inline]
    fn get(&self, page: usize) -> SectorMask {
        match self {
            Masks::Of8(table) => table[page].into(),
            Masks::Of16(table) => table[page].into(),
            Masks::Of32(table) => table[page].into(),
            Masks::Of64(table) => table[page],
        }
    }

    #[inline]
    fn set(&mut self, page: usize, mask: SectorMask) {
        match self {
            Masks::Of8(table) => table[page] = mask as u8,
            Masks::Of16(table) => table[page] = mask as u16,
            Masks::Of32(table) => table[page] = mask as u32,
            Masks::Of64(table) => table[page] = mask,
        }
    }

    #[inline]
    fn prefetch(&self, page: usize) {
        match self {
            Masks::Of8(table) => table.prefetch(page),
            Masks::Of16(table) => table.prefetch(page),
            Masks::Of32(table) => table.prefetch(page),
            Masks::Of64(table) => table.prefetch(page),
        }
    }
}

impl SectorMap {
    /// All pages full.
    pub fn new(pages: usize, full_page: SectorMask) -> SectorMap {
        SectorMap { empty: Masks::new(pages, full_page.count_ones()), full_page }
    }

    /// The sectors of a page that hold data.
    #[inline]
    pub fn held(&self, pun: Pun) -> SectorMask {
        self.full_page & !self.empty.get(pun.index())
    }

    /// Notes which sectors of a page hold data.
    #[inline]
    pub fn set(&mut self, pun: Pun, held: SectorMask) {
        self.empty.set(pun.index(), self.full_page & !held);
    }

    /// Asks for what is known of a page that is about to be needed.
    #[inline]
    pub fn prefetch(&self, pun: Pun) {
        self.empty.prefetch(pun.index());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_full_until_said_otherwise() {
        for sectors in [8, 16, 32, 64] {
            let full = SectorMask::MAX >> (64 - sectors);
            let mut map = SectorMap::new(3, full);
            let some = 0x8000_0001_8001_0181 & full;
            map.set(Pun::new(1), some);
            assert_eq!([0, 1, 2].map(|page| map.held(Pun::new(page))), [full, some, full]);
            map.set(Pun::new(1), full);
            assert_eq!(map.held(Pun::new(1)), full);
        }
    }
}
