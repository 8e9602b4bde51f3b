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
    /// Write the sectors at the write pointer of the zone that begins at the first one (NVMe Zone Append).
    Append,
    /// Open the zone that begins at the sector.
    ZoneOpen,
    /// Close the zone that begins at the sector.
    ZoneClose,
    /// Fill the zone that begins at the sector.
    ZoneFinish,
    /// Empty the zone that begins at the sector.
    ZoneReset,
    /// Say what zones there are, and in which state.
    ZoneReport,
}

impl Op {
    /// Number of operations.
    pub const COUNT: usize = Op::ZoneReport as usize + 1;

    /// All of them, each at its place.
    pub const ALL: [Op; Op::COUNT] = [
        Op::Read,
        Op::Write,
        Op::Trim,
        Op::Flush,
        Op::Close,
        Op::Append,
        Op::ZoneOpen,
        Op::ZoneClose,
        Op::ZoneFinish,
        Op::ZoneReset,
        Op::ZoneReport,
    ];

    /// Its name in tables, and where a program says it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Op::Read => "read",
            Op::Write => "write",
            Op::Trim => "trim",
            Op::Flush => "flush",
            Op::Close => "close",
            Op::Append => "append",
            Op::ZoneOpen => "zone-open",
            Op::ZoneClose => "zone-close",
            Op::ZoneFinish => "zone-finish",
            Op::ZoneReset => "zone-reset",
            Op::ZoneReport => "zone-report",
        }
    }

    /// True for an operation on sectors, of which there are one or more.
    #[inline]
    #[must_use]
    pub const fn has_sectors(self) -> bool {
        matches!(self, Op::Read | Op::Write | Op::Trim | Op::Append)
    }

    /// True for an operation that names a sector: that of a zone, or the first of several.
    #[inline]
    #[must_use]
    pub const fn has_address(self) -> bool {
        !matches!(self, Op::Flush | Op::Close | Op::ZoneReport)
    }

    /// True for an operation that brings data.
    #[inline]
    #[must_use]
    pub const fn writes(self) -> bool {
        matches!(self, Op::Write | Op::Append)
    }

    /// The operation that it counts as: an append is a write.
    #[inline]
    #[must_use]
    pub const fn counts_as(self) -> Op {
        if matches!(self, Op::Append) { Op::Write } else { self }
    }
}

/// Marks the handle of a write that its namespace does not have. Handles are far smaller numbers.
pub const LACKING: u16 = 1 << 15;

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
    /// Number of 512-byte sectors; at least 1, or 0 if the operation [has none](Op::has_sectors).
    pub sectors: u32,
    /// What to do.
    pub op: Op,
    /// Which data belongs together, as the host sees it: a placement handle or write hint, counted from 1; 0 for none. Of a request to
    /// close it names the handle whose groups are closed; 0: all. With [`LACKING`] it is one that the namespace of its flow does not have.
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

    /// The namespace of its flow does not have the handle that it names.
    pub(super) fn lacks_handle(&mut self) {
        self.hint |= LACKING;
    }
}
