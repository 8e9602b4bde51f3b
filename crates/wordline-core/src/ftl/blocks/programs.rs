//! Where what is programmed at once begins and ends in an open group: a page, or a wordline in all blocks of the group.

use super::Blocks;
use crate::flash::{Block, StreamId};
use crate::nand::{Address, BlockId, NONE, PlaneId};
use wordline_cells::PageNumbers;

impl Blocks {
    /// All pages of a wordline, in all blocks of a group, are programmed at once; these are the pages of blocks by mode.
    pub fn program_wordlines(&mut self, in_block: Vec<PageNumbers>) {
        self.wordlines = Some(in_block);
    }

    /// True while the open group of a stream in a pool is within what is programmed at once: a further unit of it can always be
    /// handed out to what moves.
    #[inline]
    pub(in crate::ftl) fn is_within_program(&self, pool: PlaneId, stream: StreamId) -> bool {
        let slot = self.open_at(pool, stream);
        let head = self.open[slot];
        if head == NONE {
            return false;
        }
        if let Some(wordlines) = &self.wordlines {
            return self.is_within_wordline(head, wordlines);
        }
        let block = self.grouping.member(head, self.turns[slot].into());
        u32::from(self.table[block].next_page) & self.within_page != 0
    }

    /// True while some blocks of a group have pages of a wordline, or of one of its steps, that others have not been given.
    fn is_within_wordline(&self, head: BlockId, wordlines: &[PageNumbers]) -> bool {
        let mut blocks = self.good_members(head).map(|id| &self.table[id]);
        let Some(first) = blocks.next() else { return false };
        let end = first.next_page;
        blocks.any(|block| block.next_page != end) || !self.is_between_programs(first, end.into(), wordlines)
    }

    /// True where what is programmed at once ends before a unit of a block.
    fn is_between_programs(&self, block: &Block, unit: u32, wordlines: &[PageNumbers]) -> bool {
        let in_block = &wordlines[block.mode().place()];
        unit & self.within_page == 0 && in_block.begins_program(unit >> self.within_page.count_ones())
    }

    /// True for a unit, the last one that was handed out, with which all is there that is programmed at once.
    #[inline]
    pub(in crate::ftl) fn completes_program(&self, unit: Address) -> bool {
        if (unit.page + 1) & self.within_page != 0 {
            return false;
        }
        self.wordlines.as_ref().is_none_or(|wordlines| self.completes_wordline(unit, wordlines))
    }

    #[inline(never)]
    fn completes_wordline(&self, unit: Address, wordlines: &[PageNumbers]) -> bool {
        let end = unit.page + 1;
        let mut members = self.good_members(self.grouping.head_of(unit.block));
        self.is_between_programs(self.get(unit.block), end, wordlines)
            && members.all(|id| u32::from(self.table[id].next_page) == end)
    }
}
