//! What numbers of things are: a type for each thing, so that a block cannot be taken for a plane.
//!
//! Their width is written once, in the table below. Only this file turns an id into an index and back; what is kept for each
//! of some things is an [`IdVec`], which takes no other number.
//!
//! ```
//! use wordline_cells::ids::{IdVec, PlaneId};
//! let mut jobs: IdVec<PlaneId, u32> = IdVec::filled(4, 0);
//! jobs[PlaneId::new(3)] += 1;
//! ```
//!
//! ```compile_fail,E0277
//! use wordline_cells::ids::{IdVec, PlaneId};
//! let mut jobs: IdVec<PlaneId, u32> = IdVec::filled(4, 0);
//! jobs[3] += 1;
//! ```

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Add, AddAssign, Deref, DerefMut, Index, IndexMut, Sub};

use serde::{Deserialize, Serialize};

/// A number of one kind of thing, from 0.
pub trait Id: Copy + Into<u64> + Add<u32, Output = Self> + Sub<Output = u32> {
    /// The id of the thing at a place.
    fn from_index(index: usize) -> Self;
    /// Its place among all things of its kind.
    fn index(self) -> usize;
}

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident: $width:ty;)+) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        #[repr(transparent)]
        pub struct $name($width);

        impl $name {
            /// No such thing.
            pub const NONE: $name = $name(<$width>::MAX);

            /// The thing with this number, which is a small one; [`Self::from_index`] takes all.
            #[inline(always)]
            #[must_use]
            pub const fn new(number: u32) -> $name {
                $name(number as $width)
            }

            /// Its number.
            #[inline(always)]
            #[must_use]
            pub const fn number(self) -> $width {
                self.0
            }

            /// The thing at a place among all of its kind.
            #[inline(always)]
            #[must_use]
            pub const fn from_index(index: usize) -> $name {
                $name(index as $width)
            }

            /// Its place among all of its kind.
            #[inline(always)]
            #[must_use]
            pub const fn index(self) -> usize {
                self.0 as usize
            }

            /// All from this one on that are before `end`.
            #[inline]
            pub fn to(self, end: $name) -> impl DoubleEndedIterator<Item = $name> + ExactSizeIterator + Clone {
                (self.index()..end.index()).map($name::from_index)
            }

            /// The first ones.
            #[inline]
            pub fn first(count: $width) -> impl DoubleEndedIterator<Item = $name> + ExactSizeIterator + Clone {
                $name(0).to($name(count))
            }
        }

        impl From<$name> for u64 {
            #[inline(always)]
            fn from(id: $name) -> u64 {
                id.0.into()
            }
        }

        impl Id for $name {
            #[inline(always)]
            fn from_index(index: usize) -> $name {
                $name::from_index(index)
            }
            #[inline(always)]
            fn index(self) -> usize {
                $name::index(self)
            }
        }

        impl Add<u32> for $name {
            type Output = $name;
            #[inline(always)]
            fn add(self, more: u32) -> $name {
                $name(self.0 + <$width>::from(more))
            }
        }

        impl AddAssign<u32> for $name {
            #[inline(always)]
            fn add_assign(&mut self, more: u32) {
                self.0 += <$width>::from(more);
            }
        }

        impl Sub<u32> for $name {
            type Output = $name;
            #[inline(always)]
            fn sub(self, less: u32) -> $name {
                $name(self.0 - <$width>::from(less))
            }
        }

        impl Sub for $name {
            type Output = u32;
            #[inline(always)]
            fn sub(self, other: $name) -> u32 {
                debug_assert!(self.0 - other.0 <= <$width>::from(u32::MAX), "they are near each other");
                (self.0 - other.0) as u32
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    )+};
}

/// The width of numbers of pages and units, in flight. Tables keep them in fewer bits.
pub type PageWidth = u64;

ids! {
    /// A physical page.
    Ppn: PageWidth;
    /// A physical unit: a place in a page that holds one logical unit. Without `ftl.unit_bytes` it is a page.
    Pun: PageWidth;
    /// A logical unit: one of the host's, or (above the host's range) one of the mapping table. Without `ftl.unit_bytes` it is a
    /// page.
    Lpn: PageWidth;
    /// A physical block, over all planes.
    BlockId: u32;
    /// A piece of the mapping table: a logical unit of its entries.
    PieceId: u32;
    /// A plane, over all dies.
    PlaneId: u32;
    /// A pool: planes that share free groups of blocks (`ftl.group`). It has the number of its first plane, so not every number is
    /// one of a pool.
    PoolId: u32;
    /// A LUN: what takes one command at a time, a die or a chip.
    LunId: u32;
    /// A channel.
    ChannelId: u32;
    /// A frontier: a stream in a pool.
    FrontierId: u32;
}

/// Something for each thing of a kind, by its id.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct IdVec<I, T> {
    items: Vec<T>,
    by: PhantomData<I>,
}

impl<I: Id, T> IdVec<I, T> {
    /// The same for each of `len` things.
    #[must_use]
    pub fn filled(len: usize, item: T) -> IdVec<I, T>
    where
        T: Clone,
    {
        vec![item; len].into()
    }

    /// All ids that have an entry, with it.
    pub fn entries(&self) -> impl Iterator<Item = (I, &T)> {
        self.items.iter().enumerate().map(|(index, item)| (I::from_index(index), item))
    }

    /// The same, to change.
    pub fn entries_mut(&mut self) -> impl Iterator<Item = (I, &mut T)> {
        self.items.iter_mut().enumerate().map(|(index, item)| (I::from_index(index), item))
    }
}

impl<I, T> IdVec<I, T> {
    /// A further item, behind the last.
    pub fn push(&mut self, item: T) {
        self.items.push(item);
    }
}

impl<I, T> From<Vec<T>> for IdVec<I, T> {
    fn from(items: Vec<T>) -> IdVec<I, T> {
        IdVec { items, by: PhantomData }
    }
}

impl<I, T> Deref for IdVec<I, T> {
    type Target = [T];
    #[inline(always)]
    fn deref(&self) -> &[T] {
        &self.items
    }
}

impl<I, T> DerefMut for IdVec<I, T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.items
    }
}

impl<I: Id, T> Index<I> for IdVec<I, T> {
    type Output = T;
    #[inline(always)]
    fn index(&self, id: I) -> &T {
        &self.items[id.index()]
    }
}

impl<I: Id, T> IndexMut<I> for IdVec<I, T> {
    #[inline(always)]
    fn index_mut(&mut self, id: I) -> &mut T {
        &mut self.items[id.index()]
    }
}
