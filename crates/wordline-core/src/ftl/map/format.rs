//! What a mapping unit and its page are like, and what of them crosses the channel.

use crate::config::{Config, Transfer};
use crate::flash::{SectorMask, full_page};
use crate::nand::{Address, Lpn, Ppn, Pun, UnitAddress};
use wordline_cells::Divider;

/// What a mapping unit and its page are like. In the FTL a "page" is a unit: all its tables, blocks and counters are in
/// units ([`Pun`]), and the pages of the flash ([`Ppn`]) appear where transactions are ordered and done.
#[derive(Clone, Copy, Debug)]
pub(in crate::ftl) struct Format {
    /// The first logical unit behind the host's: those of the mapping table follow.
    pub host_end: Lpn,
    /// All sectors of a unit.
    pub full_page: SectorMask,
    /// Of the page's spare bytes those that belong to a unit.
    spare_bytes: u32,
    /// Bytes of a page of the flash on the channel.
    page_bytes: u32,
    /// The number of units of a page, as a power of two.
    page_shift: u32,
    /// Pages cross the channel whole.
    whole_pages: bool,
    /// What the ECC decodes at a time, where units are smaller than a page: reads bring nothing less.
    codeword: Option<Codeword>,
    /// Divides by the units that are programmed at once, where these are more than a page.
    by_program: Option<Divider>,
}

/// A codeword of the ECC.
#[derive(Clone, Copy, Debug)]
struct Codeword {
    /// Sectors of data in it, at most those of a unit.
    sectors: u32,
    /// Its bytes on the channel.
    bytes: u32,
    /// The number of units in it, as a power of two.
    units_shift: u32,
}

impl Codeword {
    /// Nothing where a unit is a page.
    fn new(config: &Config) -> Option<Codeword> {
        let (data, unit, page) = (config.ecc.codeword_bytes(), config.unit_bytes(), config.ssd.page_bytes);
        let data = data.min(page);
        (unit < page).then(|| Codeword {
            sectors: data.min(unit) / 512,
            bytes: data + config.ssd.spare_bytes / (page / data),
            units_shift: (data / unit).max(1).trailing_zeros(),
        })
    }

    /// How many of them some sectors of a unit touch.
    fn count(&self, sectors: SectorMask) -> u32 {
        let of_one = full_page(self.sectors);
        (0..u64::BITS / self.sectors).filter(|i| sectors >> (i * self.sectors) & of_one != 0).count() as u32
    }
}

impl Format {
    /// As the configuration says.
    pub fn new(config: &Config) -> Format {
        Format {
            host_end: Lpn::from_index(config.host_units() as usize),
            full_page: full_page(config.sectors_per_unit()),
            spare_bytes: config.ssd.spare_bytes / config.units_per_page(),
            page_bytes: config.ssd.page_bytes + config.ssd.spare_bytes,
            page_shift: config.units_per_page().trailing_zeros(),
            whole_pages: config.ftl.transfer == Transfer::Page,
            codeword: Codeword::new(config),
            by_program: config.programs_wordlines().then(|| Divider::new(config.units_of_program())),
        }
    }

    /// True for a unit of the mapping table, its journal or its checkpoint, and not of the host.
    #[inline(always)]
    pub fn is_of_table(&self, lpn: Lpn) -> bool {
        lpn >= self.host_end
    }

    /// Bytes that a read of some sectors of a unit brings over the channel.
    #[inline]
    pub fn read_bytes(&self, sectors: SectorMask) -> u32 {
        match &self.codeword {
            Some(codeword)
                if !self.whole_pages && (sectors != self.full_page || codeword.units_shift > 0) =>
            {
                codeword.count(sectors) * codeword.bytes
            }
            _ => self.bytes_of(sectors),
        }
    }

    /// Which codeword of the drive a unit is in, if several units share one.
    #[inline]
    pub fn codeword_of(&self, unit: Pun) -> u64 {
        u64::from(unit) >> self.codeword.map_or(0, |codeword| codeword.units_shift)
    }

    /// Bytes of a whole page on the channel.
    #[inline]
    pub fn page(&self) -> u32 {
        self.page_bytes
    }

    /// The page of the flash that holds a unit.
    #[inline(always)]
    pub fn page_of(&self, unit: Pun) -> Ppn {
        Ppn::from_index(unit.index() >> self.page_shift)
    }

    /// The first unit of a page of the flash.
    #[inline]
    pub fn first_unit_of(&self, page: Ppn) -> Pun {
        Pun::from_index(page.index() << self.page_shift)
    }

    /// The address of a page of the flash that holds the unit at another.
    #[inline(always)]
    pub fn address_of_page(&self, ppn: Ppn, unit: UnitAddress) -> Address {
        Address { place: ppn, block: unit.block, page: unit.page >> self.page_shift }
    }

    /// The first unit behind the page of a unit.
    #[inline]
    pub fn end_of_page(&self, unit: Pun) -> Pun {
        self.first_unit_of(self.page_of(unit) + 1)
    }

    /// Which of the units of its page a unit is.
    #[inline]
    pub fn place_in_page(&self, unit: Pun) -> u32 {
        unit.index() as u32 & (self.units_per_page() - 1)
    }

    /// Units of a page.
    #[inline]
    pub fn units_per_page(&self) -> u32 {
        1 << self.page_shift
    }

    /// The number of what a unit is programmed with in a fill in order: neighbours have a plane, or a die, in common.
    #[inline(always)]
    pub fn home_of(&self, lpn: Lpn) -> Lpn {
        match &self.by_program {
            None => Lpn::from_index(lpn.index() >> self.page_shift),
            Some(units) => Lpn::new(units.quotient(lpn)),
        }
    }

    /// Bytes of some sectors on the channel; a whole page brings its spare bytes along.
    #[inline]
    pub fn bytes_of(&self, sectors: SectorMask) -> u32 {
        if self.whole_pages {
            return self.page();
        }
        let spare = if sectors == self.full_page { self.spare_bytes } else { 0 };
        count(sectors) * 512 + spare
    }
}

/// Number of sectors in a mask. What is asked for is mostly one run of sectors: its ends tell the number sooner
/// than all its bits do, on processors that are not asked to count bits themselves.
#[inline]
fn count(sectors: SectorMask) -> u32 {
    let first = sectors.trailing_zeros();
    let beyond = sectors.wrapping_add(sectors & sectors.wrapping_neg());
    if beyond & sectors == 0 { beyond.trailing_zeros() - first } else { sectors.count_ones() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_sectors_of_all_masks() {
        for mask in
            [0, 1, 0xff, 0xff00, 0b101, 1 << 63, u64::MAX, u64::MAX - 1, 0xf000_0000_0000_0001, !0 << 8]
        {
            assert_eq!(count(mask), mask.count_ones(), "{mask:#x}");
        }
    }
}
