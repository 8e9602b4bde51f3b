//! Blocks and their pools: which are free, and which are open for writes.

mod cache;
pub(super) mod frontier;
pub(super) mod group;
mod in_flight;
mod joined;
mod live;
mod opening;
mod programs;
mod reserves;
mod sound;
mod stripes;

pub(in crate::ftl) use joined::GroupOfBlocks;

use std::collections::VecDeque;

use crate::engine::{BitTable, state};
use crate::flash::{Block, BlockState, BlockTable, ModeId, StreamId, StreamTable};
use crate::nand::{BlockId, FrontierId, IdVec, Nand, PlaneId, PoolId, Pun, UnitGeometry};
use cache::CacheGroups;
use frontier::{Frontier, Frontiers};
use group::Grouping;
use live::Live;
use wordline_cells::PageNumbers;

/// Free blocks that pages for the host leave to GC in each plane.
const GC_RESERVE: usize = 1;

/// What a page is taken for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::ftl) enum Use {
    /// Data of the host, and of tables that follow from it. It leaves the plane's reserve of free blocks.
    Host,
    /// Live pages that move, so that a block becomes free. It may take the last free block.
    Reclaim,
}

/// All blocks, with the free groups of each pool and its open ones. Where groups are single blocks, a pool is a plane.
#[derive(Debug)]
pub struct Blocks {
    table: BlockTable,
    /// Heads of free groups, by pool, in the order in which they are opened.
    free: IdVec<PoolId, VecDeque<BlockId>>,
    /// Blocks of all of them: asked for at each interval of a run.
    free_blocks: u64,
    live: Live,
    /// Free groups that pages for the host leave, by pool.
    reserves: IdVec<PoolId, usize>,
    /// Those while no job is under way that may empty no group.
    reserve: usize,
    frontiers: Frontiers,
    /// Those of the SLC cache, where there is one.
    cache: Option<Box<CacheGroups>>,
    grouping: Grouping,
    /// Modes of the blocks of each stream.
    modes: Vec<ModeId>,
    /// Pages of a block, by mode.
    pages_of_block: Vec<u16>,
    geometry: UnitGeometry,
    dynamic_wear: bool,
    /// Programs of a block may end in any order.
    overtaking: bool,
    /// Pages that GC moves go behind the host's.
    shared: bool,
    /// Units of a page less one: they are handed out together.
    within_page: u32,
    /// Where all pages of a wordline are programmed at once: the pages of a block by their wordlines, by mode.
    wordlines: Option<Vec<PageNumbers>>,
    /// Pages that hold data although programs of earlier pages of their blocks are on their way.
    ahead: BitTable<Pun>,
    ahead_count: usize,
    /// Pages of a stripe, one of which holds the XOR of the others; 0 where none does.
    stripe: u32,
    /// Pages of groups whose stripes have no parity.
    torn: Vec<stripes::Torn>,
    /// Units of full blocks that were never handed out.
    left_units: u64,
    /// The stream of the host that opened a group last, by pool.
    opened_by: IdVec<PoolId, Option<StreamId>>,
    /// Frontiers whose group was filled up since this was asked for last, where somebody asks.
    filled_up: Vec<FrontierId>,
    notes_filled: bool,
    /// Power was lost once: blocks go on behind pages whose programs were cut off, and what moves behind pages of the host.
    lost_power: bool,
}

state! {
    Blocks {
        parts: table, live, ahead, cache, frontiers;
        values: free, free_blocks, reserves, ahead_count, torn, left_units, opened_by, filled_up, lost_power;
        derived: grouping, reserve, modes, pages_of_block, geometry, dynamic_wear, overtaking, shared, within_page,
            wordlines, stripe, notes_filled;
        checked: is_sound;
    }
}

