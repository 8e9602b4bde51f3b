//! Blocks: what each is doing, and how much of it is live.

use std::io;
use std::ops::{Index, IndexMut};

use serde::{Deserialize, Serialize};

use super::{ModeId, StreamId};
use crate::engine::{LoadError, Loader, Saver, SpreadTable, State};
use wordline_cells::geometry::{BlockId, PlaneId, Shape};

/// What a block is doing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[repr(u8)]
pub enum BlockState {
    /// Erased, in its plane's pool.
    #[default]
    Free,
    /// Being written, page by page.
    Open,
    /// Written to the end.
    Full,
    /// Its live pages are being moved away.
    Reclaiming,
    /// Wordlines of it are being merged; the controller has a copy of each live page (IDA).
    Merging,
    /// Never to be used again.
    Bad,
}

/// One block, as the FTL sees it, in 16 bytes: four to a line of the processor's cache.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Block {
    /// Pages that hold live data.
    pub valid: u16,
    /// Next page to hand out.
    pub next_page: u16,
    /// Pages whose program is done; those between this and `next_page` are on their way.
    pub programmed: u16,
    /// The stream that fills it.
    pub stream: StreamId,
    /// Reads under way, above them its mode, whether it stays in that, whether it holds parity, and then what it is doing.
    activity: u32,
    /// Count of filled blocks when it became full: its age for FIFO and cost-benefit.
    pub filled_seq: u32,
}

/// Bits for the reads of a block that are under way: no memory holds so many transactions.
const READS_BITS: u32 = 25;
const READS: u32 = (1 << READS_BITS) - 1;
/// Where what the block is doing begins.
const STATE_AT: u32 = READS_BITS + ModeId::BITS + 2;
/// The block stays in its mode.
const FIXED: u32 = 1 << (READS_BITS + ModeId::BITS);
/// Its pages are the XOR of others.
const PARITY: u32 = FIXED << 1;

impl Block {
    /// A block without data that does this.
    #[must_use]
    pub fn that_is(state: BlockState) -> Block {
        Block { activity: (state as u32) << STATE_AT, ..Block::default() }
    }

    /// What the block is doing.
    #[inline(always)]
    #[must_use]
    pub fn state(&self) -> BlockState {
        match self.activity >> STATE_AT {
            0 => BlockState::Free,
            1 => BlockState::Open,
            2 => BlockState::Full,
            3 => BlockState::Reclaiming,
            4 => BlockState::Merging,
            _ => BlockState::Bad,
        }
    }

    /// The block does something else.
    #[inline]
    pub fn set_state(&mut self, state: BlockState) {
        self.activity = (state as u32) << STATE_AT | self.activity & ((1 << STATE_AT) - 1);
    }

    /// How its cells store bits.
    #[inline(always)]
    #[must_use]
    pub fn mode(&self) -> ModeId {
        ModeId::from_bits(self.activity >> READS_BITS & ((1 << ModeId::BITS) - 1))
    }

    /// It is always in its mode, which is not the chip's own.
    #[inline(always)]
    #[must_use]
    pub fn is_fixed(&self) -> bool {
        self.activity & FIXED != 0
    }

    /// It is in this mode from now on.
    pub fn fix_mode(&mut self, mode: ModeId) {
        self.set_mode(mode);
        self.activity |= FIXED;
    }

    /// Its pages are the XOR of those of other blocks of its group: it holds nothing of its own.
    #[inline(always)]
    #[must_use]
    pub fn is_parity(&self) -> bool {
        self.activity & PARITY != 0
    }

    /// Whether it is so from now on.
    #[inline]
    pub fn set_parity(&mut self, is_parity: bool) {
        self.activity = self.activity & !PARITY | if is_parity { PARITY } else { 0 };
    }

    /// Its cells store bits in another way.
    #[inline]
    pub fn set_mode(&mut self, mode: ModeId) {
        let others = self.activity & !(((1 << ModeId::BITS) - 1) << READS_BITS);
        self.activity = others | (mode.place() as u32) << READS_BITS;
    }

    /// Reads that have been asked for and are not done: an erase waits for them.
    #[inline(always)]
    #[must_use]
    pub fn reads(&self) -> u32 {
        self.activity & READS
    }

    /// So many more reads are asked for.
    #[inline(always)]
    pub fn add_reads(&mut self, count: u32) {
        debug_assert!(self.reads() + count <= READS);
        self.activity += count;
    }

    /// A read is done.
    #[inline(always)]
    pub fn end_read(&mut self) {
        self.end_reads(1);
    }

    /// So many reads are done.
    #[inline(always)]
    pub fn end_reads(&mut self, count: u32) {
        debug_assert!(self.reads() >= count);
        self.activity -= count;
    }

