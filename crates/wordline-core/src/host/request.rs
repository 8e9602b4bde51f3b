//! What a host asks of the SSD: the one type that every workload produces.

use serde::{Deserialize, Serialize};

/// Bytes in a host sector: the unit of [`HostRequest::sector`] and [`HostRequest::sectors`].
pub const SECTOR_BYTES: u64 = 512;

/// The latest arrival that a workload may have, ns after its start: 2^62, 146 years. Time is counted in ns of 64 bits, and
/// what follows an arrival must fit behind it.
pub const LATEST_ARRIVAL_NS: u64 = crate::engine::TIME_MAX;

/// What a request does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Op {
    /// Read the sectors.
    Read,
    /// Write the sectors.
    Write,
    /// Forget the sectors (NVMe Dataset Management, deallocate).
    Trim,
    /// Make everything acknowledged before durable; addresses nothing.
    Flush,
    /// Fill up and close the groups of blocks that are open for data of the host, so that what is written later lies in others
    /// (NVMe Flexible Data Placement, Reclaim Unit Handle Update); addresses nothing.
    Close,
}

impl Op {
    /// Number of operations.
    pub const COUNT: usize = Op::Close as usize + 1;

    /// True for an operation on sectors.
    #[inline]
    #[must_use]
    pub const fn has_address(self) -> bool {
        !matches!(self, Op::Flush | Op::Close)
    }
}

/// One request of a trace or of a generator.
///
/// The order in which a workload yields requests is the order of submission; `arrival_ns` never
/// goes back within one workload.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostRequest {
    /// Time since the start of the workload, ns. Closed-loop replay ignores it.
    pub arrival_ns: u64,
    /// First 512-byte sector.
    pub sector: u64,
    /// Number of 512-byte sectors; at least 1, or 0 if the operation [has no address](Op::has_address).
    pub sectors: u32,
    /// What to do.
    pub op: Op,
    /// Which data belongs together, as the host sees it: a placement handle or write hint, counted from 1; 0 for none. Of a request to
    /// close it names the handle whose groups are closed; 0: all.
    pub hint: u16,
    /// Of a write: it is complete when a loss of power cannot take its data (force unit access, FUA).
    pub fua: bool,
}

impl HostRequest {
    /// A request without a placement hint and without FUA.
    #[inline]
    #[must_use]
    pub const fn new(arrival_ns: u64, op: Op, sector: u64, sectors: u32) -> HostRequest {
        HostRequest { arrival_ns, sector, sectors, op, hint: 0, fua: false }
    }
}
