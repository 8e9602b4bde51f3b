//! Groups of several blocks, looked at as if each were one block.

use super::Blocks;
use crate::flash::{Block, BlockState, BlockTable, ModeId, StreamId};
use crate::nand::{BlockId, PoolId};

/// A group of blocks, as if it were one.
#[derive(Clone, Copy, Debug)]
pub(in crate::ftl) struct GroupOfBlocks {
    /// What its blocks do, or the first of them that does something else.
    pub state: BlockState,
    /// Sums over its blocks, as in [`Block`].
    pub valid: u32,
    pub next_page: u32,
    pub programmed: u32,
    pub reads: u32,
    /// That of the block that was filled last.
    pub filled_seq: u32,
    pub stream: StreamId,
    /// How the cells of its blocks store bits.
    pub mode: ModeId,
    /// They always do.
    pub is_fixed: bool,
}

impl From<&Block> for GroupOfBlocks {
    fn from(block: &Block) -> GroupOfBlocks {
        GroupOfBlocks {
            state: block.state(),
            valid: block.valid.into(),
            next_page: block.next_page.into(),
            programmed: block.programmed.into(),
            reads: block.reads(),
            filled_seq: block.filled_seq,
            stream: block.stream,
            mode: block.mode(),
            is_fixed: block.is_fixed(),
        }
    }
}

impl GroupOfBlocks {
    /// As a block whose pages are so many of the group's each.
    fn in_parts_of(&self, pages: u32) -> Block {
        // Programs of parity that are under way count beside as many pages as a group has at most.
        let of = |count: u32| u16::try_from(count.div_ceil(pages)).unwrap_or(u16::MAX);
        let mut block = Block::that_is(self.state);
        (block.valid, block.next_page) = (of(self.valid), of(self.next_page));
        // A single program that is under way shows, too.
        block.programmed = match self.programmed == self.next_page {
            true => block.next_page,
            false => of(self.programmed).min(block.next_page - 1),
        };
        if self.is_fixed {
            block.fix_mode(self.mode);
        } else {
            block.set_mode(self.mode);
        }
        block.add_reads(self.reads);
        (block.filled_seq, block.stream) = (self.filled_seq, self.stream);
        block
    }
}

impl Blocks {
    /// The groups of a pool, by their heads.
    pub(in crate::ftl) fn groups_of(&self, pool: PoolId) -> impl Iterator<Item = (BlockId, GroupOfBlocks)> {
        self.grouping.heads(pool).map(|head| (head, self.group(head)))
    }

    /// A group as if it were one block. A block that is bad has nothing to win; one that was erased before power was cut
    /// has all.
    pub(in crate::ftl) fn group(&self, head: BlockId) -> GroupOfBlocks {
        if !self.grouping.joins() {
            return GroupOfBlocks::from(&self.table[head]);
        }
        let pages = self.geometry.pages_per_block;
        let mut group = GroupOfBlocks::from(&Block::that_is(BlockState::Bad));
        // A group counts as large as it is without the blocks that parity takes. Those of a stripe with a single good block,
        // or none, are among the bad ones.
        let mut uncounted = self.parity_blocks();
        for block in self.grouping.members(head).map(|id| &self.table[id]) {
            let is_there = !matches!(block.state(), BlockState::Bad | BlockState::Free);
            if block.is_parity() {
                uncounted -= 1;
                // But its programs that are under way count: the group is not erased before they end.
                group.next_page += u32::from(block.next_page - block.programmed);
            } else {
                group.valid += if block.state() == BlockState::Bad { pages } else { block.valid.into() };
                group.next_page += if is_there { block.next_page.into() } else { pages };
                group.programmed += if is_there { block.programmed.into() } else { pages };
            }
            group.reads += block.reads();
            group.filled_seq = group.filled_seq.max(block.filled_seq);
            let at_work =
                matches!(block.state(), BlockState::Open | BlockState::Reclaiming | BlockState::Merging);
            group.state = match (group.state, block.state()) {
                (state, BlockState::Bad) => state,
                (BlockState::Bad, state) => state,
                (_, state) if at_work => state,
                (BlockState::Free, state) => state,
                (state, _) => state,
            };
            if is_there {
                group.stream = block.stream;
            }
            // Blocks of a group have one mode, but for those whose erase is done.
            if is_there || block.is_fixed() {
                (group.mode, group.is_fixed) = (block.mode(), block.is_fixed());
            }
        }
        let uncounted = uncounted * pages;
        for count in [&mut group.valid, &mut group.next_page, &mut group.programmed] {
            *count = count.saturating_sub(uncounted);
        }
        group
    }

    /// Writes the groups of a pool into a table where each is one block, at the place of its head. A page there stands for
    /// `part` of the group.
    pub(in crate::ftl) fn show_groups(&self, pool: PoolId, part: u32, table: &mut BlockTable) {
        table.set_filled(self.table.filled());
        self.grouping.heads(pool).for_each(|head| table[head] = self.shown(head, part));
    }

    /// A group as one block, a page of which stands for `part` of the group.
    pub(in crate::ftl) fn shown(&self, head: BlockId, part: u32) -> Block {
        // All groups of a pool are shown at each choice, and nearly all are full ones without parity or bad blocks.
        let mut sum = self.table[head];
        let may_be_plain = part == 1 && sum.state() == BlockState::Full && !sum.is_parity();
        let mut others = (1..self.grouping.width()).map(|member| self.grouping.member(head, member));
        if may_be_plain && others.all(|id| sum.add(&self.table[id])) {
            return sum;
        }
        self.group(head).in_parts_of(part)
    }

    /// The blocks of a group that hold something, or did until they were written elsewhere.
    pub(in crate::ftl) fn written_members(&self, head: BlockId) -> impl Iterator<Item = BlockId> {
        self.grouping.members(head).filter(|&id| self.is_written(id))
    }

    /// True for a block that holds something, or did until that was written elsewhere.
    pub(in crate::ftl) fn is_written(&self, id: BlockId) -> bool {
        !matches!(self.table[id].state(), BlockState::Free | BlockState::Bad)
    }

    pub(super) fn good_members(&self, head: BlockId) -> impl Iterator<Item = BlockId> {
        self.grouping.members(head).filter(|&id| self.table[id].state() != BlockState::Bad)
    }
}
