//! The order in which the pages of a block are programmed, which is also how they are numbered.
//!
//! A cell of `b` bits may be programmed in two steps, so that neighbours disturb only its rough state: the first step
//! stores all bits but the last one, the second the last one. The second step of a wordline follows the first step of the
//! next one. In a block of `W` wordlines, page `p` and the page of type `t` (0 = LSB) of wordline `w` are
//!
//! ```text
//! p < b - 1        first step of wordline 0, type p
//! p = W·b - 1      second step of wordline W - 1
//! otherwise, with q = p - (b - 1), w = q / b and t = q mod b:
//!   t < b - 1      first step of wordline w + 1, type t
//!   t = b - 1      second step of wordline w
//!
//! t < b - 1        p = t                 in wordline 0, else w·b - 1 + t
//! t = b - 1        p = W·b - 1           in wordline W - 1, else w·b + 2b - 2
//! ```
//!
//! For two bits the wordlines have the pages (0, 2), (1, 4), (3, 6) …, as Linux numbers the pages of MLC chips
//! (`dist3_pairing_scheme` in drivers/mtd/nand/raw/nand_base.c). For three and four bits the order is a guess.

use crate::Divider;

/// A page of a wordline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WordlinePage {
    /// The wordline, from 0.
    pub wordline: u32,
    /// Type of the page (0 = LSB).
    pub page_type: u32,
}

/// In which order the pages of a block are programmed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PageOrder {
    /// All pages of a wordline, then those of the next.
    #[default]
    WordlineByWordline,
    /// All page types but the last one, and the last one after the next wordline's first ones.
    TwoStep,
}

/// The pages of a block in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageNumbers {
    order: PageOrder,
    by_bits: Divider,
    bits: u32,
    /// Wordlines that have all of their pages.
    wordlines: u32,
}

impl PageNumbers {
    /// A block of so many pages, of cells of `bits` bits; both are at least 1. Pages beyond the last whole wordline are
    /// part of a shorter one.
    #[must_use]
    pub fn new(order: PageOrder, bits: u32, pages_per_block: u32) -> PageNumbers {
        PageNumbers { order, by_bits: Divider::new(bits), bits, wordlines: pages_per_block / bits }
    }

    /// Pages of a wordline.
    #[inline]
    #[must_use]
    pub fn bits(&self) -> u32 {
        self.bits
    }

    /// Type (0 = LSB) of a page.
    #[inline]
    #[must_use]
    pub fn page_type(&self, page: u32) -> u32 {
        match self.order {
            PageOrder::WordlineByWordline => self.by_bits.remainder(page),
            PageOrder::TwoStep => self.in_two_steps(page).page_type,
        }
    }

    /// Wordline and type of a page.
    #[must_use]
    pub fn place(&self, page: u32) -> WordlinePage {
        match self.order {
            PageOrder::WordlineByWordline => self.plain(page),
            PageOrder::TwoStep => self.in_two_steps(page),
        }
    }

    fn plain(&self, page: u32) -> WordlinePage {
        WordlinePage { wordline: self.by_bits.quotient(page), page_type: self.by_bits.remainder(page) }
    }

    fn in_two_steps(&self, page: u32) -> WordlinePage {
        let (last, end) = (self.bits - 1, self.wordlines * self.bits);
        if page < last || page >= end {
            return self.plain(page);
        }
        if page + 1 == end {
            return WordlinePage { wordline: self.wordlines - 1, page_type: last };
        }
        let WordlinePage { wordline, page_type } = self.plain(page - last);
        WordlinePage { wordline: wordline + u32::from(page_type < last), page_type }
    }

    /// Number of the page of a wordline.
    #[must_use]
    pub fn page(&self, WordlinePage { wordline, page_type }: WordlinePage) -> u32 {
        let (plain, last) = (wordline * self.bits + page_type, self.bits - 1);
        let is_plain = match self.order {
            PageOrder::WordlineByWordline => true,
            PageOrder::TwoStep if wordline >= self.wordlines => true,
            PageOrder::TwoStep if page_type < last => wordline == 0,
            PageOrder::TwoStep => wordline + 1 == self.wordlines,
        };
        match is_plain {
            true => plain,
            false if page_type < last => plain - 1,
            false => plain + last,
        }
    }

