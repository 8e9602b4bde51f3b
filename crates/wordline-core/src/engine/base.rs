//! What forks share, and which pages are not shared: files of Linux's.

use std::fs::File;
use std::ops::Range;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::FileExt;
use std::ptr::NonNull;

use rustix::fs::{MemfdFlags, SeekFrom, memfd_create, seek};

use super::zeros::is_zero;

/// Bytes that are looked at for zeros together.
const PIECE_BYTES: usize = 64 << 10;
/// Pages that are looked up at once.
const PAGES: usize = 1 << 16;

/// A file without a name, in memory.
#[derive(Debug)]
pub(super) struct Base(File);

impl Base {
    /// Zeros; none where the system gives none.
    pub fn of(bytes: usize) -> Option<Base> {
        let file = File::from(memfd_create("wordline", MemfdFlags::CLOEXEC).ok()?);
        file.set_len(bytes as u64).ok()?;
        Some(Base(file))
    }

    /// Writes a range of the contents; none where there is no room.
    pub fn write(&self, contents: &[u8], range: Range<usize>) -> Option<()> {
        self.0.write_all_at(&contents[range.clone()], range.start as u64).ok()
    }

    /// Writes a range of the contents into zeros: what is zero takes no room.
    pub fn write_used(&self, contents: &[u8], range: Range<usize>) -> Option<()> {
        let pieces = range.clone().step_by(PIECE_BYTES).map(|at| at..(at + PIECE_BYTES).min(range.end));
        pieces
            .filter(|piece| !is_zero(&contents[piece.clone()]))
            .try_for_each(|piece| self.write(contents, piece))
    }

    /// Ranges of the first so many bytes outside of which all is zero.
    pub fn kept(&self, bytes: usize) -> Vec<Range<usize>> {
        let mut kept = Vec::new();
        let mut at = 0;
        while let Ok(start) = seek(&self.0, SeekFrom::Data(at)) {
            let end = seek(&self.0, SeekFrom::Hole(start)).unwrap_or(bytes as u64);
            kept.push(start as usize..end as usize);
            at = end;
        }
        kept
    }
}

impl AsFd for Base {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

/// Ranges of bytes, in order, whose pages are neither untouched nor those of a file. None where the system does not say.
pub(super) fn own_pages(place: NonNull<u8>, bytes: usize) -> Option<Vec<Range<usize>>> {
    let page_bytes = rustix::param::page_size();
    let first = place.as_ptr() as usize / page_bytes;
    let all = bytes.div_ceil(page_bytes);
    let map = File::open("/proc/self/pagemap").ok()?;
    let mut entries = vec![0; PAGES.min(all) * size_of::<u64>()];
    let mut own: Vec<Range<usize>> = Vec::new();
    for begin in (0..all).step_by(PAGES) {
        let read = &mut entries[..PAGES.min(all - begin) * size_of::<u64>()];
        map.read_exact_at(read, ((first + begin) * size_of::<u64>()) as u64).ok()?;
        let (words, _) = read.as_chunks();
        for (page, _) in words.iter().enumerate().filter(|(_, word)| is_own(u64::from_ne_bytes(**word))) {
            let start = (begin + page) * page_bytes;
            let end = (start + page_bytes).min(bytes);
            match own.last_mut().filter(|last| last.end == start) {
                Some(last) => last.end = end,
                None => own.push(start..end),
            }
        }
    }
    Some(own)
}

/// Whether an entry of `/proc/self/pagemap` is that of a page in memory (bit 63) or swapped out (62) that no file has (61).
fn is_own(entry: u64) -> bool {
    entry >> 62 != 0 && entry >> 61 & 1 == 0
}