    /// Becomes the sum of two blocks that do the same in the same mode, filled when the later one was. False, and no sum, where
    /// they do not.
    #[inline]
    pub fn add(&mut self, other: &Block) -> bool {
        if (self.activity ^ other.activity) & !READS != 0 {
            return false;
        }
        self.valid += other.valid;
        self.next_page += other.next_page;
        self.programmed += other.programmed;
        self.filled_seq = self.filled_seq.max(other.filled_seq);
        self.stream = other.stream;
        self.add_reads(other.reads());
        true
    }

    /// Power is gone, and all reads with it.
    pub fn forget_reads(&mut self) {
        self.activity &= !READS;
    }
}

/// All blocks of the SSD.
#[derive(Debug)]
pub struct BlockTable {
    blocks: SpreadTable<Block>,
    blocks_per_plane: u32,
    filled: u32,
}

impl State for BlockTable {
    fn save(&self, to: &mut Saver<'_>) -> io::Result<()> {
        to.value(&self.filled)?;
        to.value(&self.blocks.iter().collect::<Vec<_>>())
    }

    fn load(&mut self, from: &mut Loader<'_>) -> Result<(), LoadError> {
        self.filled = from.value()?;
        let blocks: Vec<Block> = from.value()?;
        if blocks.len() != self.blocks.iter().count() {
            return Err(LoadError::Damaged);
        }
        for (place, block) in blocks.into_iter().enumerate() {
            self.blocks[place] = block;
        }
        Ok(())
    }
}

impl BlockTable {
    /// All blocks free.
    #[must_use]
    pub fn new(shape: &Shape) -> BlockTable {
        BlockTable {
            blocks: SpreadTable::of_defaults(shape.blocks() as usize),
            blocks_per_plane: shape.blocks_per_plane,
            filled: 0,
        }
    }

    /// One block.
    #[inline]
    #[must_use]
    pub fn get(&self, block: BlockId) -> &Block {
        &self.blocks[block.index()]
    }

    /// Asks for a block's record, which is about to be needed.
    #[inline]
    pub fn prefetch(&self, block: BlockId) {
        self.blocks.prefetch(block.index());
    }

    /// The blocks of a plane, with their numbers.
    pub fn of_plane(&self, plane: PlaneId) -> impl Iterator<Item = (BlockId, &Block)> {
        let first = BlockId::new(plane.number() * self.blocks_per_plane);
        let end = first + self.blocks_per_plane;
        first.to(end).zip(self.blocks.range(first.index()..end.index()))
    }

    /// All blocks, in the order of their numbers.
    pub fn iter(&self) -> impl Iterator<Item = &Block> {
        self.blocks.iter()
    }

    /// The last page of a block was handed out.
    #[inline(never)]
    pub fn fill(&mut self, id: BlockId) {
        self.filled += 1;
        let block = &mut self.blocks[id.index()];
        block.set_state(BlockState::Full);
        block.filled_seq = self.filled;
    }

    /// Sets that count, in a table that shows what another one says.
    pub fn set_filled(&mut self, filled: u32) {
        self.filled = filled;
    }

    /// Count of blocks filled so far: the clock of block ages.
    #[must_use]
    pub fn filled(&self) -> u32 {
        self.filled
    }
}

impl Index<BlockId> for BlockTable {
    type Output = Block;

    #[inline]
    fn index(&self, block: BlockId) -> &Block {
        &self.blocks[block.index()]
    }
}

impl IndexMut<BlockId> for BlockTable {
    #[inline]
    fn index_mut(&mut self, block: BlockId) -> &mut Block {
        &mut self.blocks[block.index()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_keeps_its_reads_its_mode_and_what_it_is_doing_apart() {
        assert_eq!(size_of::<Block>(), 16, "docs count on it");
        use BlockState::{Bad, Free, Full, Merging, Open, Reclaiming};
        for state in [Free, Open, Full, Reclaiming, Merging, Bad] {
            for mode in (0..1 << ModeId::BITS).map(ModeId::from_bits) {
                let mut block = Block::that_is(state);
                assert!(block.mode().is_native());
                block.set_mode(mode);
                block.add_reads(READS);
                assert_eq!((block.state(), block.mode(), block.reads()), (state, mode, READS));
                block.end_read();
                block.set_state(Open);
                assert_eq!((block.state(), block.mode(), block.reads()), (Open, mode, READS - 1));
                assert!(!block.is_fixed());
                block.set_state(state);
                block.set_mode(ModeId::NATIVE);
                block.fix_mode(mode);
                assert!(block.is_fixed() && !block.is_parity());
                block.set_parity(true);
                assert!(block.is_fixed() && block.is_parity());
                block.forget_reads();
                assert_eq!((block.state(), block.mode(), block.reads()), (state, mode, 0));
                block.set_parity(false);
                assert!(block.is_fixed() && !block.is_parity());
            }
        }
        assert_eq!(Block::default().state(), Free);
    }
}
