//! Which sectors of each page hold data, for FTLs that map by the page but know by the sector.

use super::SectorMask;
use crate::engine::Table;
use crate::nand::Ppn;

/// Bits of a byte.
const BYTE: u32 = 8;

/// For each physical page the sectors that hold nothing: a page that nobody entered is full.
#[derive(Debug)]
pub(super) struct SectorMap {
    table: Table<u8>,
    bytes_per_page: usize,
    full_page: SectorMask,
}

impl SectorMap {
    /// All pages full. Pages of fewer than 8 sectors take a byte like those of 8.
    pub fn new(pages: usize, full_page: SectorMask) -> SectorMap {
        let bytes_per_page = full_page.count_ones().div_ceil(BYTE) as usize;
        SectorMap { table: Table::zeroed(pages * bytes_per_page), bytes_per_page, full_page }
    }

    /// The sectors of a page that hold data.
    pub fn held(&self, ppn: Ppn) -> SectorMask {
        let first = ppn as usize * self.bytes_per_page;
        let bytes = self.table[first..first + self.bytes_per_page].iter();
        let empty = bytes.rev().fold(0, |mask: SectorMask, &byte| mask << BYTE | SectorMask::from(byte));
        self.full_page & !empty
    }

    /// Notes which sectors of a page hold data.
    pub fn set(&mut self, ppn: Ppn, held: SectorMask) {
        let first = ppn as usize * self.bytes_per_page;
        let mut empty = self.full_page & !held;
        for byte in &mut self.table[first..first + self.bytes_per_page] {
            *byte = empty as u8;
            empty >>= BYTE;
        }
    }

    /// A page was copied.
    pub fn copy(&mut self, from: Ppn, to: Ppn) {
        let first = from as usize * self.bytes_per_page;
        self.table.copy_within(first..first + self.bytes_per_page, to as usize * self.bytes_per_page);
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
            map.set(1, some);
            assert_eq!([0, 1, 2].map(|page| map.held(page)), [full, some, full]);
            map.copy(1, 0);
            map.copy(2, 1);
            assert_eq!([0, 1, 2].map(|page| map.held(page)), [some, full, full]);
        }
    }
}
