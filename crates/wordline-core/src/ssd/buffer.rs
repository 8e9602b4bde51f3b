//! The write buffer and the DRAM: what they take in and serve of a request, and what leaves them for the flash.

use super::{Ssd, step_of};
use crate::cache::{Moved, Transfer};
use crate::engine::{Alarm, Event};
use crate::error::SimError;
use crate::flash::{Owner, PageOp, PageOpKind};
use crate::host::{Op, SECTOR_BYTES};

impl Ssd {
    /// A page operation of the host meets the cache, if there is one, then the FTL.
    #[inline(always)]
    pub(super) fn access(&mut self, op: PageOp) -> Result<(), SimError> {
        match &mut self.cache {
            None => self.ftl.submit(op, &mut step_of(&mut self.shared)),
            Some(cache) => {
                if op.kind == PageOpKind::Read {
                    cache.note_read(op.lpn, || self.ftl.has_place(op.lpn));
                }
                cache.access(op, self.shared.now, &mut self.cache_out);
                self.settle_cache()
            }
        }
    }

    #[inline(never)]
    pub(super) fn flush(&mut self, owner: Owner) -> Result<(), SimError> {
        match &mut self.cache {
            None => {
                self.shared.outbox.served.push(owner);
                Ok(())
            }
            Some(cache) => {
                cache.flush_all(owner, &mut self.cache_out);
                self.settle_cache()
            }
        }
    }

    #[inline(never)]
    pub(super) fn settle_cache(&mut self) -> Result<(), SimError> {
        if self.observers.of_page_operations {
            self.watch_cache();
        }
        // The buffers come back: no allocation per request.
        let mut leaving = std::mem::take(&mut self.cache_out.leaving);
        for op in leaving.drain(..) {
            if !self.starts_in_dram(Transfer::Leaves(op), std::iter::once(op.sectors.count_ones())) {
                self.ftl.submit(op, &mut step_of(&mut self.shared))?;
            }
        }
        let mut ops = std::mem::take(&mut self.cache_out.ops);
        self.ftl.submit_run(&ops, &mut step_of(&mut self.shared))?;
        ops.clear();
        let mut moved = self.cache_out.take_moved();
        self.cross_dram_in_turn(&moved);
        moved.clear();
        (self.cache_out.leaving, self.cache_out.ops, self.cache_out.moved) = (leaving, ops, moved);
        self.shared.outbox.served.append(&mut self.cache_out.served);
        if let Some(cache) = &self.cache {
            self.ftl.hurry(cache.is_flushing(), self.shared.now);
        }
        self.set_cache_alarm();
        Ok(())
    }

    /// An event for the next page of the cache that waits for the rest of it.
    pub(super) fn set_cache_alarm(&mut self) {
        let Some(cache) = &mut self.cache else { return };
        if let Some(at) = cache.alarm(self.shared.now) {
            self.shared.events.push(at, Alarm::Cache.event());
        }
    }

    /// Pages of the cache that were written in part have waited long enough for the rest of them.
    #[inline(never)]
    pub(super) fn cache_rings(&mut self) -> Result<(), SimError> {
        let Some(cache) = &mut self.cache else { return Ok(()) };
        cache.rings(self.shared.now, &mut self.cache_out);
        self.settle_cache()
    }

    /// Pages of the write buffer are on flash: an owner that was served, and those behind it. Returns how many these are.
    #[inline(never)]
    pub(super) fn flushed(&mut self, first: usize) -> Result<usize, SimError> {
        let Ssd { cache: Some(cache), cache_out, shared, .. } = self else { return Ok(1) };
        let mut count = 0;
        while let Some(&Owner::Slot(lpn)) = shared.outbox.served.get(first + count)
            && cache_out.leaving.is_empty()
            && cache_out.served.is_empty()
        {
            cache.flushed(lpn, shared.now, cache_out);
            count += 1;
        }
        if count > 1 && !cache_out.leaving.is_empty() {
            // What leaves with the last page does so behind all that the pages before it have let in.
            let last = cache_out.take_unsealed();
            self.settle_cache()?;
            self.cache_out.put_back(last);
        }
        self.settle_cache()?;
        Ok(count)
    }

    fn cross_dram_in_turn(&mut self, moved: &[Moved]) {
        moved.chunk_by(|one, next| one.owner == next.owner).for_each(|transfers| self.cross_dram(transfers));
    }

    /// What the cache takes in or serves of one request crosses the DRAM, by transfers that follow each other: the request waits for the
    /// end of the last one.
    fn cross_dram(&mut self, transfers: &[Moved]) {
        let owner = transfers[0].owner;
        let served = transfers.iter().map(|transfer| transfer.served).sum::<u32>();
        let sectors = transfers.iter().map(|transfer| transfer.sectors);
        match owner {
            Owner::Request(id) if self.starts_in_dram(Transfer::Request(id), sectors) => {
                let left = &mut self.host.requests[id].pages_left;
                *left = *left + 1 - served;
            }
            _ => self.shared.outbox.served.extend(std::iter::repeat_n(owner, served as usize)),
        }
    }

    /// Queues transfers of so many sectors at the DRAM; false where that takes no time.
    fn starts_in_dram(&mut self, what: Transfer, sectors: impl Iterator<Item = u32>) -> bool {
        let Some(cache) = &mut self.cache else { return false };
        let bytes = sectors.map(|sectors| u64::from(sectors) * SECTOR_BYTES);
        let Some(at) = cache.dram.start(what, bytes, self.shared.now) else { return false };
        self.shared.events.push(at, Event::Dram(0));
        true
    }

    /// The oldest transfer of the DRAM has ended.
    #[inline(never)]
    pub(super) fn dram_ended(&mut self) -> Result<(), SimError> {
        match self.cache.as_mut().and_then(|cache| cache.dram.ended()) {
            Some(Transfer::Request(id)) => self.shared.outbox.served.push(Owner::Request(id)),
            Some(Transfer::Leaves(op)) => self.ftl.submit(op, &mut step_of(&mut self.shared))?,
            None => {}
        }
        Ok(())
    }

    /// What a read has brought stays in the cache.
    #[inline(never)]
    pub(super) fn fill_cache(&mut self, id: u32) {
        let request = self.host.requests[id].request;
        if request.op != Op::Read {
            return;
        }
        let (first, last) = self.pages_of(&request);
        for lpn in first.to(last + 1) {
            let sectors = self.sectors_in(&request, lpn);
            if let Some(cache) = &mut self.cache {
                cache.filled(lpn, sectors, self.shared.now);
            }
        }
    }
}
