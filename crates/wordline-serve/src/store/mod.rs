//! The data behind the simulated SSD, in two parts as the SSD has them: what is durable, and what only the volatile
//! cache holds. The SSD's notices say what goes where, so that a power cut loses what it would lose on the drive.

mod file;
mod memory;

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

pub use file::FileStore;
pub use memory::Memory;
use wordline_core::nand::Lpn;

use crate::protocol::reply::Extent;

/// Bytes of a sector.
const SECTOR_BYTES: usize = 512;
/// How far one call of [`Store::extents`] looks, bytes.
const EXTENTS_BYTES_MAX: u64 = 256 << 20;

/// Where durable data are.
#[derive(Debug)]
enum Durable {
    Memory(Memory),
    File(FileStore),
}

/// Sectors of one page that the volatile cache holds.
#[derive(Debug)]
struct Volatile {
    sectors: u64,
    data: Box<[u8]>,
}

/// All data of the SSD. What was never written reads as zeros and takes no room.
#[derive(Debug)]
pub struct Store {
    durable: Durable,
    volatile: BTreeMap<Lpn, Volatile>,
    page_bytes: usize,
}

impl Store {
    /// A store in memory, for an SSD with pages of so many bytes.
    #[must_use]
    pub fn in_memory(page_bytes: u32) -> Store {
        Store::new(Durable::Memory(Memory::default()), page_bytes)
    }

    /// A store in a file of `bytes` bytes, which is created where it does not exist, and outlives the program.
    ///
    /// # Errors
    /// What the file system says; [`io::ErrorKind::InvalidInput`] for a file of another size;
    /// [`io::ErrorKind::WouldBlock`] for one that another server uses.
    pub fn in_file(path: &Path, bytes: u64, page_bytes: u32) -> io::Result<Store> {
        Ok(Store::new(Durable::File(FileStore::open(path, bytes)?), page_bytes))
    }

    fn new(durable: Durable, page_bytes: u32) -> Store {
        Store { durable, volatile: BTreeMap::new(), page_bytes: page_bytes as usize }
    }

    /// The newest data from `offset` on.
    ///
    /// # Errors
    /// What the file says, for a store in a file.
    pub fn read(&self, offset: u64, into: &mut [u8]) -> io::Result<()> {
        match &self.durable {
            Durable::Memory(memory) => memory.read(offset, into),
            Durable::File(file) => file.read(offset, into)?,
        }
        if !self.volatile.is_empty() {
            self.read_volatile(offset, into);
        }
        Ok(())
    }

    fn read_volatile(&self, offset: u64, into: &mut [u8]) {
        let end = offset + into.len() as u64;
        let first = Lpn::from_index((offset / self.page_bytes as u64) as usize);
        let last = Lpn::from_index(((end - 1) / self.page_bytes as u64) as usize);
        for (&lpn, page) in self.volatile.range(first..=last) {
            let start = u64::from(lpn) * self.page_bytes as u64;
            for (from, to) in runs(page.sectors) {
                let (from, to) = (from * SECTOR_BYTES, to * SECTOR_BYTES);
                let a = (start + from as u64).max(offset);
                let b = (start + to as u64).min(end);
                if a < b {
                    let source = &page.data[(a - start) as usize..(b - start) as usize];
                    into[(a - offset) as usize..(b - offset) as usize].copy_from_slice(source);
                }
            }
        }
    }

    /// Writes sectors of a page where a power cut does not lose them. `data` are those of a request that begins at
    /// `offset`; without them the sectors become zeros.
    ///
    /// # Errors
    /// What the file says, for a store in a file.
    pub fn keep(&mut self, lpn: Lpn, sectors: u64, offset: u64, data: Option<&[u8]>) -> io::Result<()> {
        let start = u64::from(lpn) * self.page_bytes as u64;
        for (from, to) in runs(sectors) {
            let (from, to) = (start + (from * SECTOR_BYTES) as u64, start + (to * SECTOR_BYTES) as u64);
            match data {
                Some(data) => {
                    let data = &data[(from - offset) as usize..(to - offset) as usize];
                    self.durable.write(from, data)?;
                }
                None => self.durable.zero(from, to - from)?,
            }
        }
        Ok(())
    }

