//! How to run an SSD: options that are no part of its configuration and change no result.

use crate::engine::Ns;

/// What a run keeps beside its results, and whether it checks itself.
#[derive(Clone, Copy, Debug, Default)]
pub struct RunOptions {
    /// Checked mode: every read is compared with a second account of what was written.
    pub check: bool,
    /// Keep a row for each request.
    pub log_requests: bool,
    /// Keep a row for each job of GC, wear levelling, refresh and folding.
    pub log_jobs: bool,
    /// Keep a timeline of this window, ns.
    pub timeline: Option<(Ns, Ns)>,
    /// Requests that will come, [preconditioning](crate::Ssd::precondition) included, if that is known: what is
    /// known to be a short run is laid out for one. Results do not depend on it.
    pub requests: Option<u64>,
}

/// Up to so many requests, giving out and clearing large pages of memory of which a few entries are used costs more than
/// large pages save.
const SHORT_RUN_REQUESTS: u64 = 5000;
/// Bytes of a large page of memory.
const LARGE_PAGE_BYTES: u64 = 2 << 20;
/// Requests for each large page of a table from which on large pages are worth the memory: one that a single request
/// touches is there as a whole.
const REQUESTS_PER_LARGE_PAGE: u64 = 64;

impl RunOptions {
    /// Whether the run is known to use so little of a table of this size that it needs no large pages of memory.
    pub(crate) fn uses_little_of(&self, table_bytes: u64) -> bool {
        let least = (table_bytes / LARGE_PAGE_BYTES * REQUESTS_PER_LARGE_PAGE).max(SHORT_RUN_REQUESTS);
        self.requests.is_some_and(|requests| requests <= least)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_tables_take_large_pages_of_memory_only_for_many_requests() {
        let uses_little = |requests: Option<u64>, bytes: u64| {
            RunOptions { requests, ..RunOptions::default() }.uses_little_of(bytes)
        };
        let (small, huge) = (8 << 20, 8 << 30);
        assert!(uses_little(Some(5000), small) && !uses_little(Some(20_000), small));
        assert!(uses_little(Some(20_000), huge) && !uses_little(Some(1_000_000), huge));
        assert!(!uses_little(None, huge), "it may be a long one");
    }
}
