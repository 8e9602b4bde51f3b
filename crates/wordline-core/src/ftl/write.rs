//! From a complete page to its program: finds a place, or parks the page where there is none.

use super::pages::Pages;
use super::parking::PageWrite;
use super::two_speed::TwoSpeed;
use super::{Ftl, Step};
use crate::error::SimError;
use crate::flash::{Carried, Class, Owner, PageOp, Speed, StreamId, Txn, TxnOp};
use crate::nand::{Lpn, PoolId, UnitAddress};

impl Pages {
    /// Binds a page to a fresh physical page of a pool and asks for its program; false where the pool has no room.
    #[inline(always)]
    fn try_place(
        &mut self,
        pool: PoolId,
        write: &PageWrite,
        two_speed: &mut Option<TwoSpeed>,
        step: &mut Step<'_>,
    ) -> Result<bool, SimError> {
        let stream = match two_speed {
            Some(path) => path.stream_now(write, pool, &self.blocks, step.nand),
            None => self.stream_now(write, pool),
        };
        let Some(to @ UnitAddress { place: pun, .. }) = self.blocks.allocate(pool, stream) else {
            return Ok(false);
        };
        self.packing.note_pool(pool, stream);
        // Sectors that the write does not cover are carried along from where the page is now: a parked page may
        // have been moved since, or written for the first time.
        let carried = if write.sectors == self.format.full_page { None } else { self.mapping.get(write.lpn) };
        let kept = carried.map_or(0, |old| self.held(old) & !write.sectors);
        if let Some(shadow) = &mut self.shadow {
            shadow.program(write.lpn, pun, write.sectors, carried, kept)?;
        }
        if let Some(map) = &mut self.sector_map {
            // A changed sector of the mapping table stands for its whole page.
            let whole = write.lpn >= self.format.host_end;
            map.set(pun, if whole { self.format.full_page } else { write.sectors | kept });
        }
        let old = self.mapping.bind(write.lpn, pun);
        if let Some(old) = old {
            self.retire(old);
        }
        self.entry_changes(write.lpn, old, pun, true);
        self.counters.user_writes += 1;
        let mode = self.blocks.get(to.block).mode();
        self.counters.slc_writes += u64::from(!mode.is_native());
        // Not when it is asked for: write-backs of a page of the mapping table that wait for it together share a program.
        self.counters.map_writes += u64::from(write.lpn >= self.format.host_end);
        self.counters.journal_writes += u64::from(self.is_of_journal(write.lpn));
        let bytes = self.format.bytes_of(write.sectors | kept);
        let mut txn = Txn::new(TxnOp::Program, Class::UserWrite, self.format.page_of(pun), bytes);
        txn.priority = write.priority;
        txn.mode = mode;
        if let Some(path) = two_speed {
            txn.speed = path.note_written(write.lpn, pun, step, self);
        }
        let unit = Carried::new(write.owner, write.lpn, pun);
        self.program((to, pool), txn, unit, step.now, step.out);
        Ok(true)
    }
}

impl Ftl {
    /// Binds a page to a fresh physical page and asks for its program; parks it where its plane has
    /// no room.
    #[inline(never)]
    pub(super) fn place(&mut self, op: PageOp, step: &mut Step<'_>) -> Result<(), SimError> {
        let stream = self.pages.stream_for(op.lpn, op.writer);
        self.place_in(stream, op, step)
    }

    /// [`Ftl::place`] for a page that has its stream.
    #[inline]
    pub(super) fn place_in(
        &mut self,
        stream: StreamId,
        op: PageOp,
        step: &mut Step<'_>,
    ) -> Result<(), SimError> {
        let PageOp { lpn, sectors, owner, writer, priority, .. } = op;
        let is_cached = self.reclaim.is_cached(&writer) && lpn < self.pages.format.host_end;
        let speed = Speed::Normal;
        let write = PageWrite { lpn, sectors, owner, writer, stream, speed, is_cached, priority };
        if let Some(path) = &mut self.two_speed {
            path.push(write, &mut self.pages);
            return self.write_path_goes_on(step);
        }
        let in_cache = if is_cached { self.pages.pool_to_cache(lpn) } else { None };
        let pool = in_cache.unwrap_or_else(|| self.pages.pool_to_write(lpn, stream));
        self.place_or_park(pool, write, step)
    }