    /// Writes sectors of a page where a power cut loses them, as [`Store::keep`] does elsewhere.
    pub fn cache(&mut self, lpn: Lpn, sectors: u64, offset: u64, data: Option<&[u8]>) {
        let page_bytes = self.page_bytes;
        let page = self
            .volatile
            .entry(lpn)
            .or_insert_with(|| Volatile { sectors: 0, data: vec![0; page_bytes].into_boxed_slice() });
        page.sectors |= sectors;
        let start = u64::from(lpn) * page_bytes as u64;
        for (from, to) in runs(sectors) {
            let (from, to) = (from * SECTOR_BYTES, to * SECTOR_BYTES);
            match data {
                Some(data) => {
                    let (a, b) = (start + from as u64 - offset, start + to as u64 - offset);
                    page.data[from..to].copy_from_slice(&data[a as usize..b as usize]);
                }
                None => page.data[from..to].fill(0),
            }
        }
    }

    /// What the cache held of a page is durable from now on.
    ///
    /// # Errors
    /// What the file says, for a store in a file.
    pub fn flushed(&mut self, lpn: Lpn) -> io::Result<()> {
        let Some(page) = self.volatile.remove(&lpn) else { return Ok(()) };
        let start = u64::from(lpn) * self.page_bytes as u64;
        for (from, to) in runs(page.sectors) {
            let (from, to) = (from * SECTOR_BYTES, to * SECTOR_BYTES);
            self.durable.write(start + from as u64, &page.data[from..to])?;
        }
        Ok(())
    }

    /// Sectors of a page read as zeros from now on.
    ///
    /// # Errors
    /// What the file says, for a store in a file.
    pub fn forget(&mut self, lpn: Lpn, sectors: u64) -> io::Result<()> {
        if let Some(page) = self.volatile.get_mut(&lpn) {
            page.sectors &= !sectors;
            if page.sectors == 0 {
                self.volatile.remove(&lpn);
            }
        }
        self.keep(lpn, sectors, 0, None)
    }

    /// The power is gone, and with it what only the cache held.
    pub fn power_cut(&mut self) {
        self.volatile.clear();
    }

    /// The SSD is switched off in good order: nothing stays in its cache.
    ///
    /// # Errors
    /// What the file says, for a store in a file.
    pub fn shut_down(&mut self) -> io::Result<()> {
        while let Some((&lpn, _)) = self.volatile.first_key_value() {
            self.flushed(lpn)?;
        }
        match &self.durable {
            Durable::Memory(_) => Ok(()),
            Durable::File(file) => file.sync(),
        }
    }

    /// Which parts of a range hold data, from its beginning on; the answer may end before the range does.
    ///
    /// # Errors
    /// What the file says, for a store in a file.
    pub fn extents(&self, offset: u64, bytes: u32, only_first: bool) -> io::Result<Vec<Extent>> {
        let end = offset + u64::from(bytes).min(EXTENTS_BYTES_MAX);
        let mut extents: Vec<Extent> = Vec::new();
        let mut at = offset;
        while at < end {
            let (has_data, until) = self.extent(at, end)?;
            let bytes = (until - at) as u32;
            match extents.last_mut() {
                Some(last) if last.has_data == has_data => last.bytes += bytes,
                Some(_) if only_first => break,
                _ => extents.push(Extent { bytes, has_data }),
            }
            at = until;
        }
        Ok(extents)
    }

    /// Whether there are data at `at`, and up to where, below `end`, the answer is the same for sure.
    fn extent(&self, at: u64, end: u64) -> io::Result<(bool, u64)> {
        let page_bytes = self.page_bytes as u64;
        let page = at / page_bytes;
        let page_end = ((page + 1) * page_bytes).min(end);
        if self.volatile.contains_key(&Lpn::from_index(page as usize)) {
            return Ok((true, page_end));
        }
        let next = self
            .volatile
            .range(Lpn::from_index(page as usize)..)
            .next()
            .map_or(end, |(&lpn, _)| (u64::from(lpn) * page_bytes).min(end));
        match &self.durable {
            Durable::Memory(memory) => Ok(memory.extent(at, next)),
            Durable::File(file) => file.extent(at, next),
        }
    }
}

impl Durable {
    fn write(&mut self, offset: u64, data: &[u8]) -> io::Result<()> {
        match self {
            Durable::Memory(memory) => memory.write(offset, data),
            Durable::File(file) => return file.write(offset, data),
        }
        Ok(())
    }

    fn zero(&mut self, offset: u64, bytes: u64) -> io::Result<()> {
        match self {
            Durable::Memory(memory) => memory.zero(offset, bytes),
            Durable::File(file) => return file.zero(offset, bytes),
        }
        Ok(())
    }
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

