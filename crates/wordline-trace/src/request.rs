//! The content of a request in a trace, and its conversion to a request to the SSD.

pub use wordline_core::host::LATEST_ARRIVAL_NS;
use wordline_core::host::{HostRequest, Op};

/// The operation of a request in a trace. A trace has more operations than the simulated SSD: see
/// [`TraceRequest::to_host`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TraceOp {
    /// Read the sectors.
    Read,
    /// Write the sectors.
    Write,
    /// Deallocate the sectors.
    Trim,
    /// Make all acknowledged writes durable; has no address.
    Flush,
    /// Close the groups that are open for data of the host; has no address.
    Close,
    /// Make the sectors read as zeros; the device may deallocate them.
    WriteZeroes,
    /// Make the sectors read as zeros; the device must keep them allocated.
    WriteZeroesAllocated,
    /// The power fails; has no address.
    PowerCut,
    /// An operation of drives of zones.
    Zoned(Op),
}

impl TraceOp {
    /// Returns true for an operation with an address.
    #[inline]
    #[must_use]
    pub fn has_address(self) -> bool {
        match self {
            Self::Flush | Self::Close | Self::PowerCut => false,
            Self::Zoned(op) => op.has_address(),
            _ => true,
        }
    }

    /// Returns true for an operation on sectors, of which there are one or more.
    #[inline]
    #[must_use]
    pub fn has_sectors(self) -> bool {
        match self {
            Self::Zoned(op) => op.has_sectors(),
            _ => self.has_address(),
        }
    }

    /// The operation of the SSD, or `None` for [`TraceOp::PowerCut`].
    ///
    /// Zeros that may be deallocated become a trim, like NVMe's Write Zeroes with the DEAC bit; zeros that must stay
    /// allocated become a write (NVM Command Set Specification 1.0, section 3.2.8).
    #[inline]
    #[must_use]
    pub fn to_host(self) -> Option<Op> {
        match self {
            Self::Read => Some(Op::Read),
            Self::Write | Self::WriteZeroesAllocated => Some(Op::Write),
            Self::Trim | Self::WriteZeroes => Some(Op::Trim),
            Self::Flush => Some(Op::Flush),
            Self::Close => Some(Op::Close),
            Self::PowerCut => None,
            Self::Zoned(op) => Some(op),
        }
    }
}

impl From<Op> for TraceOp {
    #[inline]
    fn from(op: Op) -> Self {
        match op {
            Op::Read => Self::Read,
            Op::Write => Self::Write,
            Op::Trim => Self::Trim,
            Op::Flush => Self::Flush,
            Op::Close => Self::Close,
            op => Self::Zoned(op),
        }
    }
}

/// One request of a trace, with all that the `native` format keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceRequest {
    /// Time since the start of the trace, ns; at most [`LATEST_ARRIVAL_NS`].
    pub arrival_ns: u64,
    /// First 512-byte sector; 0 if the operation has no address.
    pub sector: u64,
    /// Number of 512-byte sectors: at least 1, or 0 if the operation has no address.
    pub sectors: u32,
    /// The client that sent it, if the recorder distinguished several; else 0.
    pub connection: u16,
    /// The placement handle that it names, counted from 1; 0 for none.
    pub handle: u16,
    /// The operation.
    pub op: TraceOp,
    /// Force unit access: complete only when its data are durable.
    pub fua: bool,
}

impl TraceRequest {
    /// The request to the SSD, which knows no connections; `None` for a power cut.
    #[inline]
    #[must_use]
    pub fn to_host(&self) -> Option<HostRequest> {
        let Self { arrival_ns, sector, sectors, handle, fua, .. } = *self;
        let op = self.op.to_host()?;
        // A trim outlives every loss of power.
        let fua = fua && op == Op::Write;
        Some(HostRequest { hint: handle, fua, ..HostRequest::new(arrival_ns, op, sector, sectors) })
    }
}

impl From<HostRequest> for TraceRequest {
    #[inline]
    fn from(request: HostRequest) -> Self {
        let HostRequest { arrival_ns, sector, sectors, op, hint: handle, fua } = request;
        Self { arrival_ns, sector, sectors, connection: 0, handle, op: op.into(), fua }
    }
}
