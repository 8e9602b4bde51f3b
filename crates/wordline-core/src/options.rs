//! How to run an SSD: options that are no part of its configuration and change no result.

use crate::engine::Ns;

/// What a run keeps beside its results, and whether it checks itself.
#[derive(Clone, Copy, Debug, Default)]
pub struct RunOptions {
    /// Checked mode: every read is compared with a second account of what was written.
    pub check: bool,
    /// Keep a row for each request.
    pub log_requests: bool,
    /// Keep a timeline of this window, ns.
    pub timeline: Option<(Ns, Ns)>,
    /// Requests that will come, [preconditioning](crate::Ssd::precondition) included, if that is known: what is
    /// known to be a short run is laid out for one. Results do not depend on it.
    pub requests: Option<u64>,
}

/// Up to so many requests, giving out and clearing large pages of memory of which a few entries are used costs more than
/// large pages save.
const SHORT_RUN_REQUESTS: u64 = 5000;

impl RunOptions {
    /// Whether the run is known to be a short one.
    pub(crate) fn is_short(&self) -> bool {
        self.requests.is_some_and(|requests| requests <= SHORT_RUN_REQUESTS)
    }
}