    const PAGE: usize = 4096;

    fn read(store: &Store, offset: u64, bytes: usize) -> Vec<u8> {
        let mut data = vec![0xee; bytes];
        store.read(offset, &mut data).unwrap();
        data
    }

    #[test]
    fn runs_of_bits_are_found() {
        assert_eq!(runs(0).count(), 0);
        assert_eq!(runs(0b1101_1000).collect::<Vec<_>>(), [(3, 5), (6, 8)]);
        assert_eq!(runs(u64::MAX).collect::<Vec<_>>(), [(0, 64)]);
        assert_eq!(runs(1 << 63 | 1).collect::<Vec<_>>(), [(0, 1), (63, 64)]);
    }

    #[test]
    fn a_power_cut_loses_what_only_the_cache_held() {
        let mut store = Store::in_memory(PAGE as u32);
        store.keep(Lpn::new(3), 0xff, 3 * 4096, Some(&[1; PAGE])).unwrap();
        // A request for the last sector of page 2 and the first two of page 3.
        let data = [[2; 512], [3; 512], [4; 512]].concat();
        let offset = 3 * 4096 - 512;
        store.cache(Lpn::new(2), 0x80, offset, Some(&data));
        store.cache(Lpn::new(3), 0b11, offset, Some(&data));
        let newest = [&data[..], &[1; 512]].concat();
        assert_eq!(read(&store, offset, 2048), newest);
        store.flushed(Lpn::new(2)).unwrap();
        assert_eq!(read(&store, offset, 2048), newest);
        store.power_cut();
        assert_eq!(read(&store, offset, 2048), [&[2; 512][..], &[1; 1536]].concat());
    }

    #[test]
    fn what_is_forgotten_reads_as_zeros_wherever_it_was() {
        let mut store = Store::in_memory(PAGE as u32);
        store.keep(Lpn::new(0), 0xff, 0, Some(&[7; PAGE])).unwrap();
        store.cache(Lpn::new(0), 0xf0, 0, Some(&[8; PAGE]));
        store.forget(Lpn::new(0), 0x3c).unwrap();
        let want = [[7; 1024], [0; 1024], [0; 1024], [8; 1024]].concat();
        assert_eq!(read(&store, 0, PAGE), want);
        store.shut_down().unwrap();
        store.power_cut();
        assert_eq!(read(&store, 0, PAGE), want);
    }

    #[test]
    fn extents_tell_data_from_holes() {
        let mut store = Store::in_memory(PAGE as u32);
        store.keep(Lpn::new(1), 0xff, 4096, Some(&[1; PAGE])).unwrap();
        store.cache(Lpn::new(2), 1, 8192, Some(&[1; 512]));
        let extent = |bytes, has_data| Extent { bytes, has_data };
        let all = [extent(4096, false), extent(8192, true), extent(4096, false)];
        assert_eq!(store.extents(0, 16_384, false).unwrap(), all);
        assert_eq!(store.extents(512, 8192, false).unwrap(), [extent(3584, false), extent(4608, true)]);
        assert_eq!(store.extents(0, 16_384, true).unwrap(), all[..1]);
    }

    #[test]
    fn a_file_keeps_its_data_and_has_one_user() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("store");
        let mut store = Store::in_file(&path, 1 << 20, PAGE as u32).unwrap();
        store.keep(Lpn::new(5), 0xff, 5 * 4096, Some(&[9; PAGE])).unwrap();
        store.cache(Lpn::new(6), 0xff, 6 * 4096, Some(&[10; PAGE]));
        let second = Store::in_file(&path, 1 << 20, PAGE as u32).unwrap_err();
        assert_eq!(second.kind(), io::ErrorKind::WouldBlock);
        store.shut_down().unwrap();
        drop(store);
        let size = Store::in_file(&path, 1 << 21, PAGE as u32).unwrap_err();
        assert_eq!(size.kind(), io::ErrorKind::InvalidInput);
        let mut store = Store::in_file(&path, 1 << 20, PAGE as u32).unwrap();
        assert_eq!(read(&store, 5 * 4096, 2 * PAGE), [[9; PAGE], [10; PAGE]].concat());
        store.forget(Lpn::new(5), 0xff).unwrap();
        assert_eq!(read(&store, 5 * 4096, PAGE), [0; PAGE]);
    }
}