impl Blocks {
    /// All blocks free, but for those that `is_bad` from the factory. A block has so many pages, by its mode.
    #[must_use]
    pub(in crate::ftl) fn new(
        geometry: &UnitGeometry,
        grouping: Grouping,
        streams: &StreamTable,
        pages_of_block: Vec<u16>,
        dynamic_wear: bool,
        is_bad: impl Fn(BlockId) -> bool,
    ) -> Blocks {
        let mut table = BlockTable::new(geometry);
        let mut bad = 0;
        for block in geometry.all_blocks().filter(|&block| is_bad(block)) {
            table[block].set_state(BlockState::Bad);
            bad += 1;
        }
        // Without bad blocks the table is not looked at: the operating system has yet to allocate it.
        let has_any = |&head: &BlockId| {
            bad == 0 || grouping.members(head).any(|block| table[block].state() != BlockState::Bad)
        };
        let mut free = IdVec::filled(geometry.planes() as usize, VecDeque::new());
        for pool in grouping.pools() {
            free[pool] = grouping.heads(pool).filter(has_any).collect();
        }
        let pool_units = geometry.pages() / grouping.pools().count() as u64;
        Blocks {
            table,
            free,
            free_blocks: u64::from(geometry.blocks() - bad),
            live: Live::new(geometry.planes() as usize, grouping.pools().count(), pool_units),
            reserves: IdVec::filled(geometry.planes() as usize, GC_RESERVE),
            reserve: GC_RESERVE,
            frontiers: Frontiers::new(geometry.planes() as usize, streams.len()),
            cache: None,
            grouping,
            modes: streams.ids().map(|id| streams.get(id).mode).collect(),
            pages_of_block,
            geometry: *geometry,
            dynamic_wear,
            overtaking: false,
            shared: false,
            within_page: 0,
            wordlines: None,
            ahead: BitTable::zeroed(geometry.pages() as usize),
            ahead_count: 0,
            stripe: 0,
            torn: Vec::new(),
            left_units: 0,
            opened_by: IdVec::filled(geometry.planes() as usize, None),
            filled_up: Vec::new(),
            notes_filled: false,
            lost_power: false,
        }
    }

    /// True for the head of a group that there is.
    pub(in crate::ftl) fn is_head(&self, head: BlockId) -> bool {
        head.index() < self.geometry.blocks() as usize && self.grouping.head_of(head) == head
    }

    /// Number of modes of blocks.
    pub(in crate::ftl) fn modes(&self) -> usize {
        self.pages_of_block.len()
    }

    /// Notes which groups are filled up.
    pub fn note_filled(&mut self) {
        self.notes_filled = true;
    }

    /// Frontiers whose group was filled up since the last call.
    #[inline]
    pub(in crate::ftl) fn take_filled_up(&mut self) -> Vec<FrontierId> {
        std::mem::take(&mut self.filled_up)
    }

    /// Lets programs of a block end in any order.
    pub fn let_overtake(&mut self) {
        self.overtaking = true;
    }

    /// Lets live pages that move go behind the host's.
    pub fn share_frontier(&mut self) {
        self.shared = true;
    }

    /// Pages have so many units, which are handed out together.
    pub fn pack_units(&mut self, units_per_page: u32) {
        self.within_page = units_per_page - 1;
    }

    /// Pages of a block, in its mode.
    #[inline]
    pub(in crate::ftl) fn pages_of(&self, block: &Block) -> u32 {
        self.pages_of_block[block.mode().place()].into()
    }

    /// The pool and the stream of a frontier.
    pub(in crate::ftl) fn of_frontier(&self, id: FrontierId) -> (PoolId, StreamId) {
        self.frontiers.of(id)
    }

    /// The pool of a plane.
    #[inline]
    pub(in crate::ftl) fn pool_of(&self, plane: PlaneId) -> PoolId {
        self.grouping.pool_of(plane)
    }

    /// The pool of a block.
    #[inline]
    pub(in crate::ftl) fn pool_of_block(&self, block: BlockId) -> PoolId {
        self.pool_of(self.geometry.plane_of(block))
    }

    /// All pools.
    pub(in crate::ftl) fn pools(&self) -> impl Iterator<Item = PoolId> + use<> {
        self.grouping.pools()
    }

    /// All blocks, to look at.
    #[must_use]
    pub fn table(&self) -> &BlockTable {
        &self.table
    }

    /// One block.
    #[inline]
    #[must_use]
    pub fn get(&self, block: BlockId) -> &Block {
        &self.table[block]
    }

    /// One block, to change.
    #[inline]
    pub fn get_mut(&mut self, block: BlockId) -> &mut Block {
        &mut self.table[block]
    }

    /// Asks for a block's record, which is about to be needed.
    #[inline]
    pub fn prefetch(&self, block: BlockId) {
        self.table.prefetch(block);
    }

    /// The blocks of a plane, with their numbers.
    pub fn of_plane(&self, plane: PlaneId) -> impl Iterator<Item = (BlockId, &Block)> {
        self.table.of_plane(plane)
    }

    /// The grouping of blocks.
    pub(in crate::ftl) fn grouping(&self) -> Grouping {
        self.grouping
    }

    /// The blocks of the free groups of a pool.
    pub(in crate::ftl) fn free_of(&self, pool: PoolId) -> impl Iterator<Item = BlockId> {
        let heads = self.free[pool].iter();
        let fixed = self.cache.iter().flat_map(move |cache| &cache.free[pool]);
        heads.chain(fixed).flat_map(|&head| self.good_members(head))
    }

    /// The blocks of the open groups of a pool; those of one that is about to be closed are full already.
    pub(in crate::ftl) fn open_of(&self, pool: PoolId) -> impl Iterator<Item = BlockId> {
        let heads = self.frontiers.of_pool(pool).filter_map(Frontier::open);
        let blocks = heads.flat_map(|head| self.good_members(head));
        blocks.filter(|&block| self.table[block].state() != BlockState::Full)
    }

