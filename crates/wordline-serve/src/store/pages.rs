//! Pages of which some sectors are held in memory, above what the disk has.

use std::collections::BTreeMap;

use wordline_core::nand::Lpn;

/// Bytes of a sector.
pub(super) const SECTOR_BYTES: usize = 512;

/// A page, and which of its sectors are held.
#[derive(Clone, Debug)]
pub(super) struct Page {
    pub sectors: u64,
    pub data: Box<[u8]>,
}

/// Pages by their number.
#[derive(Debug)]
pub(super) struct Pages {
    pages: BTreeMap<Lpn, Page>,
    page_bytes: usize,
}

impl Pages {
    pub fn new(page_bytes: usize) -> Pages {
        Pages { pages: BTreeMap::new(), page_bytes }
    }

    /// Holds sectors of a page. `data` are those of a request that begins at `offset`; without them the sectors are zeros.
    pub fn put(&mut self, lpn: Lpn, sectors: u64, offset: u64, data: Option<&[u8]>) {
        let start = self.start(lpn);
        let page_bytes = self.page_bytes;
        let page = self
            .pages
            .entry(lpn)
            .or_insert_with(|| Page { sectors: 0, data: vec![0; page_bytes].into_boxed_slice() });
        page.sectors |= sectors;
        for (from, to) in byte_runs(sectors) {
            match data {
                Some(data) => {
                    let (a, b) = (start + from as u64 - offset, start + to as u64 - offset);
                    page.data[from..to].copy_from_slice(&data[a as usize..b as usize]);
                }
                None => page.data[from..to].fill(0),
            }
        }
    }

    /// Holds the sectors of a page over those that it held.
    pub fn put_page(&mut self, lpn: Lpn, page: &Page) {
        let start = self.start(lpn);
        self.put(lpn, page.sectors, start, Some(&page.data));
    }

    /// Holds sectors of a page no more.
    pub fn drop_sectors(&mut self, lpn: Lpn, sectors: u64) {
        if let Some(page) = self.pages.get_mut(&lpn) {
            page.sectors &= !sectors;
            if page.sectors == 0 {
                self.pages.remove(&lpn);
            }
        }
    }

    /// Those of some sectors of a page that are held, which are held no more.
    pub fn take_sectors(&mut self, lpn: Lpn, sectors: u64) -> Option<Page> {
        let page = self.pages.get(&lpn).filter(|page| page.sectors & sectors != 0)?;
        let taken = Page { sectors: page.sectors & sectors, data: page.data.clone() };
        self.drop_sectors(lpn, sectors);
        Some(taken)
    }

    pub fn take(&mut self, lpn: Lpn) -> Option<Page> {
        self.pages.remove(&lpn)
    }

    pub fn first(&self) -> Option<(Lpn, &Page)> {
        self.pages.first_key_value().map(|(&lpn, page)| (lpn, page))
    }

    pub fn clear(&mut self) {
        self.pages.clear();
    }

    pub fn contains(&self, lpn: Lpn) -> bool {
        self.pages.contains_key(&lpn)
    }

    /// The first page from `lpn` on.
    pub fn next_from(&self, lpn: Lpn) -> Option<Lpn> {
        self.pages.range(lpn..).next().map(|(&lpn, _)| lpn)
    }

    /// Puts what is held from `offset` on over what was read there.
    pub fn cover(&self, offset: u64, into: &mut [u8]) {
        if self.pages.is_empty() || into.is_empty() {
            return;
        }
        let end = offset + into.len() as u64;
        let first = Lpn::from_index((offset / self.page_bytes as u64) as usize);
        let last = Lpn::from_index(((end - 1) / self.page_bytes as u64) as usize);
        for (&lpn, page) in self.pages.range(first..=last) {
            let start = self.start(lpn);
            for (from, to) in byte_runs(page.sectors) {
                let a = (start + from as u64).max(offset);
                let b = (start + to as u64).min(end);
                if a < b {
                    let source = &page.data[(a - start) as usize..(b - start) as usize];
                    into[(a - offset) as usize..(b - offset) as usize].copy_from_slice(source);
                }
            }
        }
    }

    /// Where a page begins, bytes.
    pub fn start(&self, lpn: Lpn) -> u64 {
        u64::from(lpn) * self.page_bytes as u64
    }
}

/// The runs of set bits in a mask of sectors, in bytes: from where, and up to where.
pub(super) fn byte_runs(sectors: u64) -> impl Iterator<Item = (usize, usize)> {
    runs(sectors).map(|(from, to)| (from * SECTOR_BYTES, to * SECTOR_BYTES))
}

/// The runs of set bits in a mask: from which bit, and up to which.
fn runs(mut mask: u64) -> impl Iterator<Item = (usize, usize)> {
    std::iter::from_fn(move || {
        if mask == 0 {
            return None;
        }
        let from = mask.trailing_zeros();
        let length = (!(mask >> from)).trailing_zeros();
        let run = if length == 64 { u64::MAX } else { (1 << length) - 1 };
        mask &= !(run << from);
        Some((from as usize, (from + length) as usize))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_of_bits_are_found() {
        assert_eq!(runs(0).count(), 0);
        assert_eq!(runs(0b1101_1000).collect::<Vec<_>>(), [(3, 5), (6, 8)]);
        assert_eq!(runs(u64::MAX).collect::<Vec<_>>(), [(0, 64)]);
        assert_eq!(runs(1 << 63 | 1).collect::<Vec<_>>(), [(0, 1), (63, 64)]);
    }
}
