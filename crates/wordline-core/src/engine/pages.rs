//! Pages of Linux's, which forks share until one of them writes.
//!
//! The contents that forks share are in a [`Base`], a file without a name that nobody writes to any more. Parent and child
//! map it privately: the system gives each of them a page of its own where it writes. So reads and writes cost what they
//! cost without forks, but for the first write to a page.
//!
//! A very large range is such a file from the beginning, which it writes to while it is alone: then its first fork copies
//! nothing. A smaller one is in large pages of memory, which are faster, until its first fork copies it into a file.

use std::iter;
use std::ops::Range;
use std::ptr::NonNull;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustix::mm::{Advice, MapFlags, ProtFlags, madvise, mmap, mmap_anonymous, munmap};

use super::base::{Base, own_pages};

/// A fork copies the pages that its parent has of its own. Where they are more than one in so many, all contents become a new
/// base instead, so that no fork takes more memory than this share. A range without forks has no more of its own, either.
const OWN_PAGES_ONE_IN: usize = 10;
/// Bytes that are moved into a base at once. For a moment so many are there twice.
const MOVED_BYTES: usize = 64 << 20;

/// A range of memory.
#[derive(Debug)]
pub(super) struct Pages {
    place: NonNull<u8>,
    bytes: usize,
    backing: Mutex<Backing>,
}

/// Where the contents of a range are.
#[derive(Debug)]
enum Backing {
    /// In memory that no second range can see.
    Anonymous,
    /// In a file that this range alone maps, and writes to.
    Sole(Arc<Base>),
    /// In a file that nobody writes to, but for the pages of its own.
    Over(Arc<Base>),
    /// Some in memory, some in a file: there was no room for all of them in the file.
    Mixed,
}

impl Pages {
    /// Zeros at the begin of a page. The system promises no memory for them before something is written, so that they may be
    /// more than the machine has. None where it gives not so many.
    pub fn zeroed(bytes: usize, may_be_large: bool) -> Option<Pages> {
        if !may_be_large && let Some(pages) = Pages::in_file(bytes) {
            return Some(pages);
        }
        let pages = Pages { place: map(bytes)?, bytes, backing: Backing::Anonymous.into() };
        if !may_be_large {
            // SAFETY: advice changes neither contents nor protection.
            #[expect(unsafe_code, reason = "it takes a pointer")]
            unsafe {
                let _ = madvise(pages.place.as_ptr().cast(), bytes, Advice::LinuxNoHugepage);
            }
        }
        Some(pages)
    }

    /// Zeros in a file. None where the system has no such files.
    fn in_file(bytes: usize) -> Option<Pages> {
        let base = Arc::new(Base::of(bytes)?);
        let place = map_base(&base, 0..bytes, None, MapFlags::SHARED)?;
        Some(Pages { place, bytes, backing: Backing::Sole(base).into() })
    }

    pub fn place(&self) -> NonNull<u8> {
        self.place
    }

    /// Whether a fork has pages of these, or may get them.
    pub fn is_shared(&self) -> bool {
        !matches!(*self.backing(), Backing::Anonymous)
    }

    /// Pages with the same contents. `contents` are those of this range, which the caller lends.
    pub fn fork(&self, contents: &[u8]) -> Option<Pages> {
        let mut backing = self.backing();
        let mut copied = Vec::new();
        match &*backing {
            Backing::Sole(base) => {
                self.map_over(base, 0..self.bytes, MapFlags::PRIVATE);
                *backing = Backing::Over(base.clone());
            }
            Backing::Over(base) => match own_pages(self.place, self.bytes) {
                Some(own) if self.are_few(&own) => copied = own,
                Some(own) if is_alone(base) => self.gather(contents, base, &own)?,
                _ => self.move_into_base(contents, &mut backing)?,
            },
            Backing::Anonymous | Backing::Mixed => self.move_into_base(contents, &mut backing)?,
        }
        let Backing::Over(base) = &*backing else { return None };
        let base = base.clone();
        drop(backing);
        let place = map_base(&base, 0..self.bytes, None, MapFlags::PRIVATE)?;
        let fork = Pages { place, bytes: self.bytes, backing: Backing::Over(base).into() };
        for range in copied {
            fork.write(range.start, &contents[range]);
        }
        Some(fork)
    }

    /// Gives up what is there twice, if all forks are gone: pages of its own, and what is below them.
    pub fn gather_alone(&self, contents: &[u8]) -> Option<()> {
        let mut backing = self.backing();
        let Backing::Over(base) = &*backing else { return Some(()) };
        if !is_alone(base) {
            return Some(());
        }
        let own = own_pages(self.place, self.bytes)?;
        if !self.are_few(&own) {
            self.gather(contents, base, &own)?;
            self.map_over(base, 0..self.bytes, MapFlags::SHARED);
            *backing = Backing::Sole(base.clone());
        }
        Some(())
    }

