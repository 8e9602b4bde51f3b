//! The data behind the simulated SSD, in three layers, the newest first:
//!
//! - `volatile`: what only the SSD's volatile cache holds. A power cut loses it.
//! - `waiting`: what the SSD has on flash, and the disk has refused until now. A power cut does not lose it.
//! - the disk: a file, or memory.
//!
//! The SSD's notices say what goes where. What was acknowledged leaves a layer only once the next one has it, so a disk
//! without room loses nothing: it is asked again at each flush, and before each new write.

mod disk;
mod file;
mod memory;
mod pages;

use std::io;
use std::path::Path;

pub use disk::Disk;
pub use file::FileStore;
pub use memory::Memory;
use pages::{Page, Pages, byte_runs};
use wordline_core::nand::Lpn;

use crate::protocol::EXTENTS_MAX;
use crate::protocol::reply::Extent;

/// How far one call of [`Store::extents`] looks, bytes.
const EXTENTS_BYTES_MAX: u64 = 256 << 20;

/// When the file of a store is synced, so that a crash of this machine does not lose what is in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sync {
    /// Before each flush and each write with FUA is answered.
    AtFlush,
    /// At the end of the session.
    AtEnd,
}

/// Why the disk can no longer be trusted.
#[derive(Debug)]
struct Fault {
    kind: io::ErrorKind,
    message: String,
}

/// All data of the SSD. What was never written reads as zeros and takes no room.
#[derive(Debug)]
pub struct Store {
    disk: Box<dyn Disk>,
    volatile: Pages,
    waiting: Pages,
    page_bytes: usize,
    sync: Sync,
    /// The disk may hold what was written since the last sync.
    is_unsynced: bool,
    /// A sync has failed.
    unsyncable: Option<Fault>,
}

impl Store {
    /// A store in memory, for an SSD with pages of so many bytes.
    #[must_use]
    pub fn in_memory(page_bytes: u32) -> Store {
        Store::on(Box::new(Memory::default()), page_bytes, Sync::AtEnd)
    }

    /// A store in a file of `bytes` bytes, which is created where it does not exist, and outlives the program.
    ///
    /// # Errors
    /// What the file system says; [`io::ErrorKind::InvalidInput`] for a file of another size;
    /// [`io::ErrorKind::WouldBlock`] for one that another server uses.
    pub fn in_file(path: &Path, bytes: u64, page_bytes: u32, sync: Sync) -> io::Result<Store> {
        Ok(Store::on(Box::new(FileStore::open(path, bytes)?), page_bytes, sync))
    }

    /// A store on any disk.
    #[must_use]
    pub fn on(disk: Box<dyn Disk>, page_bytes: u32, sync: Sync) -> Store {
        let page_bytes = page_bytes as usize;
        Store {
            disk,
            volatile: Pages::new(page_bytes),
            waiting: Pages::new(page_bytes),
            page_bytes,
            sync,
            // A session before this one may have been killed.
            is_unsynced: true,
            unsyncable: None,
        }
    }

    /// The newest data from `offset` on.
    ///
    /// # Errors
    /// What the disk says.
    pub fn read(&self, offset: u64, into: &mut [u8]) -> io::Result<()> {
        self.disk.read(offset, into)?;
        self.waiting.cover(offset, into);
        self.volatile.cover(offset, into);
        Ok(())
    }

    /// Writes sectors of a page where a power cut does not lose them. `data` are those of a request that begins at
    /// `offset`; without them the sectors become zeros.
    ///
    /// # Errors
    /// What the disk says; some of the sectors may be written then.
    pub fn keep(&mut self, lpn: Lpn, sectors: u64, offset: u64, data: Option<&[u8]>) -> io::Result<()> {
        let start = self.waiting.start(lpn);
        self.is_unsynced = true;
        for (from, to) in byte_runs(sectors) {
            let (from, to) = (start + from as u64, start + to as u64);
            match data {
                Some(data) => {
                    self.disk.write_all(from, &data[(from - offset) as usize..(to - offset) as usize])?;
                }
                None => self.disk.zero(from, to - from)?,
            }
        }
        // Until here they hide what the disk has: a failure leaves the data of before, not older ones.
        self.waiting.drop_sectors(lpn, sectors);
        self.volatile.drop_sectors(lpn, sectors);
        Ok(())
    }

    /// Writes sectors of a page where a power cut loses them, as [`Store::keep`] does elsewhere.
    pub fn cache(&mut self, lpn: Lpn, sectors: u64, offset: u64, data: Option<&[u8]>) {
        self.volatile.put(lpn, sectors, offset, data);
    }

    /// What the cache held of a page is safe from power cuts from now on. It waits where the disk does not take it.
    pub fn flushed(&mut self, lpn: Lpn) {
        let Some(page) = self.volatile.take(lpn) else { return };
        // What waits already may be older sectors of this page.
        if self.waiting.contains(lpn) || self.write_page(lpn, &page).is_err() {
            self.waiting.put_page(lpn, &page);
        }
    }

    /// Sectors of a page read as zeros from now on.
    ///
    /// # Errors
    /// What the disk says; some of the sectors may be zeros then.
    pub fn forget(&mut self, lpn: Lpn, sectors: u64) -> io::Result<()> {
        let kept = self.keep(lpn, sectors, 0, None);
        if kept.is_err()
            && let Some(page) = self.volatile.take_sectors(lpn, sectors)
        {
            // The SSD's cache has forgotten them, and no flush will name them any more.
            self.waiting.put_page(lpn, &page);
        }
        kept
    }

