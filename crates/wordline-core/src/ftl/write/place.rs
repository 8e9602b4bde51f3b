//! From a complete page to its program: finds a place, or parks the page where there is none.

use super::put::{Placing, To, Why};
use crate::error::SimError;
use crate::flash::{Class, Owner, PageOp, StreamId, Writer};
use crate::ftl::write::parking::WaitsAt;
use crate::ftl::{Ftl, Step};
use crate::nand::{FrontierId, Lpn, Nand, PoolId};

impl Ftl {
    /// Gives a page a place and has it programmed; parks it where its pool has no room, and returns the pool then.
    #[inline(never)]
    pub(in crate::ftl) fn place(
        &mut self,
        op: PageOp,
        step: &mut Step<'_>,
    ) -> Result<Option<PoolId>, SimError> {
        let stream = self.pages.stream_for(op.lpn, op.writer);
        self.place_in(stream, Why::Written, op, step)
    }

    /// [`Ftl::place`] for a page that has its stream.
    #[inline]
    pub(in crate::ftl) fn place_in(
        &mut self,
        stream: StreamId,
        why: Why,
        op: PageOp,
        step: &mut Step<'_>,
    ) -> Result<Option<PoolId>, SimError> {
        let lpn = op.lpn;
        let write = self.placing(stream, why, op);
        if let Some(path) = &mut self.two_speed {
            // Where it goes is chosen when its turn comes.
            path.push(Placing { pool: self.pages.home(lpn), ..write }, &mut self.pages);
            self.write_path_goes_on(step)?;
            return Ok(None);
        }
        let in_cache = if write.rather.is_some() { self.pages.pool_to_cache(lpn) } else { None };
        let Ftl { pages, parking, .. } = self;
        let is_waited_for = |pool| parking.holds_for(pool);
        let pool = in_cache.unwrap_or_else(|| pages.pool_to_write(lpn, stream, is_waited_for));
        let is_parked = self.place_or_park(Placing { pool, ..write }, step)?;
        Ok(is_parked.then_some(pool))
    }

    /// A page that goes to a stream, in a pool that is not chosen yet.
    #[inline(always)]
    fn placing(&self, stream: StreamId, why: Why, op: PageOp) -> Placing {
        let PageOp { lpn, sectors, owner, writer, priority, .. } = op;
        let is_cached = self.reclaim.is_cached(&writer) && !self.pages.format.is_of_table(lpn);
        let rather = if is_cached { self.pages.placement.cache } else { None };
        let (pool, class) = (PoolId::new(0), Class::UserWrite);
        Placing { lpn, sectors, why, pool, to: To::Stream(stream), rather, class, owner, writer, priority }
    }

    /// Places a page in the program that its stream is filling in a pool.
    #[inline]
    pub(in crate::ftl) fn place_in_program(
        &mut self,
        stream: StreamId,
        pool: PoolId,
        op: PageOp,
        step: &mut Step<'_>,
    ) -> Result<(), SimError> {
        let write = Placing { pool, ..self.placing(stream, Why::Written, op) };
        let placed = self.pages.put(&write, step)?;
        debug_assert!(placed.is_some(), "a program that is not full takes a unit");
        self.reclaim.host_took(pool);
        Ok(())
    }

    /// Parks a write behind an earlier one of its page, which waits for room in a pool: placed before it, it would lack sectors of
    /// the page that the other brings.
    pub(in crate::ftl) fn park_behind(&mut self, pool: PoolId, op: PageOp) {
        let stream = self.pages.stream_for(op.lpn, op.writer);
        let write = self.placing(stream, Why::Written, op);
        self.parking.push(Placing { pool, ..write });
        self.pages.counters.parked_writes += 1;
    }

    /// Places a page in its pool, or parks it where that has no room. True where it is parked.
    #[inline(always)]
    pub(in crate::ftl) fn place_or_park(
        &mut self,
        write: Placing,
        step: &mut Step<'_>,
    ) -> Result<bool, SimError> {
        let pool = write.pool;
        let is_held_back = !self.parking.holds_for(pool) && self.waits_for_gc(&write, step.nand);
        self.pages.counters.paced_writes += u64::from(is_held_back);
        let is_parked = is_held_back
            || self.zones_are_busy()
            || self.parking.holds_for(pool)
            || !self.try_place(&write, step)?;
        if is_parked {
            self.parking.push(write);
            self.pages.counters.parked_writes += 1;
        }
        self.after_allocation(pool, step)?;
        Ok(is_parked)
    }

