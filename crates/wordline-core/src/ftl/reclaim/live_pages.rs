//! The live pages of a group, row by row: all its blocks' pages of one number, then the next. So planes sense and program
//! the same page together.

use serde::{Deserialize, Serialize};

use crate::ftl::write::pages::Pages;
use crate::nand::Pun;

/// How far somebody has come through the live pages of a group.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(in crate::ftl) struct LivePages {
    /// The next page in the group's head, and in its blocks from `member` on; in those before it is one more.
    pub cursor: Pun,
    member: u32,
}

impl LivePages {
    /// From the first page of a group's head on.
    pub fn of(first: Pun) -> LivePages {
        LivePages { cursor: first, member: 0 }
    }

    /// True when there is no further page before the end of the head.
    #[inline]
    pub fn has_come_to(&self, end: Pun) -> bool {
        self.cursor == end
    }

    /// The next live page, by its first live unit; `end` is the page behind the head's last.
    #[inline]
    pub fn next(&mut self, end: Pun, pages: &Pages) -> Option<Pun> {
        if pages.blocks.grouping().joins() {
            return self.next_of_rows(end, pages);
        }
        let next = pages.mapping.next_valid(self.cursor, end);
        self.cursor = next.map_or(end, |unit| pages.format.end_of_page(unit));
        next
    }

    #[inline(never)]
    fn next_of_rows(&mut self, end: Pun, pages: &Pages) -> Option<Pun> {
        let grouping = pages.blocks.grouping();
        let pages_to = |member| grouping.blocks_to(member) * pages.geometry.pages_per_block;
        let row_units = pages.format.units_per_page();
        let mut next = None::<(Pun, LivePages)>;
        // The rest of the row that it has come to goes first.
        let rest = if self.cursor < end { self.member..grouping.width() } else { 0..0 };
        for member in rest {
            let first = self.cursor + pages_to(member);
            if let Some(unit) = pages.mapping.next_valid(first, first + row_units) {
                *self = LivePages { cursor: self.cursor, member: member + 1 };
                return Some(unit);
            }
        }
        for member in 0..grouping.width() {
            let offset = pages_to(member);
            let from = self.cursor + u32::from(member < self.member) * row_units + offset;
            // A later block only goes first with an earlier row.
            let before = next.as_ref().map_or(end, |(_, at)| at.cursor) + offset;
            if from < before
                && let Some(unit) = pages.mapping.next_valid(from, before)
            {
                let cursor = pages.format.end_of_page(unit) - row_units - offset;
                next = Some((unit, LivePages { cursor, member: member + 1 }));
            }
        }
        *self = next.map_or(LivePages::of(end), |(_, at)| at);
        next.map(|(unit, _)| unit)
    }
}
