//! A run of page operations: writes that share a program go to it together. What cannot change while a program is filled is asked
//! once, not for each unit: the pool, whether it has room, whether the host waits for GC, and whether a job should begin.

use super::put::Why;
use crate::error::SimError;
use crate::flash::{PageOp, PageOpKind, StreamId};
use crate::ftl::{Ftl, Step};
use crate::nand::{FrontierId, PoolId};

/// An open program that takes the next unit of a stream, whatever its page.
#[derive(Clone, Copy, Debug)]
struct Filling {
    stream: StreamId,
    pool: PoolId,
    frontier: FrontierId,
}

impl Ftl {
    /// Serves page operations, one after the other.
    ///
    /// # Errors
    /// See [`Ftl::submit`].
    pub fn submit_run(&mut self, ops: &[PageOp], step: &mut Step<'_>) -> Result<(), SimError> {
        let mut filling = None;
        for &op in ops {
            if op.kind == PageOpKind::Write && self.is_whole_and_alone(&op) {
                self.reclaim.host_asks(step.now);
                filling = self.write_in_run(op, filling, step)?;
            } else {
                filling = None;
                self.submit(op, step)?;
            }
        }
        Ok(())
    }

    /// True for a write that needs nothing but a place.
    #[inline]
    fn is_whole_and_alone(&self, op: &PageOp) -> bool {
        self.translation.is_none()
            && op.sectors == self.pages.format.full_page
            && !self.merges.is_waiting(op.lpn)
    }

    /// Gives a unit its place in the program that is being filled, or wherever it goes. Returns the program that takes the next one.
    #[inline]
    fn write_in_run(
        &mut self,
        op: PageOp,
        filling: Option<Filling>,
        step: &mut Step<'_>,
    ) -> Result<Option<Filling>, SimError> {
        let stream = self.pages.stream_for(op.lpn, op.writer);
        let Some(Filling { pool, frontier, .. }) = filling.filter(|filling| filling.stream == stream) else {
            self.place_in(stream, Why::Written, op, step)?;
            return Ok(self.filling(stream));
        };
        self.place_in_program(stream, pool, op, step)?;
        let is_full = self.pages.packing.units_in(frontier) == 0;
        if !is_full && !self.pages.journal.as_ref().is_some_and(|journal| journal.is_due()) {
            return Ok(filling);
        }
        self.after_allocation(pool, step)?;
        Ok(self.filling(stream))
    }

    /// The program that a stream is filling, where nothing is asked before its next unit.
    fn filling(&self, stream: StreamId) -> Option<Filling> {
        let is_plain = self.two_speed.is_none()
            && self.zoned.is_none()
            && self.leaving.is_empty()
            && self.pages.placement.cache.is_none();
        if !is_plain || !self.pages.packing.packs() {
            return None;
        }
        let pool = self.pages.packing.last_pool(stream);
        let frontier = self.pages.blocks.frontier(pool, stream);
        let takes_more = self.pages.packing.units_in(frontier) > 0
            && self.pages.blocks.has_open(pool, stream)
            && self.pages.blocks.has_room(pool, stream)
            && !self.parking.holds_for(pool)
            && (self.reclaim.is_busy(pool) || !self.reclaim.is_wanted(pool, &self.pages));
        takes_more.then_some(Filling { stream, pool, frontier })
    }
}
