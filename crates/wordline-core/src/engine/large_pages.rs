//! Large pages of memory.

/// Asks the system to use large pages where whole ones lie within these items. That spares the processor most of its
/// address translation, and the kernel most of its page faults; but a large page is there as soon as one byte of it is
/// written. Where there are no large pages, small ones do.
#[cfg(target_os = "linux")]
pub(super) fn ask_for_large_pages<T>(items: &mut [T]) {
    const PAGE_BYTES: usize = 4096;
    let bytes = items.as_mut_ptr_range();
    let start = (bytes.start as usize).next_multiple_of(PAGE_BYTES);
    let end = bytes.end as usize / PAGE_BYTES * PAGE_BYTES;
    if start >= end {
        return;
    }
    // SAFETY: the range lies within memory that the caller lends, and this advice changes neither its contents nor its
    // protection.
    #[expect(unsafe_code, reason = "the standard library cannot ask for large pages")]
    unsafe {
        let _ = rustix::mm::madvise(start as *mut _, end - start, rustix::mm::Advice::LinuxHugepage);
    }
}

#[cfg(not(target_os = "linux"))]
pub(super) fn ask_for_large_pages<T>(_: &mut [T]) {}
