//! Frontiers: what has an open group, which takes the next page. Every stream has one in every pool, where its data go. A seat is
//! a frontier beside these: an open group that a stream gives up is detached to a seat, with its turn, and takes what is sent to
//! it by name until it is full, is closed, or is attached to a stream again.

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
    /// Those of streams, of which those of a pool lie together, and then the seats.
    all: IdVec<FrontierId, Frontier>,
    /// The pool and the stream of each seat; none where it is free.
    seats: Vec<Option<(PoolId, StreamId)>>,
    streams: usize,
}

state! {
    Frontiers {
        values: all, seats;
        derived: streams;
    }
}

impl Frontiers {
    /// No group is open.
    pub fn new(planes: usize, streams: usize) -> Frontiers {
        Frontiers { all: IdVec::filled(planes * streams, Frontier::CLOSED), seats: Vec::new(), streams }
    }

    /// The frontier of a stream in a pool.
    #[inline(always)]
    pub fn at(&self, pool: PoolId, stream: StreamId) -> FrontierId {
        FrontierId::from_index(pool.index() * self.streams + usize::from(stream))
    }

    /// The pool and the stream of a frontier.
    ///
    /// # Panics
    /// It is a seat that is free: whoever has left it does not name it any more.
    pub fn of(&self, id: FrontierId) -> (PoolId, StreamId) {
        let (index, of_streams) = (id.index(), self.of_streams());
        if index < of_streams {
            return (PoolId::from_index(index / self.streams), StreamId::at(index % self.streams));
        }
        self.seats[index - of_streams].expect("the seat is taken")
    }

    /// Those of streams: as many there are.
    fn of_streams(&self) -> usize {
        self.all.len() - self.seats.len()
    }

    /// Takes a seat in a pool, for data of a stream. It is empty.
    pub fn take_seat(&mut self, pool: PoolId, stream: StreamId) -> FrontierId {
        let free = self.seats.iter().position(Option::is_none);
        let place = free.unwrap_or_else(|| {
            self.all.push(Frontier::CLOSED);
            self.seats.push(None);
            self.seats.len() - 1
        });
        self.seats[place] = Some((pool, stream));
        FrontierId::from_index(self.of_streams() + place)
    }

    /// Seats that are taken in a pool.
    pub fn seats_in(&self, pool: PoolId) -> usize {
        self.seats.iter().flatten().filter(|&&(of, _)| of == pool).count()
    }

    /// True but for a seat that is free.
    pub fn has(&self, id: FrontierId) -> bool {
        let seat = id.index().checked_sub(self.of_streams());
        seat.is_none_or(|seat| self.seats.get(seat).is_some_and(Option::is_some))
    }

    /// Leaves a seat, which has no open group.
    pub fn leave_seat(&mut self, id: FrontierId) {
        debug_assert!(!self[id].is_open());
        let place = id.index() - self.of_streams();
        self.seats[place] = None;
    }

    /// Whether there is one for each stream of so many pools, and the group of each `is_open` in its pool and no other's.
    pub fn are_sound(&self, pools: usize, width: u32, is_open: impl Fn(PoolId, BlockId) -> bool) -> bool {
        let pool_of = |id: FrontierId| match id.index().checked_sub(self.of_streams()) {
            Some(seat) => self.seats[seat].map(|(pool, _)| pool),
            None => Some(PoolId::from_index(id.index() / self.streams)),
        };
        let is_sound = |(id, frontier): (FrontierId, &Frontier)| {
            let is_there = |head| pool_of(id).is_some_and(|pool| is_open(pool, head));
            u32::from(frontier.turn) < width.max(1) && frontier.open().is_none_or(is_there)
        };
        let mut heads: Vec<BlockId> = self.all.iter().filter_map(Frontier::open).collect();
        heads.sort_unstable();
        let is_known =
            |&(pool, stream): &(PoolId, StreamId)| pool.index() < pools && usize::from(stream) < self.streams;
        self.all.len() == pools * self.streams + self.seats.len()
            && self.all.entries().all(is_sound)
            && heads.windows(2).all(|pair| pair[0] != pair[1])
            && self.seats.iter().flatten().all(is_known)
    }

    /// Those of a pool.
    pub fn of_pool(&self, pool: PoolId) -> impl Iterator<Item = &Frontier> {
        let first = pool.index() * self.streams;
        let (streams, seats) = self.all.split_at(self.of_streams());
        let is_here = move |seat: &Option<(PoolId, StreamId)>| seat.is_some_and(|(of, _)| of == pool);
        let seats = seats.iter().zip(&self.seats).filter(move |(_, seat)| is_here(seat));
        streams[first..first + self.streams].iter().chain(seats.map(|(frontier, _)| frontier))
    }

    /// A group takes no further page, whichever frontier it is at.
    pub fn close_group(&mut self, head: BlockId) {
        self.all.iter_mut().filter(|frontier| frontier.head == head).for_each(Frontier::close);
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
