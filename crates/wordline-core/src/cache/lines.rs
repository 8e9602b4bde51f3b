//! The pages that are in the cache.

use std::collections::BTreeSet;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::engine::{Chain, Lru, Ns};
use crate::flash::{SectorMask, Writer};
use crate::nand::Lpn;

/// A cached page.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(super) struct Line {
    /// Sectors that are here.
    pub present: SectorMask,
    /// Sectors that the flash does not have.
    pub dirty: SectorMask,
    /// Sectors on their way to flash.
    pub flushing: SectorMask,
    /// When it leaves at the latest, where its policy has a time for that.
    pub due: Ns,
    /// The request that wrote to it last.
    pub writer: Writer,
}

impl Line {
    /// Flushes until the flash has what is here: of a page that was written again while it is being flushed it takes two.
    pub fn flushes(&self) -> u8 {
        u8::from(self.dirty != 0) + u8::from(self.flushing != 0)
    }
}

/// Pages in the order of their last use, and those with dirty sectors in that of their last write. A page that is here has a
/// place, by which it is reached without looking it up again.
#[derive(Debug, Default)]
pub(super) struct Lines {
    pages: Lru<Lpn, Line>,
    dirty: Chain,
}

impl Lines {
    /// Number of pages.
    pub fn len(&self) -> usize {
        self.pages.len()
    }

    /// The place of a page.
    #[inline]
    pub fn find(&self, lpn: Lpn) -> Option<u32> {
        self.pages.find(lpn)
    }

    /// The line of a page.
    #[inline]
    pub fn peek(&self, lpn: Lpn) -> Option<&Line> {
        self.pages.peek(lpn)
    }

    /// The line of a page, to change.
    pub fn peek_mut(&mut self, lpn: Lpn) -> Option<&mut Line> {
        self.pages.peek_mut(lpn)
    }

    /// The line of a page, which becomes the newest.
    #[inline]
    pub fn get_mut(&mut self, lpn: Lpn) -> Option<&mut Line> {
        self.pages.get_mut(lpn)
    }

    /// The page of a place.
    #[inline]
    pub fn lpn(&self, place: u32) -> Lpn {
        self.pages.key(place)
    }

    /// The line of a place.
    #[inline]
    pub fn line(&self, place: u32) -> &Line {
        self.pages.value(place)
    }

    /// The line of a place, to change all but its dirty sectors.
    #[inline]
    pub fn line_mut(&mut self, place: u32) -> &mut Line {
        self.pages.value_mut(place)
    }

    /// Adds a page that is not there, as the newest; returns its place.
    #[inline]
    pub fn insert(&mut self, lpn: Lpn, line: Line) -> u32 {
        self.pages.insert(lpn, line)
    }

    /// Removes the page of a place.
    #[inline]
    pub fn remove(&mut self, place: u32) {
        if self.line(place).dirty != 0 {
            self.dirty.remove(place);
        }
        self.pages.remove(place);
    }

    /// Sectors of a page are written, which becomes the newest of both orders. True where none of it was dirty.
    #[inline]
    pub fn write(&mut self, place: u32, sectors: SectorMask) -> bool {
        debug_assert!(sectors != 0, "a page without dirty sectors is not among the dirty ones");
        self.pages.touch(place);
        let line = self.pages.value_mut(place);
        let was_clean = line.dirty == 0;
        line.present |= sectors;
        line.dirty |= sectors;
        if was_clean {
            self.dirty.push(place);
        } else {
            self.dirty.touch(place);
        }
        was_clean
    }

    /// A page becomes the newest.
    #[inline]
    pub fn touch(&mut self, place: u32) {
        self.pages.touch(place);
    }

    /// The dirty sectors of a page begin their way to flash.
    #[inline]
    pub fn start_flush(&mut self, place: u32) {
        let line = self.pages.value_mut(place);
        line.flushing = std::mem::take(&mut line.dirty);
        self.dirty.remove(place);
    }

    /// The place of the page used longest ago.
    pub fn oldest(&self) -> Option<u32> {
        self.pages.oldest()
    }

    /// Places from that of the page used longest ago to that of the newest.
    pub fn places_from_oldest(&self) -> impl Iterator<Item = u32> {
        self.pages.places_from_oldest()
    }

    /// Pages from the one used longest ago to the newest.
    pub fn pages_from_oldest(&self) -> impl Iterator<Item = (Lpn, Line)> {
        self.pages.from_oldest()
    }

    /// Number of pages with dirty sectors.
    #[inline]
    pub fn dirty_pages(&self) -> usize {
        self.dirty.len()
    }

    /// Places of these, that of the one written longest ago first.
    pub fn dirty_from_oldest(&self) -> impl Iterator<Item = u32> {
        self.dirty.from_oldest()
    }
}

/// A state is its pages and the dirty ones, each in their order.
impl Serialize for Lines {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let dirty: Vec<Lpn> = self.dirty_from_oldest().map(|place| self.lpn(place)).collect();
        (&self.pages, dirty).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Lines {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Lines, D::Error> {
        let (pages, in_order): (Lru<Lpn, Line>, Vec<Lpn>) = Deserialize::deserialize(deserializer)?;
        let (mut dirty, mut seen) = (Chain::default(), BTreeSet::new());
        for lpn in in_order {
            let place = pages.find(lpn).filter(|_| seen.insert(lpn));
            dirty.push(place.ok_or_else(|| D::Error::custom("a dirty page that is not there, or twice"))?);
        }
        Ok(Lines { pages, dirty })
    }
}
