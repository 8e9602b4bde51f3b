//! Groups of several blocks, looked at as if each were one block.

use super::Blocks;
use crate::flash::{Block, BlockState, BlockTable};
use crate::nand::{BlockId, PlaneId};

impl Blocks {
    /// The groups of a pool, by their heads; none of a plane that is no pool's first.
    pub(in crate::ftl) fn groups_of(&self, pool: PlaneId) -> impl Iterator<Item = (BlockId, Block)> {
        let is_pool = self.grouping.pool_of(pool) == pool;
        let heads = is_pool.then(|| self.table.of_plane(pool)).into_iter().flatten();
        heads.map(|(head, &block)| (head, if self.grouping.joins() { self.group(head) } else { block }))
    }

    /// A group as if it were one block. A block that is bad has nothing to win; one that was erased before power was cut
    /// has all.
    pub(in crate::ftl) fn group(&self, head: BlockId) -> Block {
        if !self.grouping.joins() {
            return self.table[head];
        }
        let pages = self.geometry.pages_per_block as u16;
        let mut group = Block::that_is(BlockState::Bad);
        for block in self.grouping.members(head).map(|id| &self.table[id]) {
            let is_there = !matches!(block.state(), BlockState::Bad | BlockState::Free);
            group.valid += if block.state() == BlockState::Bad { pages } else { block.valid };
            group.next_page += if is_there { block.next_page } else { pages };
            group.programmed += if is_there { block.programmed } else { pages };
            group.add_reads(block.reads());
            group.filled_seq = group.filled_seq.max(block.filled_seq);
            let at_work =
                matches!(block.state(), BlockState::Open | BlockState::Reclaiming | BlockState::Merging);
            group.set_state(match (group.state(), block.state()) {
                (state, BlockState::Bad) => state,
                (BlockState::Bad, state) => state,
                (_, state) if at_work => state,
                (BlockState::Free, state) => state,
                (state, _) => state,
            });
            if is_there {
                group.stream = block.stream;
            }
            // Blocks of a group have one mode, but for those whose erase is done.
            if is_there || block.is_fixed() {
                group.take_mode_of(block);
            }
        }
        group
    }

    /// Writes the groups of a pool into a table where each is one block, at the place of its head.
    pub(in crate::ftl) fn show_groups(&self, pool: PlaneId, table: &mut BlockTable) {
        table.set_filled(self.table.filled());
        for (head, group) in self.groups_of(pool) {
            table[head] = group;
        }
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
