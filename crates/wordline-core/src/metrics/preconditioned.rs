//! What was done to the drive before the run.

use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

/// What preconditioning did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Preconditioned {
    /// Pages written for the host.
    pub host_pages: u64,
    /// Pages that GC moved meanwhile.
    pub moved_pages: u64,
    /// Blocks that it erased.
    pub erases: u64,
}

impl AddAssign for Preconditioned {
    fn add_assign(&mut self, more: Preconditioned) {
        self.host_pages += more.host_pages;
        self.moved_pages += more.moved_pages;
        self.erases += more.erases;
    }
}
