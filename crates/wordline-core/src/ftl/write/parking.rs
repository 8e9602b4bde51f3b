//! Pages that are complete in the controller, and wait for room.

use std::collections::{BTreeMap, VecDeque};

use super::put::Placing;
use crate::engine::state;
use crate::flash::Owner;
use crate::nand::{IdVec, Lpn, PoolId, Pun};

/// Writes that wait for a pool to have a free group.
#[derive(Debug)]
pub(in crate::ftl) struct Parking {
    /// By pool, or one for all where a write may go to any pool.
    queues: IdVec<PoolId, VecDeque<Placing>>,
    count: usize,
    is_shared: bool,
    /// Where pages were whose programs a loss of power cut off, until these are done again.
    pub cut_off: BTreeMap<Lpn, Pun>,
}

/// Where a write waits: the queue, and the place in it.
#[derive(Clone, Copy, Debug)]
pub(in crate::ftl) struct WaitsAt(PoolId, usize);

state! {
    Parking {
        values: queues, count, cut_off;
        derived: is_shared;
    }
}

impl Parking {
    /// Nothing waits. The queue `is_shared` where a write may go to any pool.
    pub fn new(planes: usize, is_shared: bool) -> Parking {
        Parking {
            queues: IdVec::filled(planes, VecDeque::new()),
            count: 0,
            is_shared,
            cut_off: BTreeMap::new(),
        }
    }

    #[inline]
    fn queue_of(&self, pool: PoolId) -> PoolId {
        if self.is_shared { PoolId::new(0) } else { pool }
    }

    /// True while writes for a pool wait for room: no other may pass them.
    #[inline(always)]
    pub fn holds_for(&self, pool: PoolId) -> bool {
        self.count > 0 && !self.queues[self.queue_of(pool)].is_empty()
    }

    /// A write waits for room in a pool.
    #[inline(never)]
    pub fn push(&mut self, write: Placing) {
        let queue = self.queue_of(write.pool);
        self.queues[queue].push_back(write);
        self.count += 1;
    }

    /// True while writes wait for any pool.
    #[inline]
    pub fn holds_for_any(&self) -> bool {
        self.count > 0
    }

    /// The first write that waits for a pool, and where it waits.
    #[inline]
    pub fn head(&self, pool: PoolId) -> Option<(Placing, WaitsAt)> {
        let queue = self.queue_of(pool);
        self.queues[queue].front().map(|&write| (write, WaitsAt(queue, 0)))
    }

    /// The first write that waits for one of the next pools, and `may_go` elsewhere.
    pub fn head_elsewhere(
        &self,
        pool: PoolId,
        may_go: impl Fn(&Placing) -> bool,
    ) -> Option<(Placing, WaitsAt)> {
        if self.count == 0 {
            return None;
        }
        let of = pool.index();
        let mut others = (of + 1..self.queues.len()).chain(0..of).map(PoolId::from_index);
        others.find_map(|id| self.head(id).filter(|(write, _)| may_go(write)))
    }

    /// The pages of the first two writes that wait for a pool.
    #[inline]
    pub fn first_two(&self, pool: PoolId) -> [Option<Lpn>; 2] {
        let queue = &self.queues[self.queue_of(pool)];
        [0, 1].map(|place| queue.get(place).map(|write| write.lpn))
    }

    /// The first write `is_such` of a pool, or else of the next ones, and where it waits. Of two writes of a page in one queue the
    /// later stays behind the earlier.
    pub fn first_such(&self, pool: PoolId, is_such: impl Fn(&Placing) -> bool) -> Option<(Placing, WaitsAt)> {
        let of = self.queue_of(pool).index();
        let queues = (of..self.queues.len()).chain(0..of).map(PoolId::from_index);
        queues.filter(|_| self.count > 0).find_map(|id| {
            let queue = &self.queues[id];
            let place = queue.iter().position(&is_such)?;
            let write = queue[place];
            let is_first = queue.range(..place).all(|before| before.lpn != write.lpn);
            is_first.then_some((write, WaitsAt(id, place)))
        })
    }

    /// Removes a write that has got its place.
    pub fn remove(&mut self, WaitsAt(queue, place): WaitsAt) {
        self.queues[queue].remove(place);
        self.count -= 1;
    }

    /// True while a write `is_such` waits.
    pub fn waits(&self, is_such: impl Fn(&Placing) -> bool) -> bool {
        self.queues.iter().flatten().any(is_such)
    }

    /// Owners of the writes that wait: they are told when these are done.
    pub fn owners(&self) -> impl Iterator<Item = Owner> {
        self.queues.iter().flatten().map(|write| write.owner)
    }

    /// Whether what waits names only what there is.
    pub fn is_sound(&self, queues: usize, is_write: impl Fn(&Placing) -> bool) -> bool {
        let count: usize = self.queues.iter().map(VecDeque::len).sum();
        self.queues.len() == queues && count == self.count && self.queues.iter().flatten().all(is_write)
    }

    /// Takes the writes that wait for a pool and are such.
    pub fn take_where(&mut self, pool: PoolId, is_such: impl Fn(&Placing) -> bool) -> Vec<Placing> {
        let queue = self.queue_of(pool);
        let (taken, kept): (Vec<_>, Vec<_>) = self.queues[queue].drain(..).partition(|write| is_such(write));
        self.queues[queue].extend(kept);
        self.count -= taken.len();
        taken
    }

    /// Everything that waits.
    pub fn take_all(&mut self) -> impl Iterator<Item = Placing> {
        self.count = 0;
        self.queues.iter_mut().flat_map(|queue| queue.drain(..))
    }

    /// The first pool that writes wait for, and how many.
    pub fn waiting(&self) -> Option<(PoolId, usize)> {
        let mut queues = self.queues.entries().filter(|(_, queue)| !queue.is_empty());
        queues.next().map(|(pool, queue)| (pool, queue.len()))
    }

    /// Checked mode, when a run has ended: nothing waits.
    pub fn verify(&self) -> Result<(), String> {
        if self.count != 0 || self.waiting().is_some() {
            return Err(format!("the run is over, but {} writes wait for room", self.count));
        }
        Ok(())
    }
}
