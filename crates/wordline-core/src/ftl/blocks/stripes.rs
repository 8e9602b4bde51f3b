//! Stripes of superblocks (`ftl.parity`): the pages of one number in blocks whose turns follow each other. Of these blocks the
//! last one that is not bad holds parity, the XOR of the others' pages: each of its pages has its turn when the others have
//! been handed out. So parity is a running XOR, for which nothing is read, and a stripe is the smaller the more of its blocks
//! are bad. Where a single one is good, it holds data and has no parity.

use serde::{Deserialize, Serialize};

use super::{Blocks, Frontier};
use crate::flash::{Block, BlockState};
use crate::nand::{BlockId, FrontierId, PoolId, Pun, UnitAddress};

/// Stripes of a group that a loss of power has cut off: what their parity was to be is gone.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Torn {
    head: BlockId,
    /// Their units in a block, from and before.
    from: u32,
    to: u32,
}

impl Blocks {
    /// One page in so many of a stripe holds parity; no stripe has any where the number is 0.
    pub(in crate::ftl) fn protect(&mut self, pages_of_stripe: u32) {
        self.stripe = pages_of_stripe;
    }

    /// True where stripes have parity.
    #[inline(always)]
    pub(in crate::ftl) fn have_parity(&self) -> bool {
        self.stripe > 0
    }

    /// Blocks of a group that hold no data, where none is bad.
    pub(in crate::ftl) fn parity_blocks(&self) -> u32 {
        self.grouping.width().checked_div(self.stripe).unwrap_or(0)
    }

    /// The blocks of a stripe of a group, in their turns, but for bad ones.
    fn good_in_stripe(&self, head: BlockId, stripe: u32) -> impl DoubleEndedIterator<Item = BlockId> {
        let turns = stripe * self.stripe..(stripe + 1) * self.stripe;
        let members = turns.map(move |turn| self.grouping.in_turn(head, turn));
        members.filter(|&id| self.table[id].state() != BlockState::Bad)
    }

    /// A group is opened: says which of its blocks hold parity.
    pub(super) fn give_parity_its_blocks(&mut self, head: BlockId) {
        for stripe in 0..self.parity_blocks() {
            let mut good = self.good_in_stripe(head, stripe);
            let (last, other) = (good.next_back(), good.next_back());
            drop(good);
            if let (Some(last), Some(_)) = (last, other) {
                self.table[last].set_parity(true);
            }
        }
    }

    /// Hands out the next page of the open group of a frontier, by its first unit, if it is one of parity: all others of its
    /// stripe have been handed out.
    pub(in crate::ftl) fn take_parity(&mut self, frontier: FrontierId) -> Option<UnitAddress> {
        let head = self.frontiers[frontier].open()?;
        let id = loop {
            let id = self.in_this_turn(frontier);
            if self.table[id].state() != BlockState::Bad {
                break id;
            }
            self.frontiers[frontier].turn = self.turn_after(self.frontiers[frontier].turn, id, None);
        };
        let block = &mut self.table[id];
        if !block.is_parity() {
            return None;
        }
        let page = u32::from(block.next_page);
        let end = page + self.within_page + 1;
        block.next_page = end as u16;
        let is_full = block.next_page == self.pages_of_block[block.mode().place()];
        self.frontiers[frontier].turn = self.turn_after(self.frontiers[frontier].turn, id, Some(end));
        if is_full {
            self.table.fill(id);
            if self.good_members(head).all(|id| self.table[id].state() != BlockState::Open) {
                self.frontiers[frontier].close();
            }
        }
        Some(self.geometry.at(id, page))
    }

    /// True while the open group of a frontier is within a stripe, whose parity is to come.
    pub(in crate::ftl) fn is_within_stripe(&self, frontier: FrontierId) -> bool {
        let Frontier { head, turn } = self.frontiers[frontier];
        self.stripe > 0 && head != BlockId::NONE && !u32::from(turn).is_multiple_of(self.stripe)
    }