    /// True where a program begins with a page that takes all pages of a wordline, or of one of its two steps, at once; so one
    /// ends before it. Behind the last page of a block it is true as well.
    #[inline]
    #[must_use]
    pub fn begins_program(&self, page: u32) -> bool {
        if page >= self.wordlines * self.bits {
            return true;
        }
        let page_type = self.page_type(page);
        page_type == 0 || self.order == PageOrder::TwoStep && page_type == self.bits - 1
    }

    /// The last page of the wordline of a page: its second step, where it has two.
    #[must_use]
    pub fn last_of_wordline(&self, page: u32) -> u32 {
        self.page(WordlinePage { page_type: self.bits - 1, ..self.place(page) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(bits: u32, wordlines: u32) -> Vec<(u32, u32)> {
        let numbers = PageNumbers::new(PageOrder::TwoStep, bits, wordlines * bits);
        let pair = |page| {
            let WordlinePage { wordline, page_type } = numbers.place(page);
            (wordline, page_type)
        };
        (0..wordlines * bits).map(pair).collect()
    }

    /// The steps in the order in which a chip takes them.
    fn steps(bits: u32, wordlines: u32) -> Vec<(u32, u32)> {
        let first = |wordline| (0..bits - 1).map(move |page_type| (wordline, page_type));
        let mut all: Vec<_> = first(0).collect();
        for wordline in 1..wordlines {
            all.extend(first(wordline));
            all.push((wordline - 1, bits - 1));
        }
        all.push((wordlines - 1, bits - 1));
        all
    }

    #[test]
    fn the_second_step_of_a_wordline_follows_the_first_step_of_the_next() {
        assert_eq!(places(4, 2), [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2), (0, 3), (1, 3)]);
        for bits in 2..=4 {
            for wordlines in [1, 2, 3, 96] {
                assert_eq!(places(bits, wordlines), steps(bits, wordlines), "{bits} bits, {wordlines}");
            }
        }
    }

    #[test]
    fn pages_of_an_mlc_wordline_are_three_apart() {
        let numbers = PageNumbers::new(PageOrder::TwoStep, 2, 256);
        let pair = |wordline| [0, 1].map(|page_type| numbers.page(WordlinePage { wordline, page_type }));
        assert_eq!([pair(0), pair(1), pair(2), pair(126)], [[0, 2], [1, 4], [3, 6], [251, 254]]);
        assert_eq!(pair(127), [253, 255]);
    }

    #[test]
    fn numbers_and_places_are_inverse() {
        for order in [PageOrder::WordlineByWordline, PageOrder::TwoStep] {
            for (bits, pages) in [(1, 7), (2, 2), (2, 7), (3, 9), (3, 11), (4, 4), (4, 12), (4, 384)] {
                let numbers = PageNumbers::new(order, bits, pages);
                for page in 0..pages {
                    let place = numbers.place(page);
                    assert_eq!(numbers.page(place), page, "{order:?}, {bits} bits, {place:?}");
                    assert_eq!(numbers.page_type(page), place.page_type);
                }
            }
        }
    }

    #[test]
    fn a_program_takes_the_pages_of_a_wordline_or_of_a_step() {
        let begin = |order, bits| {
            let numbers = PageNumbers::new(order, bits, 3 * bits);
            (0..=3 * bits).filter(|&page| numbers.begins_program(page)).collect::<Vec<u32>>()
        };
        assert_eq!(begin(PageOrder::WordlineByWordline, 1), [0, 1, 2, 3]);
        assert_eq!(begin(PageOrder::WordlineByWordline, 3), [0, 3, 6, 9]);
        assert_eq!(begin(PageOrder::TwoStep, 2), [0, 1, 2, 3, 4, 5, 6]);
        assert_eq!(begin(PageOrder::TwoStep, 4), [0, 3, 6, 7, 10, 11, 12]);
    }

    #[test]
    fn all_pages_of_a_wordline_have_the_same_last_one() {
        let numbers = PageNumbers::new(PageOrder::TwoStep, 4, 12);
        let last: Vec<u32> = (0..12).map(|page| numbers.last_of_wordline(page)).collect();
        assert_eq!(last, [6, 6, 6, 10, 10, 10, 6, 11, 11, 11, 10, 11]);
    }
}
