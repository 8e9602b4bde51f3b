//! Frontiers: where the data of a stream go in a pool. Every stream has one in every pool; while it has an open group, that
//! group takes the next page.

use std::ops::{Index, IndexMut};

use serde::{Deserialize, Serialize};

use crate::engine::state;
use crate::flash::StreamId;
use crate::nand::{BlockId, FrontierId, IdVec, PoolId};

/// One frontier.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(in crate::ftl) struct Frontier {
    /// The head of the open group; [`BlockId::NONE`] while there is none.
    pub head: BlockId,
    /// Which of its blocks takes the next page, by its turn.
    pub turn: u16,
}

impl Frontier {
    const CLOSED: Frontier = Frontier { head: BlockId::NONE, turn: 0 };

    /// It has an open group.
    #[inline]
    pub fn is_open(&self) -> bool {
        self.head != BlockId::NONE
    }

    /// The head of the open group, if there is one.
    #[inline]
    pub fn open(&self) -> Option<BlockId> {
        self.is_open().then_some(self.head)
    }

    /// Its group takes no further page.
    #[inline]
    pub fn close(&mut self) {
        self.head = BlockId::NONE;
    }
}

/// All frontiers.
#[derive(Debug)]
pub(in crate::ftl) struct Frontiers {
    /// Those of a pool lie together.
    all: IdVec<FrontierId, Frontier>,
    streams: usize,
}

state! {
    Frontiers {
        values: all;
        derived: streams;
    }
}

impl Frontiers {
    /// No group is open.
    pub fn new(planes: usize, streams: usize) -> Frontiers {
        Frontiers { all: IdVec::filled(planes * streams, Frontier::CLOSED), streams }
    }

    /// The frontier of a stream in a pool.
    #[inline(always)]
    pub fn at(&self, pool: PoolId, stream: StreamId) -> FrontierId {
        FrontierId::from_index(pool.index() * self.streams + usize::from(stream))
    }

    /// The pool and the stream of a frontier.
    pub fn of(&self, id: FrontierId) -> (PoolId, StreamId) {
        let index = id.index();
        (PoolId::from_index(index / self.streams), StreamId::at(index % self.streams))
    }

    /// Whether there is one for each stream of so many pools, and their groups are there.
    pub fn are_sound(&self, pools: usize, width: u32, is_block: impl Fn(BlockId) -> bool) -> bool {
        let is_sound = |frontier: &Frontier| {
            u32::from(frontier.turn) < width.max(1) && frontier.open().is_none_or(&is_block)
        };
        self.all.len() == pools * self.streams && self.all.iter().all(is_sound)
    }

    /// Those of a pool.
    pub fn of_pool(&self, pool: PoolId) -> &[Frontier] {
        &self.all.split_at(pool.index() * self.streams).1[..self.streams]
    }

    /// Those of a pool, to change.
    pub fn of_pool_mut(&mut self, pool: PoolId) -> &mut [Frontier] {
        &mut self.all.split_at_mut(pool.index() * self.streams).1[..self.streams]
    }
}

impl Index<FrontierId> for Frontiers {
    type Output = Frontier;
    #[inline(always)]
    fn index(&self, id: FrontierId) -> &Frontier {
        &self.all[id]
    }
}

impl IndexMut<FrontierId> for Frontiers {
    #[inline(always)]
    fn index_mut(&mut self, id: FrontierId) -> &mut Frontier {
        &mut self.all[id]
    }
}
