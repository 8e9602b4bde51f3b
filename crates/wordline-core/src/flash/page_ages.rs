//! When the pages of a block were programmed, without a time for each page.
//!
//! Pages of a block are programmed in order. So the pages of a run follow those from before it, and the block needs to
//! know only from which page on it is young, and since when. A young page counts as old as the first young page of
//! its block; it is younger by at most the time in which the block was filled.
//!
//! Where pages do not follow that order:
//!
//! - Programs that overtake each other (`nand.multiplane = "overtaking"`): the young pages begin at the lowest one that
//!   has ended. Those in flight are read from the controller.
//! - A copyback programs its target as any other program does: the copy is young.
//! - Programs in two steps: pages are numbered in the order of their programs. A page keeps the age of its own step when
//!   the second step of its wordline follows in a later run.
//! - A refresh in place programs every cell that still holds data: all pages of the block are young from then on.
//! - Pages that are first read between writes (`ftl.unmapped_read = "frontier"`) are old wherever they lie; `Nand` keeps a
//!   bit for each of them.
//! - Time without power: what a block holds then stays a second age beside the pages that follow. A block that had two
//!   ages already keeps those, and its further pages count as its young ones.

use serde::{Deserialize, Serialize};

use crate::engine::Ns;

/// Of pages from before the run, and of no page at all.
const NEVER: Ns = Ns::MAX;
/// No page is young.
const NO_PAGE: u16 = u16::MAX;

/// The two times at which the pages of a block were programmed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageAges {
    /// When the first of the older pages was programmed, ns.
    older: Ns,
    /// When the first of the young pages was programmed, ns.
    young: Ns,
    /// The first young page.
    young_from: u16,
}

impl Default for PageAges {
    /// All that the block holds is from before the run.
    fn default() -> PageAges {
        PageAges { older: NEVER, young: NEVER, young_from: NO_PAGE }
    }
}

impl PageAges {
    /// Every page of the block was programmed at one time.
    #[must_use]
    pub fn all_at(now: Ns) -> PageAges {
        PageAges { older: NEVER, young: now, young_from: 0 }
    }

    /// A page was programmed; true for the first of the young ones.
    #[inline]
    pub fn programmed(&mut self, page: u32, now: Ns) -> bool {
        // Fits: a block has fewer pages than `NO_PAGE`.
        let page = page as u16;
        if page >= self.young_from {
            return false;
        }
        let is_first = self.young_from == NO_PAGE;
        if is_first {
            self.young = now;
        }
        self.young_from = page;
        is_first
    }

    /// When a page was programmed, ns; nothing if its data is from before the run.
    #[inline]
    #[must_use]
    pub fn of(&self, page: u32) -> Option<Ns> {
        let at = if page >= u32::from(self.young_from) { self.young } else { self.older };
        (at != NEVER).then_some(at)
    }

    /// Whether nothing was programmed after this time, ns.
    pub(crate) fn are_before(&self, now: Ns) -> bool {
        [self.older, self.young].iter().all(|&at| at == NEVER || at <= now)
    }

    /// When the run first programmed a page of the block, ns; nothing if it has not.
    #[must_use]
    pub fn first(&self) -> Option<Ns> {
        let at = self.older.min(self.young);
        (at != NEVER).then_some(at)
    }

    /// Time has passed in which nothing was programmed: pages that follow are younger than those that are there.
    pub fn interrupted(&mut self) {
        if self.young_from == 0 {
            *self = PageAges { older: self.young, ..PageAges::default() };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_of_the_run_are_young_and_those_before_them_are_not() {
        let mut ages = PageAges::default();
        assert_eq!((ages.of(0), ages.of(9), ages.first()), (None, None, None));
        assert!(ages.programmed(5, 70));
        assert!(!ages.programmed(6, 80));
        assert_eq!([4, 5, 6, 7].map(|page| ages.of(page)), [None, Some(70), Some(70), Some(70)]);
        assert_eq!(ages.first(), Some(70));
    }

    #[test]
    fn a_page_that_was_overtaken_is_young_too() {
        let mut ages = PageAges::default();
        assert!(ages.programmed(5, 70));
        assert!(!ages.programmed(4, 75));
        assert_eq!([3, 4, 5].map(|page| ages.of(page)), [None, Some(70), Some(70)]);
    }

    #[test]
    fn pages_after_an_interruption_are_younger_than_those_before_it() {
        let mut ages = PageAges::default();
        ages.programmed(0, 10);
        ages.interrupted();
        assert_eq!((ages.of(0), ages.of(3), ages.first()), (Some(10), Some(10), Some(10)));
        assert!(ages.programmed(3, 900));
        assert_eq!([0, 2, 3].map(|page| ages.of(page)), [Some(10), Some(10), Some(900)]);
        assert_eq!(ages.first(), Some(10));
        ages.interrupted();
        ages.programmed(5, 2_000);
        assert_eq!(ages.of(5), Some(900), "there is room for two ages");
    }
}
