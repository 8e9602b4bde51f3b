//! Where what is programmed at once begins and ends in an open group: a page, or a wordline in all planes of a die.

use super::{Blocks, Frontier};
use crate::flash::{Block, BlockState};
use crate::nand::{BlockId, FrontierId, UnitAddress};
use wordline_cells::PageNumbers;

impl Blocks {
    /// All pages of a wordline, in all blocks of a group, are programmed at once; these are the pages of blocks by mode.
    pub fn program_wordlines(&mut self, in_block: Vec<PageNumbers>) {
        self.wordlines = Some(in_block);
    }

    /// True while the open group of a frontier is within what is programmed at once: a further unit of it can always be handed
    /// out to what moves.
    #[inline]
    pub(in crate::ftl) fn is_within_program(&self, frontier: FrontierId) -> bool {
        if !self.frontiers[frontier].is_open() {
            return false;
        }
        if let Some(wordlines) = &self.wordlines {
            return self.is_within_wordline(self.in_this_turn(frontier), wordlines);
        }
        u32::from(self.table[self.in_this_turn(frontier)].next_page) & self.within_page != 0
    }

    /// The block of an open group that takes the next page, if it is not bad.
    #[inline]
    pub(super) fn in_this_turn(&self, frontier: FrontierId) -> BlockId {
        let Frontier { head, turn } = self.frontiers[frontier];
        self.grouping.in_turn(head, turn.into())
    }

    /// The blocks of a group that are programmed together with one of it.
    fn programmed_with(&self, id: BlockId) -> impl Iterator<Item = &Block> {
        let grouping = self.grouping;
        let together = grouping.members_on_die(grouping.head_of(id), grouping.member_of(id));
        together.map(|id| &self.table[id]).filter(|block| block.state() != BlockState::Bad)
    }

    /// True while some planes of a die have pages of a wordline, or of one of its steps, that others have not been given.
    fn is_within_wordline(&self, id: BlockId, wordlines: &[PageNumbers]) -> bool {
        let mut blocks = self.programmed_with(id);
        let Some(first) = blocks.next() else { return false };
        let end = first.next_page;
        blocks.any(|block| block.next_page != end) || !self.is_between_programs(first, end.into(), wordlines)
    }

    /// True where what is programmed at once ends before a unit of a block.
    pub(super) fn is_between_programs(&self, block: &Block, unit: u32, wordlines: &[PageNumbers]) -> bool {
        let in_block = &wordlines[block.mode().place()];
        unit & self.within_page == 0 && in_block.begins_program(unit >> self.within_page.count_ones())
    }

    /// True for a unit, the last one that was handed out, with which all is there that is programmed at once.
    #[inline]
    pub(in crate::ftl) fn completes_program(&self, unit: UnitAddress) -> bool {
        if (unit.page + 1) & self.within_page != 0 {
            return false;
        }
        self.wordlines.as_ref().is_none_or(|wordlines| self.completes_wordline(unit, wordlines))
    }

    #[inline(never)]
    fn completes_wordline(&self, unit: UnitAddress, wordlines: &[PageNumbers]) -> bool {
        let end = unit.page + 1;
        let mut together = self.programmed_with(unit.block);
        self.is_between_programs(self.get(unit.block), end, wordlines)
            && together.all(|block| u32::from(block.next_page) == end)
    }

    /// The turn after one whose block is given its page up to `end`, or is bad: that of the next plane of the die, or of the
    /// first one as long as a wordline is not whole, or of the next die.
    pub(super) fn turn_after(&self, turn: u16, id: BlockId, end: Option<u32>) -> u16 {
        let (next, planes) = (u32::from(turn) + 1, self.grouping.planes());
        if next.is_multiple_of(planes)
            && let Some(wordlines) = &self.wordlines
        {
            let of_others = || self.programmed_with(id).next().map(|block| (block, block.next_page.into()));
            let given = end.map(|end| (self.get(id), end)).or_else(of_others);
            if given.is_some_and(|(block, end)| !self.is_between_programs(block, end, wordlines)) {
                return (next - planes) as u16;
            }
        }
        if next == self.grouping.width() { 0 } else { next as u16 }
    }
}
