//! Which pages of a block hold data, and which are on their way: programs of one block end in order, with few exceptions.

use super::Blocks;
use crate::flash::{Block, BlockState};
use crate::nand::{BlockId, Pun, UnitAddress};

impl Blocks {
    /// True where programs of one block may end in another order than that of its pages.
    #[must_use]
    pub fn may_overtake(&self) -> bool {
        self.overtaking || self.lost_power
    }

    /// A page's program is done. Programs of one block end in order, unless they may overtake.
    #[inline]
    pub fn programmed(&mut self, address: UnitAddress) {
        debug_assert!(
            self.may_overtake() || address.page == u32::from(self.get(address.block).programmed),
            "programs end in page order"
        );
        self.filled_in(address);
    }

    /// The programs of so many pages of a block are done, which follow each other.
    #[inline]
    pub fn programmed_run(&mut self, first: UnitAddress, count: u32) {
        let block = &mut self.table[first.block];
        if self.ahead_count == 0 && first.page == u32::from(block.programmed) {
            block.programmed += count as u16;
        } else {
            (0..count).for_each(|page| self.programmed(first.plus(page)));
        }
    }

    /// A page holds data that no program brought.
    pub(in crate::ftl) fn programmed_at_once(&mut self, address: UnitAddress) {
        self.filled_in(address);
    }

    #[inline(always)]
    pub(super) fn filled_in(&mut self, address: UnitAddress) {
        let block = &mut self.table[address.block];
        if address.page != u32::from(block.programmed) {
            return self.runs_ahead(address.place);
        }
        block.programmed += 1;
        if self.ahead_count > 0 {
            self.catch_up(address);
        }
    }

    /// A page holds data before an earlier one of its block does.
    #[inline(never)]
    fn runs_ahead(&mut self, pun: Pun) {
        self.ahead.set(pun);
        self.ahead_count += 1;
    }

    /// All pages of a block up to this one hold data now, and so may some that follow.
    #[inline(never)]
    fn catch_up(&mut self, address: UnitAddress) {
        // Never runs into the next block: its first page is never ahead.
        let mut next = address.place + 1;
        while self.ahead.take(next) {
            next += 1;
        }
        let more = next - address.place - 1;
        self.ahead_count -= more as usize;
        self.table[address.block].programmed += more as u16;
    }

    /// True while a page's program is on its way: its data is still in the controller.
    #[inline]
    #[must_use]
    pub fn is_in_flight(&self, pun: Pun) -> bool {
        let address = self.geometry.address(pun);
        self.has_yet_to_end(address, self.get(address.block))
    }

    #[inline(always)]
    fn has_yet_to_end(&self, address: UnitAddress, block: &Block) -> bool {
        address.page >= u32::from(block.programmed)
            && (self.ahead_count == 0 || !self.ahead.get(address.place))
    }

    /// True while the controller has a page's data: its program is on its way, or its block is being merged.
    #[inline(always)]
    #[must_use]
    pub fn is_in_controller(&self, address: UnitAddress) -> bool {
        let block = self.get(address.block);
        block.state() == BlockState::Merging || self.has_yet_to_end(address, block)
    }

    /// Nothing is on its way any more to the pages of a block before `end`, which programs were cut off from.
    pub(in crate::ftl) fn give_up_until(&mut self, id: BlockId, end: u16) {
        let first = self.geometry.first_page(id);
        let block = &mut self.table[id];
        let mut programmed = block.programmed.max(end);
        for pun in (first + u32::from(block.programmed)).to(first + u32::from(programmed)) {
            self.ahead_count -= usize::from(self.ahead.take(pun));
        }
        while programmed < block.next_page && self.ahead.take(first + u32::from(programmed)) {
            programmed += 1;
            self.ahead_count -= 1;
        }
        block.programmed = programmed;
    }
}