    /// True while a stream of a pool has an open group.
    #[inline]
    pub(in crate::ftl) fn has_open(&self, pool: PoolId, stream: StreamId) -> bool {
        self.frontiers[self.frontier(pool, stream)].is_open()
    }

    /// The open group of a frontier.
    #[inline]
    pub(in crate::ftl) fn open_group_of(&self, frontier: FrontierId) -> Option<BlockId> {
        self.frontiers[frontier].open()
    }

    /// The same, and the pages that it has handed out.
    pub(in crate::ftl) fn taken_of(&self, frontier: FrontierId) -> Option<(BlockId, u32)> {
        let head = self.open_group_of(frontier)?;
        Some((head, self.good_members(head).map(|id| u32::from(self.table[id].next_page)).sum()))
    }

    /// Pages that the open group of a frontier has yet to hand out.
    pub(in crate::ftl) fn left_in_open(&self, frontier: FrontierId) -> u32 {
        let left = |block: &Block| self.pages_of(block) - u32::from(block.next_page);
        let open = self.frontiers[frontier].open();
        let blocks = open.into_iter().flat_map(|head| self.good_members(head)).map(|id| &self.table[id]);
        blocks.filter(|block| !block.is_parity()).map(left).sum()
    }

    /// Closes the open groups of a pool that hold nothing, and returns the first of them.
    pub(in crate::ftl) fn close_empty(&mut self, pool: PoolId) -> Option<BlockId> {
        let heads = self.frontiers.of_pool(pool).filter_map(Frontier::open);
        let empty = |&head: &BlockId| {
            let mut blocks = self.good_members(head).map(|id| &self.table[id]);
            blocks.all(|block| block.valid == 0 && block.programmed == block.next_page)
        };
        let heads: Vec<_> = heads.filter(empty).collect();
        heads.iter().for_each(|&head| self.close_group(head));
        heads.first().copied()
    }

    /// Units that a group has handed out and whose programs are not done.
    pub(in crate::ftl) fn unprogrammed_of(&self, head: BlockId) -> u32 {
        let of_block = |id| u32::from(self.table[id].next_page - self.table[id].programmed);
        self.good_members(head).map(of_block).sum()
    }

    /// False for a seat that nobody has.
    pub(in crate::ftl) fn is_frontier(&self, id: FrontierId) -> bool {
        self.frontiers.has(id)
    }

    /// Takes a seat in a pool for data of a stream: a frontier that has no open group yet, and gets what is sent to it by name.
    pub(in crate::ftl) fn take_seat(&mut self, pool: PoolId, stream: StreamId) -> FrontierId {
        self.frontiers.take_seat(pool, stream)
    }

    /// True where a pool can have one more group open for the host, besides those of its streams and seats: each of these may
    /// open another when it is full, and GC keeps its own.
    pub(in crate::ftl) fn has_room_for_seat(&self, pool: PoolId) -> bool {
        self.free_count(pool) > self.reserves[pool] + 2 * (1 + self.frontiers.seats_in(pool))
    }

    /// Leaves a seat that has no open group.
    pub(in crate::ftl) fn leave_seat(&mut self, seat: FrontierId) {
        self.frontiers.leave_seat(seat);
    }

    /// The open group of a frontier, with its turn, goes to another one of the same pool that has none.
    pub(in crate::ftl) fn move_group(&mut self, from: FrontierId, to: FrontierId) {
        debug_assert!(!self.frontiers[to].is_open() && self.of_frontier(from).0 == self.of_frontier(to).0);
        self.frontiers[to] = self.frontiers[from];
        self.frontiers[from].close();
    }

    /// The open group of a frontier takes no further page: the rest of it is lost until its erase.
    pub(in crate::ftl) fn leave_rest(&mut self, frontier: FrontierId) {
        let Some(head) = self.frontiers[frontier].open() else { return };
        self.frontiers[frontier].close();
        for id in self.grouping.members(head) {
            let block = &self.table[id];
            if block.state() == BlockState::Open {
                self.left_units += u64::from(self.pages_of(block)) - u64::from(block.next_page);
                self.table.fill(id);
            }
        }
    }

    /// The stream of the host that opened a group of a pool last: GC is at work for it.
    pub(in crate::ftl) fn opened_by(&self, pool: PoolId) -> Option<StreamId> {
        self.opened_by[pool]
    }

    /// Units of full blocks that were never handed out.
    pub(in crate::ftl) fn left_units(&self) -> u64 {
        self.left_units
    }

