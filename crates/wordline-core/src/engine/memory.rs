//! Memory of a large table.

use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;

use bytemuck::Zeroable;

/// Tables from this size on take memory from the system themselves. It promises none of it before something is written there,
/// so that a table may be larger than the machine's memory, and its pages stay small: 200,000 random requests to 3.84 TB in
/// units of 4 KiB took 3.8 GB in large pages and ten times as long as without, 0.8 GB.
pub(super) const MAPPED_FROM_BYTES: usize = (1 << 30) + 1;

/// Items in memory of their own.
#[derive(Debug)]
pub(super) struct Memory<T> {
    items: NonNull<[T]>,
    is_mapped: bool,
}

// SAFETY: the memory belongs to one `Memory`, which lends it as a slice does.
#[expect(unsafe_code, reason = "a pointer is not `Send` by itself")]
unsafe impl<T: Send> Send for Memory<T> {}
// SAFETY: see above.
#[expect(unsafe_code, reason = "a pointer is not `Sync` by itself")]
unsafe impl<T: Sync> Sync for Memory<T> {}

impl<T: Zeroable + Copy> Memory<T> {
    /// So many zeros, untouched: pages of memory that nothing is written to are never there.
    pub fn zeroed(len: usize) -> Memory<T> {
        let mapped =
            len.checked_mul(size_of::<T>()).filter(|&bytes| bytes >= MAPPED_FROM_BYTES).and_then(map);
        match mapped {
            Some(place) => {
                Memory { items: NonNull::slice_from_raw_parts(place.cast(), len), is_mapped: true }
            }
            None => vec![T::zeroed(); len].into(),
        }
    }
}

impl<T> From<Vec<T>> for Memory<T> {
    fn from(items: Vec<T>) -> Memory<T> {
        Memory { items: NonNull::from(Box::leak(items.into_boxed_slice())), is_mapped: false }
    }
}

impl<T> Drop for Memory<T> {
    fn drop(&mut self) {
        if self.is_mapped {
            unmap(self.items.cast(), size_of_val::<[T]>(self));
            return;
        }
        // SAFETY: it was a box, and this is the last use of it.
        #[expect(unsafe_code, reason = "the other side of `Box::leak`")]
        unsafe {
            drop(Box::from_raw(self.items.as_ptr()));
        }
    }
}

impl<T> Deref for Memory<T> {
    type Target = [T];
    #[inline(always)]
    fn deref(&self) -> &[T] {
        // SAFETY: all items are there from the beginning to the end of `self`, which nobody changes meanwhile.
        #[expect(unsafe_code, reason = "the memory may be the system's")]
        unsafe {
            self.items.as_ref()
        }
    }
}

impl<T> DerefMut for Memory<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: see `deref`; nobody else reads them meanwhile.
        #[expect(unsafe_code, reason = "the memory may be the system's")]
        unsafe {
            self.items.as_mut()
        }
    }
}

/// Zeros of the system's, at the begin of a page of memory. None where there are none, or not so many.
#[cfg(target_os = "linux")]
fn map(bytes: usize) -> Option<NonNull<u8>> {
    use rustix::mm::{Advice, MapFlags, ProtFlags, madvise, mmap_anonymous};
    let rights = ProtFlags::READ | ProtFlags::WRITE;
    // SAFETY: this is new memory, which overlaps nothing; the advice changes neither contents nor protection.
    #[expect(
        unsafe_code,
        reason = "the standard library promises the system to use all memory that it asks for"
    )]
    unsafe {
        let place =
            mmap_anonymous(std::ptr::null_mut(), bytes, rights, MapFlags::PRIVATE | MapFlags::NORESERVE)
                .ok()?;
        let _ = madvise(place, bytes, Advice::LinuxNoHugepage);
        NonNull::new(place.cast())
    }
}

#[cfg(not(target_os = "linux"))]
fn map(_: usize) -> Option<NonNull<u8>> {
    None
}

#[cfg(target_os = "linux")]
fn unmap(place: NonNull<u8>, bytes: usize) {
    // SAFETY: `map` gave these bytes, and this is the last use of them.
    #[expect(unsafe_code, reason = "the other side of `map`")]
    unsafe {
        let _ = rustix::mm::munmap(place.as_ptr().cast(), bytes);
    }
}

#[cfg(not(target_os = "linux"))]
fn unmap(_: NonNull<u8>, _: usize) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_of_both_kinds_is_zero_and_keeps_what_is_written() {
        let (small, large) = (Memory::<u32>::zeroed(1000), Memory::<u32>::zeroed(MAPPED_FROM_BYTES / 4 + 1));
        assert!(!small.is_mapped && large.is_mapped == cfg!(target_os = "linux"));
        for mut memory in [small, large] {
            let last = memory.len() - 1;
            assert_eq!((memory[0], memory[last]), (0, 0));
            (memory[0], memory[last]) = (1, 2);
            assert_eq!((memory[0], memory[1], memory[last]), (1, 0, 2));
        }
    }

    #[test]
    fn what_a_vector_held_is_there_and_is_given_back() {
        let item = std::sync::Arc::new(7);
        let memory = Memory::from(vec![item.clone(), item.clone()]);
        assert!(memory.len() == 2 && *memory[1] == 7);
        drop(memory);
        assert_eq!(std::sync::Arc::strong_count(&item), 1);
        assert!(Memory::<u64>::zeroed(0).is_empty());
    }

    /// The system promises nothing of 256 GiB.
    #[test]
    #[cfg(target_os = "linux")]
    fn a_table_may_be_larger_than_the_machine() {
        let mut memory = Memory::<u64>::zeroed(1 << 35);
        memory[(1 << 35) - 1] = 5;
        assert_eq!((memory[1 << 34], memory[(1 << 35) - 1]), (0, 5));
    }
}
