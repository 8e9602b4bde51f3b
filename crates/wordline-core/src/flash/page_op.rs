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

/// What the SSD knows of the request that wrote data, which goes with them until they have a place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Writer {
    /// Its flow.
    pub flow: u16,
    /// Its placement hint: which data belongs together, as the host sees it; 0 for none.
    pub hint: u16,
    /// Its sectors, up to 65,535.
    pub sectors: u16,
    /// Somebody waits until its data are on flash (force unit access): no program waits for more of them.
    pub fua: bool,
    /// How often the host had asked to close open groups when the device took it, in 8 bits: what comes before goes to the group
    /// that was open then.
    pub closes: u8,
}

impl Writer {
    /// A request of a flow for so many sectors, without a placement hint.
    #[inline]
    #[must_use]
    pub fn new(flow: u16, sectors: u32) -> Writer {
        Writer { flow, hint: 0, sectors: sectors.min(u16::MAX.into()) as u16, fua: false, closes: 0 }
    }
}

/// A page that is written before the run, whole, or trimmed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WrittenPage {
    /// The page.
    pub lpn: Lpn,
    /// The request that wrote it.
    pub writer: Writer,
    /// The host gives it up instead.
    pub is_trimmed: bool,
}

impl From<Lpn> for WrittenPage {
    /// By the first flow.
    fn from(lpn: Lpn) -> WrittenPage {
        WrittenPage { lpn, writer: Writer::default(), is_trimmed: false }
    }
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
    /// The request that wrote the data, where it is a write.
    pub writer: Writer,
    /// How urgent it is.
    pub priority: Priority,
}

impl PageOp {
    /// A write of data that nobody waits for.
    #[must_use]
    pub fn unowned(lpn: Lpn, sectors: SectorMask, writer: Writer) -> PageOp {
        let (owner, priority) = (Owner::Nobody, Priority::High);
        PageOp { kind: PageOpKind::Write, lpn, sectors, owner, writer, priority }
    }
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
