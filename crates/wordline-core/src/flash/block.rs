//! Blocks: what each is doing, and how much of it is live.

use std::io;
use std::ops::{Index, IndexMut};

use serde::{Deserialize, Serialize};

use super::StreamId;
use crate::engine::{LoadError, Loader, Saver, SpreadTable, State};
use wordline_cells::geometry::{BlockId, Geometry, PlaneId};

/// What a block is doing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
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

/// One block, as the FTL sees it.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Block {
    /// Pages that hold live data.
    pub valid: u16,
    /// Next page to hand out.
    pub next_page: u16,
    /// Pages whose program is done; those between this and `next_page` are on their way.
    pub programmed: u16,
    /// Reads that have been asked for and are not done: an erase waits for them.
    pub reads: u32,
    /// What the block is doing.
    pub state: BlockState,
    /// The stream that fills it.
    pub stream: StreamId,
    /// Count of filled blocks when it became full: its age for FIFO and cost-benefit.
    pub filled_seq: u32,
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
    pub fn new(geometry: &Geometry) -> BlockTable {
        BlockTable {
            blocks: SpreadTable::zeroed(geometry.blocks() as usize),
            blocks_per_plane: geometry.blocks_per_plane,
            filled: 0,
        }
    }

    /// One block.
    #[inline]
    #[must_use]
    pub fn get(&self, block: BlockId) -> &Block {
        &self.blocks[block as usize]
    }

    /// Asks for a block's record, which is about to be needed.
    #[inline]
    pub fn prefetch(&self, block: BlockId) {
        self.blocks.prefetch(block as usize);
    }

    /// The blocks of a plane, with their numbers.
    pub fn of_plane(&self, plane: PlaneId) -> impl Iterator<Item = (BlockId, &Block)> {
        let (first, end) = (plane * self.blocks_per_plane, (plane + 1) * self.blocks_per_plane);
        (first..end).zip(self.blocks.range(first as usize..end as usize))
    }

    /// All blocks, in the order of their numbers.
    pub fn iter(&self) -> impl Iterator<Item = &Block> {
        self.blocks.iter()
    }

    /// The last page of a block was handed out.
    #[inline(never)]
    pub fn fill(&mut self, id: BlockId) {
        self.filled += 1;
        let block = &mut self.blocks[id as usize];
        block.state = BlockState::Full;
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
        &self.blocks[block as usize]
    }
}

impl IndexMut<BlockId> for BlockTable {
    #[inline]
    fn index_mut(&mut self, block: BlockId) -> &mut Block {
        &mut self.blocks[block as usize]
    }
}
