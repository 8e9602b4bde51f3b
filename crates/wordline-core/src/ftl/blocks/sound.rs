//! Whether the blocks of a state are possible: whoever sent it may have changed it.

use super::Blocks;
use crate::flash::{Block, BlockState};
use crate::nand::{BlockId, IdVec, PoolId, Pun};

impl Blocks {
    /// Whether all blocks, streams and pages that it names are there, and what is listed as free or open is that.
    pub(super) fn is_sound(&self) -> bool {
        let pools = self.geometry.planes() as usize;
        let is_such = |head: BlockId, pool: PoolId, fits: &dyn Fn(&Block) -> bool| {
            self.is_head(head)
                && self.pool_of_block(head) == pool
                && self.good_members(head).all(|id| fits(&self.table[id]))
        };
        let is_free = |block: &Block| block.state() == BlockState::Free;
        let is_open = |block: &Block| matches!(block.state(), BlockState::Open | BlockState::Full);
        let fixed = self.cache.as_ref().map(|cache| &cache.free);
        if self.free.len() != pools || fixed.is_some_and(|fixed| fixed.len() != pools) {
            return false;
        }
        let listed = || self.free.entries().chain(fixed.into_iter().flat_map(IdVec::entries));
        let mut heads: Vec<BlockId> = listed().flat_map(|(_, heads)| heads).copied().collect();
        heads.sort_unstable();
        heads.windows(2).all(|pair| pair[0] != pair[1])
            && listed().all(|(pool, heads)| heads.iter().all(|&head| is_such(head, pool, &is_free)))
            && heads.iter().map(|&head| self.good_members(head).count() as u64).sum::<u64>()
                == self.free_blocks
            && self.reserves.len() == pools
            && self.opened_by.len() == pools
            && self.filled_up.iter().all(|&frontier| self.frontiers.has(frontier))
            && self.opened_by.iter().flatten().all(|&stream| usize::from(stream) < self.modes.len())
            && self
                .frontiers
                .are_sound(pools, self.grouping.width(), |pool, head| is_such(head, pool, &is_open))
            && self.table.iter().all(|block| self.is_possible(block))
            && self.counts_live()
    }

    /// Whether a block says of itself what may be so.
    fn is_possible(&self, block: &Block) -> bool {
        let Block { valid, next_page, programmed, .. } = *block;
        let is_known =
            usize::from(block.stream) < self.modes.len() && block.mode().place() < self.pages_of_block.len();
        let is_empty = next_page == 0 && valid == 0;
        is_known
            && u32::from(next_page) <= self.pages_of(block)
            && programmed <= next_page
            && valid <= next_page
            && (is_empty || !matches!(block.state(), BlockState::Free | BlockState::Bad))
    }

    /// Whether these are all pages that were handed out and hold no data, in order.
    pub(in crate::ftl) fn are_to_come(&self, pages: &[Pun]) -> bool {
        let handed_out = self.geometry.all_blocks().flat_map(|id| {
            let (block, first) = (&self.table[id], self.geometry.first_page(id));
            (first + u32::from(block.programmed)).to(first + u32::from(block.next_page))
        });
        let (mut ahead, mut to_come) = (0, pages.iter());
        for page in handed_out {
            if self.ahead.get(page) {
                ahead += 1;
            } else if to_come.next() != Some(&page) {
                return false;
            }
        }
        to_come.next().is_none() && ahead == self.ahead_count && self.ahead.all_set().count() == ahead
    }
}