    /// Where a write goes whose turn has come.
    #[inline(always)]
    fn goes_to(&mut self, write: &Placing, nand: &Nand) -> To {
        let to = match write.rather {
            Some(rather) if self.suits(write.pool, rather, nand) => To::Stream(rather),
            _ => write.to,
        };
        if self.leaving.is_empty() { to } else { self.place_as_it_came(write, to) }
    }

    fn suits(&self, pool: PoolId, rather: StreamId, nand: &Nand) -> bool {
        match &self.two_speed {
            Some(path) => path.keeps(pool, &self.pages.blocks, nand),
            None => self.pages.blocks.has_room(pool, rather),
        }
    }

    /// Places a page, if its pool has room. True where it needs none any more, too.
    #[inline(always)]
    fn try_place(&mut self, write: &Placing, step: &mut Step<'_>) -> Result<bool, SimError> {
        let is_needed = match write.why {
            Why::Redone => self.needs_redo(write.lpn)?,
            Why::Moved { .. } => self.needs_rewrite(write.owner),
            _ => true,
        };
        if !is_needed {
            return Ok(true);
        }
        if self.zoned.is_some() {
            return self.try_place_in_zone(write, step);
        }
        let write = &Placing { to: self.goes_to(write, step.nand), ..*write };
        let Some(placed) = self.pages.put(write, step)? else { return Ok(false) };
        if let Some(path) = &mut self.two_speed {
            path.note_placed(write, placed.at.place, step, &mut self.pages);
        }
        match write.why {
            Why::Moved { .. } => self.note_moved(write.lpn, step)?,
            Why::Redone => {
                self.reclaim.host_took(write.pool);
                self.is_done_again(write.lpn);
            }
            _ => self.reclaim.host_took(write.pool),
        }
        Ok(true)
    }

    /// True while as much is being programmed as a drive of zones may.
    #[inline(always)]
    fn zones_are_busy(&self) -> bool {
        self.zoned.as_ref().is_some_and(|zoned| zoned.is_full())
    }

    /// [`Ftl::try_place`] in the superblock of a zone: nobody waits for the program.
    #[inline(never)]
    fn try_place_in_zone(&mut self, write: &Placing, step: &mut Step<'_>) -> Result<bool, SimError> {
        let writer = Writer { fua: false, ..write.writer };
        let unowned = Placing { owner: Owner::Nobody, writer, ..*write };
        let is_placed = self.pages.put(&unowned, step)?.is_some();
        if is_placed {
            self.note_zone_write(write, step.out);
        }
        Ok(is_placed)
    }

    /// A program that a loss of power cut off would be done again, with nothing new. False where that is not needed any more:
    /// a later write of its page, or GC, has put it elsewhere meanwhile.
    #[cold]
    fn needs_redo(&mut self, lpn: Lpn) -> Result<bool, SimError> {
        let from = self.parking.cut_off.get(&lpn).copied();
        if from.is_some() && self.pages.mapping.get(lpn) == from {
            return Ok(true);
        }
        self.parking.cut_off.remove(&lpn);
        if let Some(shadow) = &mut self.pages.shadow {
            shadow.at_hand.take(lpn, 0)?;
        }
        Ok(false)
    }

    #[cold]
    fn is_done_again(&mut self, lpn: Lpn) {
        self.parking.cut_off.remove(&lpn);
        // Those of the mapping table count as its own.
        self.pages.counters.redone += u64::from(!self.pages.format.is_of_table(lpn));
    }

