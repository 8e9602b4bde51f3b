//! A row for each job that empties a group of blocks, where a run is asked to keep them.

use serde::{Deserialize, Serialize};

use crate::engine::Ns;
use crate::nand::{BlockId, PlaneId};
use crate::policy::placement::Reason;

/// A job that is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobEntry {
    /// When it began, ns.
    pub began: Ns,
    /// When its group was free, ns.
    pub ended: Ns,
    /// The first plane of its group.
    pub plane: PlaneId,
    /// The first block of its group.
    pub block: BlockId,
    /// Mapping units of the group that were live when it began.
    pub live: u32,
    /// Why the group is emptied.
    pub reason: Reason,
}

/// All rows, in the order in which jobs ended; keeps none unless switched on.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct JobLog {
    on: bool,
    entries: Vec<JobEntry>,
}

impl JobLog {
    /// A log that keeps rows, or not.
    #[must_use]
    pub fn new(on: bool) -> JobLog {
        JobLog { on, entries: Vec::new() }
    }

    /// Adds a row, if rows are kept.
    pub(crate) fn add(&mut self, entry: JobEntry) {
        if self.on {
            self.entries.push(entry);
        }
    }

    /// The rows since the last call.
    pub fn take(&mut self) -> Vec<JobEntry> {
        std::mem::take(&mut self.entries)
    }
}