    /// Whether so many pages of its own are no burden.
    fn are_few(&self, own: &[Range<usize>]) -> bool {
        own.iter().map(Range::len).sum::<usize>() <= self.bytes / OWN_PAGES_ONE_IN
    }

    /// Writes pages of its own into the base, which nobody else maps.
    fn gather(&self, contents: &[u8], base: &Base, own: &[Range<usize>]) -> Option<()> {
        self.by_parts(own, |range| base.write(contents, range), base)
    }

    /// Moves the contents into a base, under the same addresses.
    fn move_into_base(&self, contents: &[u8], backing: &mut Backing) -> Option<()> {
        let base = Arc::new(Base::of(self.bytes)?);
        let touched = self.touched_of(backing).unwrap_or_else(|| iter::once(0..self.bytes).collect());
        *backing = Backing::Mixed;
        self.by_parts(&touched, |range| base.write_used(contents, range), &base)?;
        *backing = Backing::Over(base);
        Some(())
    }

    /// Has these ranges written to a base, and maps it in place of what was there.
    fn by_parts(
        &self,
        ranges: &[Range<usize>],
        write: impl Fn(Range<usize>) -> Option<()>,
        base: &Base,
    ) -> Option<()> {
        for start in (0..self.bytes).step_by(MOVED_BYTES) {
            let part = start..(start + MOVED_BYTES).min(self.bytes);
            let first = ranges.partition_point(|range| range.end <= part.start);
            for range in ranges[first..].iter().take_while(|range| range.start < part.end) {
                write(range.start.max(part.start)..range.end.min(part.end))?;
            }
            self.map_over(base, part, MapFlags::PRIVATE);
        }
        Some(())
    }

    /// Maps a part of a base in place of the same bytes.
    fn map_over(&self, base: &Base, part: Range<usize>, sharing: MapFlags) {
        if map_base(base, part, Some(self.place), sharing).is_none() {
            // The system may have taken the pages away.
            std::process::abort();
        }
    }

    /// Ranges of bytes, in order, outside of which nothing was ever written; none where the system does not say.
    pub fn touched(&self) -> Option<Vec<Range<usize>>> {
        self.touched_of(&self.backing())
    }

    /// Bytes of the pages that nobody else has.
    #[cfg(test)]
    pub fn own_bytes(&self) -> usize {
        own_pages(self.place, self.bytes).unwrap().iter().map(Range::len).sum()
    }

    fn touched_of(&self, backing: &Backing) -> Option<Vec<Range<usize>>> {
        let mut touched = match backing {
            Backing::Anonymous => return own_pages(self.place, self.bytes),
            Backing::Sole(base) => return Some(base.kept(self.bytes)),
            Backing::Over(base) => base.kept(self.bytes),
            Backing::Mixed => return None,
        };
        touched.extend(own_pages(self.place, self.bytes)?);
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

    fn backing(&self) -> MutexGuard<'_, Backing> {
        self.backing.lock().unwrap_or_else(PoisonError::into_inner)
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

/// Whether the range that asks is the last one on a base.
fn is_alone(base: &Arc<Base>) -> bool {
    Arc::strong_count(base) == 1
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

const RIGHTS: ProtFlags = ProtFlags::READ.union(ProtFlags::WRITE);

/// New zeros.
fn map(bytes: usize) -> Option<NonNull<u8>> {
    let flags = MapFlags::PRIVATE | MapFlags::NORESERVE;
    // SAFETY: this is new memory, which overlaps nothing.
    #[expect(
        unsafe_code,
        reason = "the standard library promises the system to use all memory that it asks for"
    )]
    let place = unsafe { mmap_anonymous(std::ptr::null_mut(), bytes, RIGHTS, flags) };
    NonNull::new(place.ok()?.cast())
}

/// A part of a base, to write to (`SHARED`) or to write over (`PRIVATE`): at a new address, or in the memory that begins at
/// `over` in place of the same bytes.
fn map_base(
    base: &Base,
    part: Range<usize>,
    over: Option<NonNull<u8>>,
    sharing: MapFlags,
) -> Option<NonNull<u8>> {
    let (place, flags) = match over {
        // SAFETY: the part lies within that memory.
        #[expect(unsafe_code, reason = "an address within memory of the system's")]
        Some(memory) => (unsafe { memory.add(part.start) }.as_ptr(), MapFlags::NORESERVE | MapFlags::FIXED),
        None => (std::ptr::null_mut(), MapFlags::NORESERVE),
    };
    // SAFETY: this is new memory, or it takes the place of pages of ours that hold the same bytes, in one step: who has a
    // reference to them sees no change. A base has one writer, or any number of readers.
    #[expect(unsafe_code, reason = "the standard library maps no files")]
    let place = unsafe { mmap(place.cast(), part.len(), RIGHTS, flags | sharing, base, part.start as u64) };
    NonNull::new(place.ok()?.cast())
}
