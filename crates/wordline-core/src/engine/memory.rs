//! Memory of a large table.

use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;

use bytemuck::{Pod, Zeroable};

use super::pages::Pages;

/// Tables from this size on take memory from the system themselves, as the allocator would: it never keeps so large a piece.
/// What a fork of a drive shares is such memory; see [`Memory::fork`].
const MAPPED_FROM_BYTES: usize = 32 << 20;
/// From this size on no large pages are used: 200,000 random requests to 3.84 TB in units of 4 KiB took 3.8 GB in large
/// pages and ten times as long as without, 0.8 GB. Such tables lie in a file without a name, of which the first fork copies
/// nothing; a random write takes 5 % more time there than in memory of small pages.
pub(super) const SMALL_PAGES_FROM_BYTES: usize = (1 << 30) + 1;
/// The same for tables that are used in order, which gain nothing from large pages.
pub(super) const IN_FILE_FROM_BYTES: usize = 256 << 20;

/// Items in memory of their own.
#[derive(Debug)]
pub(super) struct Memory<T> {
    items: NonNull<[T]>,
    /// The system's, where they lie there and not in a box.
    pages: Option<Pages>,
}

// SAFETY: the memory belongs to one `Memory`, which lends it as a slice does.
#[expect(unsafe_code, reason = "a pointer is not `Send` by itself")]
unsafe impl<T: Send> Send for Memory<T> {}
// SAFETY: see above.
#[expect(unsafe_code, reason = "a pointer is not `Sync` by itself")]
unsafe impl<T: Sync> Sync for Memory<T> {}

impl<T: Zeroable + Copy> Memory<T> {
    /// So many zeros, untouched: pages of memory that nothing is written to are never there. They are small from
    /// `small_from` bytes on.
    pub fn zeroed(len: usize, small_from: usize) -> Memory<T> {
        let bytes = len.checked_mul(size_of::<T>()).filter(|&bytes| bytes >= MAPPED_FROM_BYTES);
        match bytes.and_then(|bytes| Pages::zeroed(bytes, bytes < small_from)) {
            Some(pages) => Memory::of(pages, len),
            None => vec![T::zeroed(); len].into(),
        }
    }

    fn of(pages: Pages, len: usize) -> Memory<T> {
        Memory { items: NonNull::slice_from_raw_parts(pages.place().cast(), len), pages: Some(pages) }
    }
}

impl<T: Pod> Memory<T> {
    /// A second memory with these contents. The two share what neither has written since. None where the items are few, or
    /// the system has no such memory.
    pub fn fork(&self) -> Option<Memory<T>> {
        let pages = self.pages.as_ref()?.fork(bytemuck::cast_slice(self))?;
        Some(Memory::of(pages, self.len()))
    }

    /// Gives up what is there twice because of forks that are gone. It stays if the system has no room for a moment.
    pub fn gather_alone(&self) {
        let _ = self.pages.as_ref().and_then(|pages| pages.gather_alone(bytemuck::cast_slice(self)));
    }
}

impl<T> Memory<T> {
    /// Ranges of bytes outside of which nothing was ever written, if that is known without a look at all of them.
    pub fn touched(&self) -> Option<Vec<std::ops::Range<usize>>> {
        self.pages.as_ref()?.touched()
    }

    /// Whether a fork has pages of this memory.
    pub fn is_shared(&self) -> bool {
        self.pages.as_ref().is_some_and(Pages::is_shared)
    }
}

impl<T> From<Vec<T>> for Memory<T> {
    fn from(items: Vec<T>) -> Memory<T> {
        Memory { items: NonNull::from(Box::leak(items.into_boxed_slice())), pages: None }
    }
}

