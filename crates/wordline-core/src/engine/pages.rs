//! Pages of Linux's, which forks share until one of them writes.
//!
//! The first fork moves the contents into a [`Base`], a file without a name that nobody writes to any more. Parent and child
//! map it privately: the system gives each of them a page of its own where it writes. So reads and writes cost what they
//! cost without forks, but for the first write to a page.

use std::iter;
use std::ops::Range;
use std::ptr::NonNull;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustix::mm::{Advice, MapFlags, ProtFlags, madvise, mmap, mmap_anonymous, munmap};

use super::base::{Base, own_pages};

/// A fork copies the pages that its parent has of its own. Where they are more than one in so many, all contents become a new
/// base instead, so that no fork takes more memory than this share.
const OWN_PAGES_ONE_IN: usize = 10;
/// Bytes that are moved into a base at once. For a moment so many are there twice.
const MOVED_BYTES: usize = 64 << 20;

/// A range of memory.
#[derive(Debug)]
pub(super) struct Pages {
    place: NonNull<u8>,
    bytes: usize,
    under: Mutex<Under>,
}

/// What is under the pages of a range's own.
#[derive(Debug, Default)]
struct Under {
    /// Before the first fork there is none.
    base: Option<Arc<Base>>,
    /// There was no room for all contents in a base, so that nobody knows which pages are zero.
    is_mixed: bool,
}

impl Pages {
    /// Zeros at the begin of a page. The system promises no memory for them before something is written, so that they may be
    /// more than the machine has. None where it gives not so many.
    pub fn zeroed(bytes: usize, may_be_large: bool) -> Option<Pages> {
        let pages = Pages { place: map(bytes)?, bytes, under: Mutex::default() };
        if !may_be_large {
            // SAFETY: advice changes neither contents nor protection.
            #[expect(unsafe_code, reason = "it takes a pointer")]
            unsafe {
                let _ = madvise(pages.place.as_ptr().cast(), bytes, Advice::LinuxNoHugepage);
            }
        }
        Some(pages)
    }

    pub fn place(&self) -> NonNull<u8> {
        self.place
    }

    /// Whether a fork has pages of these, or had.
    pub fn is_shared(&self) -> bool {
        self.under().base.is_some()
    }

    /// Pages with the same contents. `contents` are those of this range, which the caller lends.
    pub fn fork(&self, contents: &[u8]) -> Option<Pages> {
        let mut under = self.under();
        let own = match under.base {
            Some(_) if !under.is_mixed => own_pages(self.place, self.bytes),
            _ => None,
        };
        let copied =
            own.filter(|own| own.iter().map(Range::len).sum::<usize>() <= self.bytes / OWN_PAGES_ONE_IN);
        if copied.is_none() {
            self.move_into_base(contents, &mut under)?;
        }
        let base = under.base.clone()?;
        drop(under);
        let place = map_base(&base, 0..self.bytes, None)?;
        let fork =
            Pages { place, bytes: self.bytes, under: Under { base: Some(base), is_mixed: false }.into() };
        for range in copied.into_iter().flatten() {
            fork.write(range.start, &contents[range]);
        }
        Some(fork)
    }

    /// Moves the contents into a base, under the same addresses.
    fn move_into_base(&self, contents: &[u8], under: &mut Under) -> Option<()> {
        let base = Arc::new(Base::of(self.bytes)?);
        let touched = self.touched_above(under).unwrap_or_else(|| iter::once(0..self.bytes).collect());
        under.is_mixed = true;
        for start in (0..self.bytes).step_by(MOVED_BYTES) {
            let part = start..(start + MOVED_BYTES).min(self.bytes);
            let first = touched.partition_point(|range| range.end <= part.start);
            for range in touched[first..].iter().take_while(|range| range.start < part.end) {
                base.keep(contents, range.start.max(part.start)..range.end.min(part.end))?;
            }
            if map_base(&base, part, Some(self.place)).is_none() {
                // The system may have taken the pages away.
                std::process::abort();
            }
        }
        *under = Under { base: Some(base), is_mixed: false };
        Some(())
    }

    /// Ranges of bytes, in order, outside of which nothing was ever written; none where the system does not say.
    pub fn touched(&self) -> Option<Vec<Range<usize>>> {
        self.touched_above(&self.under())
    }

    /// Bytes of the pages that nobody else has.
    #[cfg(test)]
    pub fn own_bytes(&self) -> usize {
        own_pages(self.place, self.bytes).unwrap().iter().map(Range::len).sum()
    }

    fn touched_above(&self, under: &Under) -> Option<Vec<Range<usize>>> {
        if under.is_mixed {
            return None;
        }
        let mut touched = own_pages(self.place, self.bytes)?;
        touched.extend(under.base.iter().flat_map(|base| base.kept(self.bytes)));
        touched.sort_by_key(|range| range.start);
        touched.dedup_by(|next, range| {
            let joins = next.start <= range.end;
            if joins {
                range.end = range.end.max(next.end);
            }
            joins
        });
        Some(touched)
    }

    fn under(&self) -> MutexGuard<'_, Under> {
        self.under.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes into new pages, of which nobody else knows yet.
    fn write(&self, at: usize, bytes: &[u8]) {
        assert!(at + bytes.len() <= self.bytes);
        // SAFETY: the range is within this memory, which nobody else has a reference to.
        #[expect(unsafe_code, reason = "no slice is lent before all is there")]
        unsafe {
            self.place.add(at).copy_from_nonoverlapping(NonNull::from(bytes).cast(), bytes.len());
        }
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        // SAFETY: these bytes were mapped for this range, and this is the last use of them.
        #[expect(unsafe_code, reason = "the other side of `map` and `map_base`")]
        unsafe {
            let _ = munmap(self.place.as_ptr().cast(), self.bytes);
        }
    }
}

const FLAGS: MapFlags = MapFlags::PRIVATE.union(MapFlags::NORESERVE);
const RIGHTS: ProtFlags = ProtFlags::READ.union(ProtFlags::WRITE);

/// New zeros.
fn map(bytes: usize) -> Option<NonNull<u8>> {
    // SAFETY: this is new memory, which overlaps nothing.
    #[expect(
        unsafe_code,
        reason = "the standard library promises the system to use all memory that it asks for"
    )]
    let place = unsafe { mmap_anonymous(std::ptr::null_mut(), bytes, RIGHTS, FLAGS) };
    NonNull::new(place.ok()?.cast())
}

/// A part of a base: at a new address, or in the memory that begins at `over` in place of the same bytes.
fn map_base(base: &Base, part: Range<usize>, over: Option<NonNull<u8>>) -> Option<NonNull<u8>> {
    let (place, flags) = match over {
        // SAFETY: the part lies within that memory.
        #[expect(unsafe_code, reason = "an address within memory of the system's")]
        Some(memory) => (unsafe { memory.add(part.start) }.as_ptr(), FLAGS | MapFlags::FIXED),
        None => (std::ptr::null_mut(), FLAGS),
    };
    // SAFETY: this is new memory, or it takes the place of pages of ours that hold the same bytes, in one step: who has a
    // reference to them sees no change. Nobody writes to a base once it is mapped.
    #[expect(unsafe_code, reason = "the standard library maps no files")]
    let place = unsafe { mmap(place.cast(), part.len(), RIGHTS, flags, base, part.start as u64) };
    NonNull::new(place.ok()?.cast())
}