    /// The frontier of a stream in a pool.
    #[inline(always)]
    pub(in crate::ftl) fn frontier(&self, pool: PoolId, stream: StreamId) -> FrontierId {
        self.frontiers.at(pool, stream)
    }

    /// Number of free groups of a pool.
    #[inline]
    #[must_use]
    pub fn free_count(&self, pool: PoolId) -> usize {
        self.free[pool].len()
    }

    /// A page lost its data to a newer copy.
    #[inline]
    pub fn invalidate(&mut self, pun: Pun) {
        let id = self.geometry.block_of(pun);
        let block = &mut self.table[id];
        debug_assert!(block.valid > 0);
        block.valid -= 1;
        self.live.subtract(self.pool_of_block(id), 1);
    }

    /// A block was erased: back to the pool, or out of use.
    pub fn erased(&mut self, id: BlockId, bad: bool, nand: &Nand) {
        let block = &mut self.table[id];
        debug_assert_eq!(
            (block.valid, block.reads()),
            (0, 0),
            "an erased block holds nothing and nobody reads it"
        );
        if self.left_units > 0 {
            self.left_units -= u64::from(self.pages_of_block[block.mode().place()] - block.next_page);
        }
        block.next_page = 0;
        block.programmed = 0;
        let (is_fixed, was_cached) = (block.is_fixed(), !block.mode().is_native());
        if !is_fixed {
            block.set_mode(ModeId::NATIVE);
        }
        block.set_parity(false);
        if bad {
            block.set_state(BlockState::Bad);
        } else {
            block.set_state(BlockState::Free);
        }
        let head = self.grouping.head_of(id);
        if !self.torn.is_empty() {
            self.forget_torn(head);
        }
        let state = self.group(head).state;
        if was_cached && matches!(state, BlockState::Free | BlockState::Bad) {
            self.left_cache(head, is_fixed, state == BlockState::Bad);
        }
        if state == BlockState::Free {
            self.group_erased(head, nand);
        }
    }

    /// All blocks of a group are erased: back to the pool.
    #[inline]
    fn group_erased(&mut self, head: BlockId, nand: &Nand) {
        let pool = self.pool_of_block(head);
        let is_fixed = self.good_members(head).any(|id| self.table[id].is_fixed());
        let pool = match &mut self.cache {
            Some(cache) if is_fixed => &mut cache.free[pool],
            _ => &mut self.free[pool],
        };
        // Dynamic wear levelling opens the least worn free group, the longest free among equals.
        let (grouping, table) = (&self.grouping, &self.table);
        let pec = |head: BlockId| pec_of(head, grouping, table, nand);
        let place = match self.dynamic_wear {
            true => pool.partition_point(|&other| pec(other) <= pec(head)),
            false => pool.len(),
        };
        pool.insert(place, head);
        self.free_blocks += self.good_members(head).count() as u64;
    }

    /// A block takes no further pages: programs of some of its pages, or of others of its group, were cut off.
    pub(in crate::ftl) fn close(&mut self, id: BlockId) {
        self.frontiers.close_group(self.grouping.head_of(id));
        let block = &mut self.table[id];
        let end = self.pages_of_block[block.mode().place()];
        if block.state() == BlockState::Full {
            self.left_units -= u64::from(end - block.next_page);
        }
        block.next_page = end;
        if block.state() == BlockState::Open {
            self.table.fill(id);
        }
    }

    /// A group takes no further pages; all that it has handed out are programmed.
    fn close_group(&mut self, head: BlockId) {
        for id in self.grouping.members(head) {
            if self.table[id].state() == BlockState::Open {
                self.close(id);
                self.give_up_until(id, self.table[id].next_page);
            }
        }
    }

    /// Count of blocks filled so far: the clock of block ages.
    #[must_use]
    pub fn filled(&self) -> u32 {
        self.table.filled()
    }

    /// Blocks of the SSD that are neither free nor bad.
    #[must_use]
    pub fn in_use(&self) -> usize {
        self.table.iter().filter(|b| !matches!(b.state(), BlockState::Free | BlockState::Bad)).count()
    }

    /// Blocks of the SSD that hold no data and may take some.
    #[must_use]
    pub fn free(&self) -> u64 {
        self.free_blocks
    }

    /// Blocks of the SSD whose wordlines are being merged.
    #[must_use]
    pub fn merging(&self) -> usize {
        self.table.iter().filter(|b| b.state() == BlockState::Merging).count()
    }
}

/// P/E cycles of a group: of its first block that is not bad, since all are erased together.
#[inline]
fn pec_of(head: BlockId, grouping: &Grouping, table: &BlockTable, nand: &Nand) -> u32 {
    let mut blocks = grouping.members(head).filter(|&id| table[id].state() != BlockState::Bad);
    nand.health(blocks.next().unwrap_or(head)).pec
}

#[cfg(test)]
mod tests;
