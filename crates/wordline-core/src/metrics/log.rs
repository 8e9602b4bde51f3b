//! A row for each request, where a run is asked to keep them.

use serde::{Deserialize, Serialize};

use crate::engine::Ns;
use crate::flash::Status;
use crate::host::{HostRequest, Op, Request};

/// One request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogEntry {
    /// When it arrived, ns.
    pub arrival: Ns,
    /// When the device took it, ns; when it ended, where the device did not come to it.
    pub submitted: Ns,
    /// When the host saw it complete, ns.
    pub completed: Ns,
    /// First sector.
    pub sector: u64,
    /// Number of sectors.
    pub sectors: u32,
    /// What it did.
    pub op: Op,
    /// Its flow.
    pub flow: u16,
    /// How it ended.
    pub status: Status,
}

/// All rows, in order of completion; keeps none unless switched on.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct RequestLog {
    /// Whether rows are kept.
    pub on: bool,
    /// The rows.
    pub entries: Vec<LogEntry>,
}

impl RequestLog {
    /// A log that keeps rows, or not.
    #[must_use]
    pub fn new(on: bool) -> RequestLog {
        RequestLog { on, entries: Vec::new() }
    }

    /// The rows since the last call.
    pub fn take(&mut self) -> Vec<LogEntry> {
        std::mem::take(&mut self.entries)
    }

    #[inline]
    pub(super) fn add(&mut self, done: &Request, completed: Ns, status: Status) {
        if self.on {
            let Request { request, flow, submitted, .. } = *done;
            let HostRequest { arrival_ns: arrival, sector, sectors, op, .. } = request;
            self.entries.push(LogEntry { arrival, submitted, completed, sector, sectors, op, flow, status });
        }
    }
}
