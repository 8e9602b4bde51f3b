//! `errors`: read reclaim by errors seen: a block in which the ECC has corrected so many errors at once is rewritten,
//! whatever brought them. It sees what the controller has read, so it needs reads that can fail (`read.retry` other than
//! `ideal`).

use super::{DeviceView, Policy, RefreshPolicy, RefreshView};
use crate::engine::Ns;
use crate::parameter::section;

section! {
    /// The keys of `errors`.
    #[derive(Copy)]
    pub struct Keys {
        /// Errors corrected in 1 KiB of a page at which the data of its block is rewritten.
        reclaim_errors: u32 = 54, whole(1, 255).unit("bits").source("assumed: three quarters of the 72 bits of PR2/AR2")
            .when("refresh.policy", &["errors"]);
        /// Time between two looks at all blocks.
        reclaim_look_s: f64 = 1.0, above(0.0, 86_400.0).unit("s").source("assumed")
            .when("refresh.policy", &["errors"]);
    }
}

/// Data in blocks with many errors.
#[derive(Clone, Copy, Debug)]
pub struct Errors {
    threshold: u32,
    looks_every: Ns,
}

impl Policy for Errors {
    const NAME: &'static str = "errors";
    const HELP: &'static str = "data in a block in which the ECC corrected `reclaim_errors` bits of 1 KiB";
    type Parameters = Keys;
}

impl RefreshPolicy for Errors {
    fn counts_reads() -> bool {
        true
    }

    fn new(keys: &Keys, _: &DeviceView<'_>) -> Errors {
        Errors { threshold: keys.reclaim_errors, looks_every: ((keys.reclaim_look_s * 1e9) as Ns).max(1) }
    }

    fn looks_every(&self) -> Option<Ns> {
        Some(self.looks_every)
    }

    fn is_due(&self, view: &RefreshView<'_>) -> bool {
        view.errors >= self.threshold
    }
}