impl<T> Drop for Memory<T> {
    fn drop(&mut self) {
        if self.pages.is_none() {
            // SAFETY: it was a box, and this is the last use of it.
            #[expect(unsafe_code, reason = "the other side of `Box::leak`")]
            unsafe {
                drop(Box::from_raw(self.items.as_ptr()));
            }
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

#[cfg(test)]
mod tests {
    use super::*;

    const LARGE: usize = MAPPED_FROM_BYTES / 4 + 5000;

    #[test]
    fn memory_of_both_kinds_is_zero_and_keeps_what_is_written() {
        let (small, large) = (
            Memory::<u32>::zeroed(1000, SMALL_PAGES_FROM_BYTES),
            Memory::<u32>::zeroed(LARGE, SMALL_PAGES_FROM_BYTES),
        );
        assert!(small.pages.is_none() && large.pages.is_some() == cfg!(target_os = "linux"));
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
        assert!(Memory::<u64>::zeroed(0, 0).is_empty());
    }

    /// The system promises nothing of 256 GiB.
    #[test]
    #[cfg(target_os = "linux")]
    fn a_table_may_be_larger_than_the_machine() {
        let mut memory = Memory::<u64>::zeroed(1 << 35, SMALL_PAGES_FROM_BYTES);
        memory[(1 << 35) - 1] = 5;
        assert_eq!((memory[1 << 34], memory[(1 << 35) - 1]), (0, 5));
    }

    /// A table in memory, and one in a file from the beginning.
    #[cfg(target_os = "linux")]
    fn large_tables() -> [Memory<u32>; 2] {
        [true, false].map(|may_be_large| Memory::of(Pages::zeroed(4 * LARGE, may_be_large).unwrap(), LARGE))
    }

    #[cfg(target_os = "linux")]
    fn own(memory: &Memory<u32>) -> usize {
        memory.pages.as_ref().unwrap().own_bytes()
    }

    /// Some generations of forks, each of which is told something else at places all over the table.
    #[test]
    #[cfg(target_os = "linux")]
    fn forks_have_what_was_there_and_no_more() {
        for first in large_tables() {
            check_generations(first);
        }
    }

    #[cfg(target_os = "linux")]
    fn check_generations(mut first: Memory<u32>) {
        let places = |step: usize| (0..LARGE).step_by(step);
        places(1000).for_each(|at| first[at] = 1);
        let mut models = vec![first.to_vec()];
        let mut forks = vec![first];
        for (step, value) in [(100_000, 2), (777, 3), (1_000_000, 4), (3, 5), (50_001, 6)] {
            let parent = forks.len() - 1;
            let mut fork = forks[parent].fork().unwrap();
            assert!(forks[parent].is_shared() && fork.is_shared());
            let mut model = models[parent].clone();
            for at in places(step) {
                (fork[at], model[at]) = (value, value);
                let other = LARGE - 1 - at;
                (forks[parent][other], models[parent][other]) = (10 * value, 10 * value);
            }
            forks.push(fork);
            models.push(model);
        }
        for (fork, model) in forks.iter().zip(&models) {
            fork.gather_alone();
            assert!(**fork == **model);
        }
        let mut youngest = forks.pop().unwrap();
        drop(forks);
        youngest.gather_alone();
        let model = models.last_mut().unwrap();
        assert!(*youngest == **model);
        (youngest[5], model[5]) = (77, 77);
        assert!(*youngest.fork().unwrap() == **model && *youngest == **model);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_fork_takes_the_pages_that_differ_and_no_more() {
        for mut memory in large_tables() {
            memory.fill(7);
            let mut fork = memory.fork().unwrap();
            assert_eq!((own(&memory), own(&fork)), (0, 0));
            for at in [0, LARGE / 2, LARGE - 1] {
                fork[at] = 8;
            }
            // A third one has the pages in which its parent differs from the base, until they are a tenth: then the base is new.
            let third = fork.fork().unwrap();
            assert_eq!(own(&third), own(&fork));
            assert!(own(&fork) <= 3 << 16 && own(&memory) == 0);
            fork[..LARGE / 5].fill(9);
            assert!(own(&fork) > MAPPED_FROM_BYTES / 10);
            let fourth = fork.fork().unwrap();
            assert!(own(&fork) == 0 && own(&fourth) == 0);
            assert!(fourth[0] == 9 && third[0] == 8 && memory[0] == 7);
        }
    }

    /// Twice: a file stays when its pages were gathered.
    #[test]
    #[cfg(target_os = "linux")]
    fn a_table_whose_forks_are_gone_is_there_once() {
        for mut memory in large_tables() {
            memory.fill(7);
            for round in 0..2 {
                let fork = memory.fork().unwrap();
                memory[..LARGE / 2].fill(8 + round);
                memory.gather_alone();
                assert!(own(&memory) > 4 * LARGE / 3 && fork[0] == 7 + round, "a fork sees what was there");
                drop(fork);
                memory.gather_alone();
                assert_eq!(own(&memory), 0);
                assert_eq!((memory[0], memory[LARGE - 1]), (8 + round, 7));
                memory[LARGE / 2 - 1] = 8 + round;
                assert_eq!(own(&memory), 0, "it writes to the file");
            }
            let fork = memory.fork().unwrap();
            memory[..LARGE / 2].fill(20);
            drop(fork);
            // A fork gathers, too: nobody else has the base.
            let fork = memory.fork().unwrap();
            assert!(own(&memory) == 0 && own(&fork) == 0 && fork[0] == 20);
        }
    }

    #[test]
    fn a_small_table_and_a_vector_are_not_shared() {
        assert!(Memory::<u32>::zeroed(1000, SMALL_PAGES_FROM_BYTES).fork().is_none());
        assert!(Memory::from(vec![7_u32; LARGE]).fork().is_none());
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn what_was_touched_is_known_before_and_after_a_fork() {
        let touches = |memory: &Memory<u32>, at: usize| {
            memory.touched().unwrap().iter().any(|range| range.contains(&(4 * at)))
        };
        for mut memory in large_tables() {
            memory[5_000_000] = 1;
            assert!(
                touches(&memory, 5_000_000) && !touches(&memory, 1_000_000) && !touches(&memory, LARGE - 1)
            );
            let mut fork = memory.fork().unwrap();
            fork[LARGE - 1] = 1;
            assert!(touches(&fork, 5_000_000) && touches(&fork, LARGE - 1) && !touches(&fork, 1_000_000));
            assert!(touches(&memory, 5_000_000));
        }
    }
}
