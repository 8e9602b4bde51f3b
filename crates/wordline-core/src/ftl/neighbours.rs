//! What a fill of the drive in order would put into one row of a group: the units of a page, in each of its planes.

use super::group::Grouping;
use crate::config::Config;
use crate::nand::{Lpn, PlaneId};
use crate::policy::allocation::Allocator;

/// Which logical units have a row in common.
#[derive(Clone, Copy, Debug)]
pub(super) struct Neighbours {
    /// The number of units of a page, as a power of two.
    page_shift: u32,
    /// Planes of a row.
    planes: u32,
    /// From a logical page to that of the next plane of its die.
    stride: u32,
}

impl Neighbours {
    pub fn new(config: &Config, allocator: &Allocator) -> Neighbours {
        let planes = Grouping::new(config).width();
        // An order has its next plane after as many pages as it has planes before it comes to the same die again.
        let next_plane =
            || (1..config.geometry().planes()).find(|&page| allocator.home(page) == allocator.home(0) + 1);
        Neighbours {
            page_shift: config.units_per_page().trailing_zeros(),
            planes,
            stride: if planes > 1 { next_plane().unwrap_or(1) } else { 0 },
        }
    }

    /// A row is one unit.
    #[inline(always)]
    pub fn are_alone(&self) -> bool {
        self.page_shift == 0 && self.planes == 1
    }

    /// The units of the row of one whose home is a plane, in the order of a fill.
    pub fn of(&self, lpn: Lpn, plane: PlaneId) -> impl Iterator<Item = Lpn> + use<> {
        let Neighbours { page_shift, planes, stride } = *self;
        let first = (lpn >> page_shift).saturating_sub(plane % planes * stride);
        let pages = (0..planes).map(move |plane| first + plane * stride);
        pages.flat_map(move |page| (page << page_shift)..((page + 1) << page_shift))
    }
}
