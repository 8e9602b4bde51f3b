//! Large flat tables of numbers, all zero at first, which cost memory only where they are touched.

use std::ops::{Deref, DerefMut};

use memmap2::MmapMut;

/// A table of `T`, straight from the operating system.
#[derive(Debug)]
pub struct Table<T> {
    memory: Option<MmapMut>,
    marker: std::marker::PhantomData<T>,
}

impl<T: bytemuck::Pod> Table<T> {
    /// A table of `len` zeros. A `dense` one will be touched nearly everywhere: it is better off with
    /// large pages, which spare the processor most of its address translation.
    ///
    /// # Panics
    /// When the operating system has no such memory, as any allocation would.
    #[must_use]
    pub fn zeroed(len: usize, dense: bool) -> Table<T> {
        let bytes = len * size_of::<T>();
        let memory = (bytes > 0).then(|| MmapMut::map_anon(bytes).expect("memory for a table"));
        #[cfg(target_os = "linux")]
        if let Some(memory) = memory.as_ref().filter(|_| dense) {
            // Advice only: where there are no large pages, small ones do.
            let _ = memory.advise(memmap2::Advice::HugePage);
        }
        #[cfg(not(target_os = "linux"))]
        let _ = dense;
        Table { memory, marker: std::marker::PhantomData }
    }
}

impl<T: bytemuck::Pod> Deref for Table<T> {
    type Target = [T];
    #[inline]
    fn deref(&self) -> &[T] {
        self.memory.as_ref().map_or(&[], |memory| bytemuck::cast_slice(memory))
    }
}

impl<T: bytemuck::Pod> DerefMut for Table<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        self.memory.as_mut().map_or(&mut [], |memory| bytemuck::cast_slice_mut(memory))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_zero_at_first_and_keeps_what_is_written() {
        for dense in [false, true] {
            let mut table = Table::<u32>::zeroed(100_003, dense);
            assert!(table.len() == 100_003 && table.iter().all(|&x| x == 0));
            table[100_002] = 7;
            assert_eq!(table[100_002], 7);
        }
        assert!(Table::<u64>::zeroed(0, false).is_empty());
    }
}
