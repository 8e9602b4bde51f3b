//! What a live host is told of its requests and of their data.

use wordline_cells::geometry::Lpn;

use super::{Completion, SectorMask};

/// What a live host is told, in the order in which it happens. Requests have the names that
/// [`Ssd::submit`](crate::Ssd::submit) gave them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notice {
    /// Sectors of a write are in the volatile cache: a power cut loses them.
    Cached {
        /// The write.
        request: u32,
        /// The page.
        lpn: Lpn,
        /// Its sectors.
        sectors: SectorMask,
    },
    /// The cache has given what it held of a page to the FTL: a power cut loses it no more.
    Flushed {
        /// The page.
        lpn: Lpn,
    },
    /// The FTL has sectors of a write: a power cut does not lose them.
    Kept {
        /// The write.
        request: u32,
        /// The page.
        lpn: Lpn,
        /// Its sectors.
        sectors: SectorMask,
    },
    /// The SSD was told to forget sectors of a page.
    Trimmed {
        /// The trim.
        request: u32,
        /// The page.
        lpn: Lpn,
        /// Its sectors.
        sectors: SectorMask,
    },
    /// A read of the request has come to a die that was at the drive's own work: garbage collection, wear levelling, refresh,
    /// folding or the mapping table.
    BehindOwnWork {
        /// The request.
        request: u32,
    },
    /// The host sees a request complete; its name is free again.
    Completed(Completion),
}
