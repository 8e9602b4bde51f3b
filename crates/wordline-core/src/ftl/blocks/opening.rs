//! Pages are handed out: the next one of an open group, and the next group to open.

use super::frontier::Frontier;
use super::{Blocks, Use, pec_of};
use crate::flash::{BlockState, StreamId};
use crate::nand::{BlockId, FrontierId, Nand, PoolId, UnitAddress};

impl Blocks {
    /// True when [`Blocks::allocate`] would hand out a page of a pool to a stream.
    #[inline]
    #[must_use]
    pub fn has_room(&self, pool: PoolId, stream: StreamId) -> bool {
        if self.is_left_to_gc(pool) {
            return false;
        }
        if self.has_open(pool, stream) {
            return true;
        }
        if self.is_cache(stream) {
            return self.cache_has_group(pool);
        }
        self.free_count(pool) > self.reserves[pool]
    }

    /// The head of the group that a stream of a pool opens next for data of the host; none while it has an open
    /// one, or where that would leave fewer free ones than GC needs.
    #[must_use]
    pub fn next_to_open(&self, pool: PoolId, stream: StreamId) -> Option<BlockId> {
        let opens = !self.has_open(pool, stream) && self.has_room(pool, stream);
        if opens { self.free[pool].front().copied() } else { None }
    }

    /// Hands out the next page of the open group of a frontier, which is in a pool; opens a new group where the last is full,
    /// unless that would leave fewer free ones than is kept for others.
    #[inline(always)]
    pub(in crate::ftl) fn allocate(
        &mut self,
        pool: PoolId,
        frontier: FrontierId,
        what_for: Use,
    ) -> Option<UnitAddress> {
        if what_for == Use::Host && self.is_left_to_gc(pool) {
            return None;
        }
        if !self.frontiers[frontier].is_open() {
            self.take_free(pool, frontier, what_for)?;
        }
        let head = self.frontiers[frontier].head;
        let open = if self.grouping.joins() { self.in_turn(frontier) } else { head };
        let block = &mut self.table[open];
        let page = u32::from(block.next_page);
        let end = u32::from(self.pages_of_block[block.mode().place()]);
        block.next_page += 1;
        block.valid += 1;
        self.live.add(pool);
        let address = self.geometry.at(open, page);
        if page + 1 == end {
            self.table.fill(open);
            if !self.grouping.joins()
                || self.good_members(head).all(|id| self.table[id].state() != BlockState::Open)
            {
                self.frontiers[frontier].close();
                if self.notes_filled {
                    self.filled_up.push(frontier);
                }
            }
        }
        Some(address)
    }

    /// The block of an open group that takes the next page.
    #[inline(always)]
    fn in_turn(&mut self, frontier: FrontierId) -> BlockId {
        let id = self.in_this_turn(frontier);
        let block = &self.table[id];
        // The rest of a page goes to the same block.
        let is_within_page = (u32::from(block.next_page) + 1) & self.within_page != 0;
        if is_within_page && block.state() != BlockState::Bad { id } else { self.next_in_turn(frontier) }
    }

    /// The same where the turn may go on.
    #[inline(never)]
    fn next_in_turn(&mut self, frontier: FrontierId) -> BlockId {
        loop {
            let id = self.in_this_turn(frontier);
            let block = &self.table[id];
            let is_good = block.state() != BlockState::Bad;
            let end = u32::from(block.next_page) + 1;
            if !is_good || end & self.within_page == 0 {
                self.frontiers[frontier].turn =
                    self.turn_after(self.frontiers[frontier].turn, id, is_good.then_some(end));
            }
            if is_good {
                debug_assert!(!self.table[id].is_parity(), "parity is taken as soon as its turn has come");
                return id;
            }
        }
    }

    #[inline(never)]
    fn take_free(&mut self, pool: PoolId, frontier: FrontierId, what_for: Use) -> Option<()> {
        let (_, stream) = self.frontiers.of(frontier);
        let head = if self.is_cache(stream) {
            self.take_for_cache(pool)?
        } else {
            let reserve = if what_for == Use::Host { self.reserves[pool] } else { 0 };
            let free = &mut self.free[pool];
            if free.len() <= reserve {
                return None;
            }
            free.pop_front()?
        };
        if what_for == Use::Host {
            self.opened_by[pool] = Some(stream);
        }
        self.open_group(head, frontier);
        Some(())
    }

    fn open_group(&mut self, head: BlockId, frontier: FrontierId) {
        let (_, stream) = self.frontiers.of(frontier);
        let mode = self.modes[usize::from(stream)];
        self.frontiers[frontier] = Frontier { head, turn: 0 };
        for id in self.grouping.members(head) {
            let block = &mut self.table[id];
            if block.state() != BlockState::Bad {
                self.free_blocks -= 1;
                block.set_state(BlockState::Open);
                block.stream = stream;
                block.set_mode(mode);
            }
        }
        if self.stripe > 0 {
            self.give_parity_its_blocks(head);
        }
    }

    /// Gives a stream the most worn free group of its pool next (static wear levelling parks cold
    /// data there). Does nothing while the stream has an open group.
    pub fn open_most_worn(&mut self, pool: PoolId, stream: StreamId, nand: &Nand) {
        let is_open = self.has_open(pool, stream);
        let free = &mut self.free[pool];
        if is_open || free.len() <= 1 {
            return;
        }
        let (grouping, table) = (&self.grouping, &self.table);
        let pec = |head: BlockId| pec_of(head, grouping, table, nand);
        let most = free.iter().enumerate().max_by_key(|&(i, &head)| (pec(head), usize::MAX - i));
        let Some(head) = most.map(|(i, _)| i).and_then(|i| free.remove(i)) else { return };
        self.open_group(head, self.frontier(pool, stream));
    }
}
