//! Operations on logical pages.

use serde::{Deserialize, Serialize};

use super::{Owner, Priority};
use wordline_cells::geometry::Lpn;

/// Sectors of one page, as a bit mask.
pub type SectorMask = u64;

/// All sectors of a page that has so many.
///
/// # Panics
/// The page has none, or more than a mask has bits. `ssd.page_bytes` takes no such page: with a mask that is wrong every
/// read would be of nothing.
#[must_use]
pub fn full_page(sectors: u32) -> SectorMask {
    assert!((1..=SectorMask::BITS).contains(&sectors), "{sectors} sectors of a page do not fit a mask");
    SectorMask::MAX >> (SectorMask::BITS - sectors)
}

/// What the host, or the cache on its behalf, wants of one page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageOp {
    /// Read, write or trim.
    pub kind: PageOpKind,
    /// The page.
    pub lpn: Lpn,
    /// Sectors of it.
    pub sectors: SectorMask,
    /// The owner that is told when it is done.
    pub owner: Owner,
    /// The stream of open blocks that a write goes to, below `ftl.streams`.
    pub stream: u8,
    /// How urgent it is.
    pub priority: Priority,
}

/// What to do with a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum PageOpKind {
    /// Bring its sectors to the controller.
    Read,
    /// Write its sectors.
    Write,
    /// Forget it.
    Trim,
}