    /// True where a write waits until GC has won more room, or the SLC cache is a bit emptier; but a program that has some units is
    /// filled, and the SLC cache's room is its own.
    #[inline]
    fn waits_for_gc(&mut self, write: &Placing, nand: &Nand) -> bool {
        let pool = write.pool;
        let waits_for_cache =
            || self.reclaim.holds_back_for_cache(pool) && !self.pages.format.is_of_table(write.lpn);
        if !self.reclaim.holds_back(pool) && !waits_for_cache() {
            return false;
        }
        let to = self.goes_to(write, nand);
        let pages = &self.pages;
        !pages.blocks.is_cache(pages.stream_to(to))
            && !pages.is_within_program(pages.frontier_to(write.pool, to))
    }

    /// The next writes of a pool that wait are placed soon: what they will look up comes into the processor's cache meanwhile.
    #[inline]
    fn prefetch_parked(&self, pool: PoolId) {
        let [head, behind] = self.parking.first_two(pool);
        head.into_iter().for_each(|lpn| self.pages.prefetch_block(lpn));
        behind.into_iter().for_each(|lpn| self.pages.mapping.prefetch(lpn));
    }

    /// True while writes wait that a pool may take.
    #[inline]
    pub(in crate::ftl) fn may_unpark(&self, pool: PoolId) -> bool {
        self.parking.holds_for(pool) || self.pages.packing.packs() && self.parking.holds_for_any()
    }

    /// The write that a pool takes next of those that wait, and where it waits: one of its own. Where it has none, and a program goes to
    /// the next pool in turn, one that has come to wait for another pool.
    fn next_parked(&self, pool: PoolId) -> Option<(Placing, WaitsAt)> {
        let own = self.parking.head(pool);
        if own.is_some() || !self.pages.packing.packs() || self.zoned.is_some() {
            return own;
        }
        let streams = &self.pages.placement.streams;
        let (blocks, plane) = (&self.pages.blocks, self.pages.blocks.grouping().first_plane(pool));
        let group = blocks.grouping().reclaim_group_of(plane);
        self.parking.head_elsewhere(pool, |write| match write.to {
            To::Stream(stream) => streams.group_of(stream).is_none_or(|of| of == group),
            To::Group(_) => false,
        })
    }

    /// Places writes that waited for room in a pool.
    pub(in crate::ftl) fn unpark(&mut self, pool: PoolId, step: &mut Step<'_>) -> Result<(), SimError> {
        while let Some((write, waits_at)) = self.next_parked(pool) {
            // Where writes may go anywhere, it has waited for any pool.
            let write = Placing { pool, ..write };
            let stream = self.pages.stream_to(write.to);
            let last = self.pages.packing.last_pool(stream);
            if self.waits_for_gc(&write, step.nand)
                || self.zones_are_busy()
                || !self.try_place(&write, step)?
            {
                break;
            }
            // What waited draws no others into its program: a pool would get the more of them the slower it is.
            self.pages.packing.note_pool(last, stream);
            self.parking.remove(waits_at);
            self.prefetch_parked(pool);
        }
        Ok(())
    }

    /// Places writes that wait for room, whatever their pool, in the open program of a stream in a pool, until it is full.
    #[cold]
    pub(in crate::ftl) fn place_waiting_in(
        &mut self,
        frontier: FrontierId,
        step: &mut Step<'_>,
    ) -> Result<(), SimError> {
        let (pool, stream) = self.pages.blocks.of_frontier(frontier);
        let is_seat = frontier != self.pages.blocks.frontier(pool, stream);
        if is_seat {
            return Ok(());
        }
        let last = self.pages.packing.last_pool(stream);
        while self.pages.is_within_program(frontier) {
            let cache_has_room = |cache| self.pages.blocks.has_room(pool, cache);
            let goes_to = |write: &Placing| match write.rather.filter(|&cache| cache_has_room(cache)) {
                Some(cache) => To::Stream(cache),
                None => write.to,
            };
            let is_such = |write: &Placing| goes_to(write) == To::Stream(stream);
            let Some((write, waits_at)) = self.parking.first_such(pool, is_such) else { break };
            if !self.try_place(&Placing { pool, ..write }, step)? {
                // What is left of the pool is GC's.
                break;
            }
            self.parking.remove(waits_at);
        }
        self.pages.packing.note_pool(last, stream);
        Ok(())
    }
}
