//! Groups and pools of blocks.
//!
//! A group is what is opened, filled, collected and erased together; a pool is the planes whose groups share free ones,
//! thresholds, waiting writes and a job. With `ftl.group = "block"` both are the smallest there are: a block, a plane. With
//! `"planes"` a group has a block of each plane of a die, and its pages are handed out row by row: the same page of
//! each block, then the next. So programs of all planes are of the same page, which is what a multi-plane program needs.
//!
//! A pool goes by its first plane, and a group by its block there, its head. All blocks of a group have the same place in
//! their planes. A block that is bad is missing in its group.

use crate::config::{Config, Group};
use crate::nand::{BlockId, PlaneId, Ppn};
use wordline_cells::Divider;

/// Which planes and blocks belong together.
#[derive(Clone, Copy, Debug)]
pub(super) struct Grouping {
    /// Planes of a pool, and blocks of a group.
    width: Divider,
    blocks_per_plane: u32,
}

impl Grouping {
    /// As the configuration says.
    pub fn new(config: &Config) -> Grouping {
        let width = match config.ftl.group {
            Group::Block => 1,
            Group::Planes => config.ssd.planes_per_die,
        };
        Grouping { width: Divider::new(width), blocks_per_plane: config.ssd.blocks_per_plane }
    }

    /// Blocks of a group.
    #[inline]
    pub fn width(&self) -> u32 {
        self.width.divisor()
    }

    /// True where a group is more than a block.
    #[inline]
    pub fn joins(&self) -> bool {
        self.width() > 1
    }

    /// The pool of a plane.
    #[inline]
    pub fn pool_of(&self, plane: PlaneId) -> PlaneId {
        if self.joins() { plane - self.width.remainder(plane.number()) } else { plane }
    }

    /// The head of the group of a block.
    #[inline]
    pub fn head_of(&self, block: BlockId) -> BlockId {
        if !self.joins() {
            return block;
        }
        let plane = block / self.blocks_per_plane;
        block - self.width.remainder(plane) * self.blocks_per_plane
    }

    /// One block of a group.
    #[inline]
    pub fn member(&self, head: BlockId, member: u32) -> BlockId {
        head + member * self.blocks_per_plane
    }

    /// All blocks of a group, bad ones among them.
    pub fn members(self, head: BlockId) -> impl Iterator<Item = BlockId> + use<> {
        let step = self.blocks_per_plane;
        (0..self.width()).map(move |member| head + member * step)
    }

    /// Pages of a plane from one block of a group to the next.
    #[inline]
    pub fn pages_apart(&self, pages_per_block: u32) -> Ppn {
        self.blocks_per_plane * pages_per_block
    }
}