    /// Places a page in a pool, or parks it where the pool has no room.
    #[inline(always)]
    pub(super) fn place_or_park(
        &mut self,
        pool: PoolId,
        write: PageWrite,
        step: &mut Step<'_>,
    ) -> Result<(), SimError> {
        let is_held_back = !self.parking.holds_for(pool) && self.waits_for_gc(pool, &write);
        self.pages.counters.paced_writes += u64::from(is_held_back);
        if is_held_back || self.parking.holds_for(pool) || !self.try_place(pool, &write, step)? {
            self.parking.push(pool, write);
            self.pages.counters.parked_writes += 1;
        }
        self.after_allocation(pool, step)
    }

    #[inline(always)]
    fn try_place(&mut self, pool: PoolId, write: &PageWrite, step: &mut Step<'_>) -> Result<bool, SimError> {
        if let Owner::Rewrite(id) = write.owner {
            return self.try_place_rewrite(pool, id, write.stream, step);
        }
        if write.sectors == 0 && self.needs_no_redo(write.lpn)? {
            return Ok(true);
        }
        let is_placed = self.pages.try_place(pool, write, &mut self.two_speed, step)?;
        if is_placed {
            self.reclaim.host_took(pool);
            if write.sectors == 0 {
                self.is_done_again(write.lpn);
            }
        }
        Ok(is_placed)
    }

    /// A program that a loss of power cut off would be done again, with nothing new. True where that is not needed any more:
    /// a later write of its page, or GC, has put it elsewhere meanwhile.
    #[cold]
    fn needs_no_redo(&mut self, lpn: Lpn) -> Result<bool, SimError> {
        let from = self.parking.cut_off.get(&lpn).copied();
        if from.is_some() && self.pages.mapping.get(lpn) == from {
            return Ok(false);
        }
        self.parking.cut_off.remove(&lpn);
        if let Some(shadow) = &mut self.pages.shadow {
            shadow.at_hand.take(lpn, 0)?;
        }
        Ok(true)
    }

    #[cold]
    fn is_done_again(&mut self, lpn: Lpn) {
        self.parking.cut_off.remove(&lpn);
        // Those of the mapping table count as its own.
        self.pages.counters.redone += u64::from(lpn < self.pages.format.host_end);
    }

    /// True where a write waits until GC has won more room; but a program that has some units is filled, and the SLC cache's
    /// room is its own.
    #[inline]
    fn waits_for_gc(&self, pool: PoolId, write: &PageWrite) -> bool {
        if !self.reclaim.holds_back(pool) {
            return false;
        }
        let stream = self.pages.stream_now(write, pool);
        !self.pages.blocks.is_cache(stream) && !self.pages.blocks.is_within_program(pool, stream)
    }

    /// The next writes of a pool that wait are placed soon: what they will look up comes into the processor's cache meanwhile.
    #[inline]
    fn prefetch_parked(&self, pool: PoolId) {
        let [head, behind] = self.parking.first_two(pool);
        head.into_iter().for_each(|lpn| self.pages.prefetch_block(lpn));
        behind.into_iter().for_each(|lpn| self.pages.mapping.prefetch(lpn));
    }

    /// Places writes that waited for room in a pool.
    pub(super) fn unpark(&mut self, pool: PoolId, step: &mut Step<'_>) -> Result<(), SimError> {
        while let Some(write) = self.parking.head(pool) {
            let last = self.pages.packing.last_pool(write.stream);
            if self.waits_for_gc(pool, &write) || !self.try_place(pool, &write, step)? {
                break;
            }
            // What waited draws no others into its program: a pool would get the more of them the slower it is.
            self.pages.packing.note_pool(last, write.stream);
            self.parking.pop(pool);
            self.prefetch_parked(pool);
        }
        Ok(())
    }
}