    /// The pages, by their first units, from which the page of a unit can be made again: the others of its stripe that have been
    /// handed out. The last one is of parity, or the controller still has the XOR. None where there is nothing of the kind.
    pub(in crate::ftl) fn rest_of_stripe(&self, unit: Pun) -> Option<Vec<UnitAddress>> {
        let UnitAddress { block, page, .. } = self.geometry.address(unit);
        let page = page & !self.within_page;
        let head = self.grouping.head_of(block);
        let is_torn = |torn: &Torn| torn.head == head && (torn.from..torn.to).contains(&page);
        if self.torn.iter().any(is_torn) {
            return None;
        }
        let stripe = self.grouping.turn_of(block) / self.stripe;
        if !self.good_in_stripe(head, stripe).any(|id| self.table[id].is_parity()) {
            return None;
        }
        let others = self.good_in_stripe(head, stripe).filter(|&id| id != block);
        let others = others.filter(|&id| page < u32::from(self.table[id].next_page));
        Some(others.map(|id| self.geometry.at(id, page)).collect())
    }

    /// Power is gone, and with it the XOR of stripes that are not whole; programs of others are cut off.
    pub(in crate::ftl) fn tear_stripes(&mut self) {
        if self.stripe == 0 {
            return;
        }
        for pool in self.pools() {
            for head in self.grouping.heads(pool) {
                let used = self.good_members(head).map(|id| &self.table[id]);
                let (from, to) = used.fold((u32::MAX, 0), |(from, to), block| {
                    (from.min(block.programmed.into()), to.max(block.next_page.into()))
                });
                if from < to {
                    self.torn.push(Torn { head, from: from & !self.within_page, to });
                }
            }
        }
    }

    /// A block of a group is erased: its stripes are no more.
    pub(super) fn forget_torn(&mut self, head: BlockId) {
        self.torn.retain(|torn| torn.head != head);
    }

    /// True where parity has not been handed out although its turn has come: the data of its stripe have, up to a unit. Its die may be
    /// another than that of the data, and share a program with the next stripe: then it waits until that program is filled.
    fn is_left_behind(&self, pool: PoolId, head: BlockId, parity: &Block, data: u16) -> bool {
        let (from, to) = (u32::from(parity.next_page), u32::from(data));
        let is_open = self.frontiers.of_pool(pool).any(|frontier| frontier.open() == Some(head));
        match &self.wordlines {
            Some(wordlines) if is_open => {
                (from + 1..to).any(|unit| self.is_between_programs(parity, unit, wordlines))
            }
            _ => from < to & !self.within_page,
        }
    }

    /// Checked mode: parity holds nothing of its own, and is handed out behind what it protects.
    pub(in crate::ftl) fn verify_parity(&self) -> Result<(), String> {
        for (pool, stripe) in self.pools().flat_map(|pool| (0..self.parity_blocks()).map(move |s| (pool, s)))
        {
            for head in self.grouping.heads(pool) {
                let good = || self.good_in_stripe(head, stripe).map(|id| &self.table[id]);
                let Some(parity) = good().find(|block| block.is_parity()) else { continue };
                if good().any(|block| block.state() == BlockState::Free) {
                    // A loss of power came while the group was erased.
                    continue;
                }
                if parity.valid != 0 {
                    return Err(format!(
                        "a block of parity in group {head} has {} valid pages",
                        parity.valid
                    ));
                }
                let data = good().filter(|block| !block.is_parity()).map(|block| block.next_page).min();
                let is_ahead = data.is_some_and(|data| parity.next_page > data);
                let is_behind = data.is_some_and(|data| self.is_left_behind(pool, head, parity, data));
                if is_ahead || is_behind {
                    return Err(format!(
                        "group {head} has parity up to {}, data up to {data:?}",
                        parity.next_page
                    ));
                }
            }
        }
        Ok(())
    }
}
