//! Asking for a cache line before it is needed.

/// Asks the processor to fetch an item's cache line. Changes nothing but the time that a later access
/// takes; an index outside the slice is ignored.
#[inline(always)]
pub fn prefetch<T>(items: &[T], index: usize) {
    #[cfg(target_arch = "x86_64")]
    if let Some(item) = items.get(index) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let place = std::ptr::from_ref(item).cast::<i8>();
        // SAFETY: a prefetch reads and writes nothing, whatever the address; SSE is part of x86-64.
        #[expect(
            unsafe_code,
            reason = "the standard library has no safe prefetch yet (hint_prefetch, rust#146941)"
        )]
        unsafe {
            _mm_prefetch::<_MM_HINT_T0>(place);
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (items, index);
}