    /// The power is gone, and with it what only the cache held.
    pub fn power_cut(&mut self) {
        self.volatile.clear();
    }

    /// Backup power, or a shutdown in good order, has saved what the cache held.
    pub fn cache_saved(&mut self) {
        while let Some((lpn, _)) = self.volatile.first() {
            self.flushed(lpn);
        }
    }

    /// Whether new data can be taken: what waits has its place on the disk now.
    ///
    /// # Errors
    /// Why not: what the disk says, or that it could not be synced earlier.
    pub fn ready_for_writes(&mut self) -> io::Result<()> {
        self.trusted()?;
        while let Some((lpn, page)) = self.waiting.first() {
            let page = page.clone();
            self.write_page(lpn, &page)?;
            _ = self.waiting.take(lpn);
        }
        Ok(())
    }

    /// Whether the disk may be written to at all.
    ///
    /// # Errors
    /// A sync has failed. The system forgets then which data did not reach the disk, and a second sync would succeed
    /// without them: only the next session, on what is there, can be believed.
    pub fn trusted(&self) -> io::Result<()> {
        self.unsyncable
            .as_ref()
            .map_or(Ok(()), |fault| Err(io::Error::new(fault.kind, fault.message.clone())))
    }

    /// What a flush promises: all that a power cut does not lose is in the file, and on the disk where the choice is
    /// [`Sync::AtFlush`].
    ///
    /// # Errors
    /// What the disk says: then it is not.
    pub fn settle(&mut self) -> io::Result<()> {
        self.ready_for_writes()?;
        if self.sync == Sync::AtFlush { self.sync() } else { Ok(()) }
    }

    /// The session ends, and nothing stays in memory.
    ///
    /// # Errors
    /// What the disk says: then it does not have all data.
    pub fn shut_down(&mut self) -> io::Result<()> {
        self.cache_saved();
        self.ready_for_writes()?;
        self.sync()
    }

    fn write_page(&mut self, lpn: Lpn, page: &Page) -> io::Result<()> {
        let start = self.waiting.start(lpn);
        self.is_unsynced = true;
        byte_runs(page.sectors)
            .try_for_each(|(from, to)| self.disk.write_all(start + from as u64, &page.data[from..to]))
    }

    fn sync(&mut self) -> io::Result<()> {
        if !self.is_unsynced {
            return Ok(());
        }
        if let Err(error) = self.disk.sync() {
            let message = format!("it could not be synced: {error}");
            self.unsyncable = Some(Fault { kind: error.kind(), message });
            return self.trusted();
        }
        self.is_unsynced = false;
        Ok(())
    }

    /// Which parts of a range hold data, from its beginning on; the answer may end before the range does.
    ///
    /// # Errors
    /// What the disk says.
    pub fn extents(&self, offset: u64, bytes: u32, only_first: bool) -> io::Result<Vec<Extent>> {
        let end = offset + u64::from(bytes).min(EXTENTS_BYTES_MAX);
        let mut extents: Vec<Extent> = Vec::new();
        let mut at = offset;
        while at < end {
            let (has_data, until) = self.extent(at, end)?;
            let bytes = (until - at) as u32;
            let is_full = only_first || extents.len() == EXTENTS_MAX;
            match extents.last_mut() {
                Some(last) if last.has_data == has_data => last.bytes += bytes,
                Some(_) if is_full => break,
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
        let lpn = Lpn::from_index(page as usize);
        if self.volatile.contains(lpn) || self.waiting.contains(lpn) {
            return Ok((true, ((page + 1) * page_bytes).min(end)));
        }
        let held = [self.volatile.next_from(lpn), self.waiting.next_from(lpn)];
        let next = held.into_iter().flatten().min().map_or(end, |lpn| self.waiting.start(lpn).min(end));
        self.disk.extent(at, next)
    }
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
        store.flushed(Lpn::new(2));
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
        let mut store = Store::in_file(&path, 1 << 20, PAGE as u32, Sync::AtFlush).unwrap();
        store.keep(Lpn::new(5), 0xff, 5 * 4096, Some(&[9; PAGE])).unwrap();
        store.cache(Lpn::new(6), 0xff, 6 * 4096, Some(&[10; PAGE]));
        let second = Store::in_file(&path, 1 << 20, PAGE as u32, Sync::AtFlush).unwrap_err();
        assert_eq!(second.kind(), io::ErrorKind::WouldBlock);
        store.shut_down().unwrap();
        drop(store);
        let size = Store::in_file(&path, 1 << 21, PAGE as u32, Sync::AtFlush).unwrap_err();
        assert_eq!(size.kind(), io::ErrorKind::InvalidInput);
        let mut store = Store::in_file(&path, 1 << 20, PAGE as u32, Sync::AtFlush).unwrap();
        assert_eq!(read(&store, 5 * 4096, 2 * PAGE), [[9; PAGE], [10; PAGE]].concat());
        store.forget(Lpn::new(5), 0xff).unwrap();
        assert_eq!(read(&store, 5 * 4096, PAGE), [0; PAGE]);
    }
}
