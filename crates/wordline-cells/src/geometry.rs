//! The numbering of channels, chips, dies, planes, blocks and pages.
//!
//! All numbers are flat and channel-major: page `p` of block `b` of plane `l` is `(l * blocks_per_plane + b) *
//! pages_per_block + p`. So an address is one number, not six.

use std::marker::PhantomData;
use std::ops::{Deref, Range};

use crate::ids::Id;
pub use crate::ids::{BlockId, ChannelId, FrontierId, IdVec, Lpn, LunId, PlaneId, PoolId, Ppn, Pun};
use crate::{Divider, PageNumbers, PageOrder};

/// "None" for every page and block number.
pub const NONE: u32 = u32::MAX;

/// Largest number of planes that one die may have.
pub const PLANES_MAX: usize = 8;

/// A physical page, or a unit ([`Pun`]), with its block and its index in that block, for callers that look up several of its
/// properties.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Address<P = Ppn> {
    /// The page.
    pub place: P,
    /// The block that holds it.
    pub block: BlockId,
    /// Index of the page within the block.
    pub page: u32,
}

impl<P: Id> Address<P> {
    /// So many pages behind it in the same block.
    #[must_use]
    pub fn plus(self, pages: u32) -> Address<P> {
        Address { place: self.place + pages, page: self.page + pages, ..self }
    }
}

/// The shape of the flash array, in numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Channels of the SSD.
    pub channels: u32,
    /// Chips on one channel.
    pub chips_per_channel: u32,
    /// Dies of one chip.
    pub dies_per_chip: u32,
    /// Planes of one die.
    pub planes_per_die: u32,
    /// Blocks of one plane.
    pub blocks_per_plane: u32,
    /// Pages of one block.
    pub pages_per_block: u32,
    /// Host bytes in one page.
    pub page_bytes: u32,
    /// Page types of a wordline (bits per cell).
    pub bits_per_cell: u32,
    /// In which order the pages of a block are programmed.
    pub page_order: PageOrder,
}

/// The shape of the flash array, and the conversion from page numbers to places. That of its units, [`UnitGeometry`], has one
/// page for each of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Geometry<P = Ppn> {
    shape: Shape,
    by_block: Divider,
    by_plane_pages: Divider,
    by_die_pages: Divider,
    by_plane: Divider,
    by_die: Divider,
    by_channel: Divider,
    in_block: PageNumbers,
    of: PhantomData<P>,
}

/// The flash array as the FTL counts it.
pub type UnitGeometry = Geometry<Pun>;

/// The address of a unit.
pub type UnitAddress = Address<Pun>;

impl<P> Deref for Geometry<P> {
    type Target = Shape;
    #[inline]
    fn deref(&self) -> &Shape {
        &self.shape
    }
}

impl<P> From<Shape> for Geometry<P> {
    /// Every number of the shape is at least 1.
    fn from(shape: Shape) -> Geometry<P> {
        // The validation of the configuration rejects a shape that is too large for page numbers later.
        let pages_per_plane = shape.blocks_per_plane.saturating_mul(shape.pages_per_block);
        Geometry {
            shape,
            by_block: Divider::new(shape.pages_per_block),
            by_plane_pages: Divider::new(pages_per_plane),
            by_die_pages: Divider::new(pages_per_plane.saturating_mul(shape.planes_per_die)),
            by_plane: Divider::new(shape.blocks_per_plane),
            by_die: Divider::new(shape.planes_per_die),
            by_channel: Divider::new(shape.chips_per_channel * shape.dies_per_chip),
            in_block: PageNumbers::new(shape.page_order, shape.bits_per_cell, shape.pages_per_block),
            of: PhantomData,
        }
    }
}

impl Shape {
    /// Dies of one channel.
    #[must_use]
    pub fn dies_per_channel(&self) -> u32 {
        self.chips_per_channel * self.dies_per_chip
    }

    /// Dies of the SSD.
    #[must_use]
    pub fn dies(&self) -> u32 {
        self.channels * self.dies_per_channel()
    }

    /// Planes of the SSD.
    #[must_use]
    pub fn planes(&self) -> u32 {
        self.dies() * self.planes_per_die
    }

