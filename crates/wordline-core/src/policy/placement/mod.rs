//! Slot `placement`: which stream of open blocks does data go to?
//!
//! Data of one stream share blocks, so what is overwritten or trimmed together should have one. The FTL asks for each page of
//! the host when it is complete, and for each page that moves. What the drive's streams are, and where their data go by
//! default when they move, is in its [`StreamTable`].

mod external;
mod flow;
mod handle;

pub use external::ExternalPlacement;

use serde::{Deserialize, Serialize};

use super::{DeviceView, NoParameters, Policy, policies};
use crate::flash::{StreamId, StreamTable, Writer};
use wordline_cells::geometry::Lpn;

/// A page that the host writes.
#[derive(Clone, Copy, Debug)]
pub struct HostPage<'a> {
    /// All streams.
    pub streams: &'a StreamTable,
    /// The request.
    pub writer: Writer,
    /// The logical page.
    pub lpn: Lpn,
}

/// Why a page moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Reason {
    /// Its plane is short of free blocks.
    Gc,
    /// It is cold, and its cells are the least worn.
    Wear,
    /// It is old, or its block was read very often.
    Refresh,
    /// It was written fast, and does not keep for long (OFWAR).
    Rewrite,
    /// It leaves the SLC cache.
    Fold,
    /// None does: its zone was reset, and its blocks are erased.
    Reset,
}

/// A page that moves.
#[derive(Clone, Copy, Debug)]
pub struct MovedPage<'a> {
    /// All streams.
    pub streams: &'a StreamTable,
    /// The logical page.
    pub lpn: Lpn,
    /// The stream of the block that it leaves.
    pub from: StreamId,
    /// Why it moves.
    pub reason: Reason,
    /// Where it goes by default: where the stream's data move to, or to the stream that there is for the reason.
    pub usual: StreamId,
}

/// Which stream data go to. What a policy keeps in a run is in its fields.
pub trait PlacementPolicy: Policy {
    /// At the beginning of a run.
    fn new(keys: &Self::Parameters, device: &DeviceView<'_>, streams: &StreamTable) -> Self;

    /// The stream of a page of the host: one of [`StreamTable::hosts`]. `present` looks for the stream of the block that
    /// holds the page now, if any, at the cost of two lookups.
    fn host(&mut self, page: &HostPage<'_>, present: impl Fn() -> Option<StreamId>) -> StreamId;

    /// The stream of a page that moves.
    #[inline]
    fn moved(&mut self, page: &MovedPage<'_>) -> StreamId {
        page.usual
    }
}

policies! {
    /// The policies of the slot.
    PlacementName, PlacementKeys [
        flow::Flow,
        handle::Handle,
        external::External,
    ]

    run Placement: PlacementPolicy (device: &DeviceView<'_>, streams: &StreamTable) {
        /// See [`PlacementPolicy::host`].
        fn host(&mut self, page: &HostPage<'_>, present: impl Fn() -> Option<StreamId>) -> StreamId;
        /// See [`PlacementPolicy::moved`].
        fn moved(&mut self, page: &MovedPage<'_>) -> StreamId;
    }
}