    /// Blocks of the SSD.
    #[must_use]
    pub fn blocks(&self) -> u32 {
        self.planes() * self.blocks_per_plane
    }

    /// All planes, by their numbers.
    pub fn all_planes(&self) -> impl DoubleEndedIterator<Item = PlaneId> + ExactSizeIterator + use<> {
        PlaneId::first(self.planes())
    }

    /// All blocks, by their numbers.
    pub fn all_blocks(&self) -> impl DoubleEndedIterator<Item = BlockId> + ExactSizeIterator + use<> {
        BlockId::first(self.blocks())
    }

    /// Physical pages of the SSD.
    #[must_use]
    pub fn pages(&self) -> u64 {
        u64::from(self.planes()) * u64::from(self.blocks_per_plane) * u64::from(self.pages_per_block)
    }

    /// 512-byte sectors of one page.
    #[must_use]
    pub fn sectors_per_page(&self) -> u32 {
        self.page_bytes / 512
    }
}

impl<P: Id> Geometry<P> {
    /// The page behind the last one.
    #[must_use]
    pub fn end(&self) -> P {
        P::from_index(self.pages() as usize)
    }

    /// The block that holds a page.
    #[inline]
    #[must_use]
    pub fn block_of(&self, place: P) -> BlockId {
        BlockId::new(self.by_block.quotient(place))
    }

    /// Index of a page within its block.
    #[inline]
    #[must_use]
    pub fn page_in_block(&self, place: P) -> u32 {
        self.by_block.remainder(place)
    }

    /// A page with its block.
    #[inline]
    #[must_use]
    pub fn address(&self, place: P) -> Address<P> {
        let block = self.block_of(place);
        Address { place, block, page: place - self.first_page(block) }
    }

    /// The page of a block with an index.
    #[inline]
    #[must_use]
    pub fn at(&self, block: BlockId, page: u32) -> Address<P> {
        Address { place: self.first_page(block) + page, block, page }
    }

    /// First page of a block.
    #[inline]
    #[must_use]
    pub fn first_page(&self, block: BlockId) -> P {
        P::from_index(block.index() * self.pages_per_block as usize)
    }

    /// The pages of a block.
    #[inline]
    #[must_use]
    pub fn pages_of(&self, block: BlockId) -> Range<P> {
        let first = self.first_page(block);
        first..first + self.pages_per_block
    }

    /// First block of a plane.
    #[inline]
    #[must_use]
    pub fn first_block(&self, plane: PlaneId) -> BlockId {
        BlockId::new(plane.number() * self.blocks_per_plane)
    }

    /// First plane of a die.
    #[inline]
    #[must_use]
    pub fn first_plane(&self, die: u32) -> PlaneId {
        PlaneId::new(die * self.planes_per_die)
    }

    /// The plane that holds a block.
    #[inline]
    #[must_use]
    pub fn plane_of(&self, block: BlockId) -> PlaneId {
        PlaneId::new(self.by_plane.quotient(block.number()))
    }

    /// The plane that holds a page.
    #[inline]
    #[must_use]
    pub fn plane_of_page(&self, place: P) -> PlaneId {
        PlaneId::new(self.by_plane_pages.quotient(place))
    }

    /// The die that holds a page.
    #[inline]
    #[must_use]
    pub fn die_of_page(&self, place: P) -> u32 {
        self.by_die_pages.quotient(place)
    }

    /// The die that holds a plane.
    #[inline]
    #[must_use]
    pub fn die_of(&self, plane: PlaneId) -> u32 {
        self.by_die.quotient(plane.number())
    }

    /// The channel of a die.
    #[inline]
    #[must_use]
    pub fn channel_of(&self, die: u32) -> u32 {
        self.by_channel.quotient(die)
    }

    /// Page type (0 = LSB) of a page by its index in the block.
    #[inline]
    #[must_use]
    pub fn page_type(&self, page_in_block: u32) -> u32 {
        self.in_block.page_type(page_in_block)
    }

    /// The pages of a block by their wordlines.
    #[inline]
    #[must_use]
    pub fn in_block(&self) -> &PageNumbers {
        &self.in_block
    }
}
