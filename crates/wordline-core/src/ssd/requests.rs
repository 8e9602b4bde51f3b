//! A request from the host into the device, cut into pages, and back.

use super::{Ssd, step_of};
use crate::cache::{Cache, Moved, Transfer};
use crate::engine::{Alarm, Event, Ns};
use crate::error::SimError;
use crate::flash::{Owner, PageOp, PageOpKind, SectorMask, Status, Writer};
use crate::host::{HostRequest, OnItsWay, Op, Request, SECTOR_BYTES, Work};
use crate::nand::Lpn;

impl Ssd {
    /// The device takes requests while it has room.
    #[inline(never)]
    pub(super) fn fetch(&mut self) -> Result<(), SimError> {
        while let Some(id) = self.host.fetch(self.shared.now) {
            self.bring_in(id)?;
        }
        Ok(())
    }

    /// The device has room for a request: its job submits it.
    #[inline(always)]
    fn bring_in(&mut self, id: u32) -> Result<(), SimError> {
        if self.host.processors.take_time() {
            self.host.processors.add(self.host.requests[id].flow, Work::Submit(id));
            self.put_to_work(None);
            return Ok(());
        }
        self.send_to_link(id)
    }

    /// Jobs get processors, first of all the one that has just done something, and begin what they have to do.
    #[inline(never)]
    fn put_to_work(&mut self, mut after: Option<u16>) {
        while let Some((work, at)) = self.host.processors.next(after.take(), self.shared.now) {
            match work {
                Work::Submit(id) => self.comes_later(id, OnItsWay::Submitted, at),
                Work::Reap(id) => _ = self.shared.events.push(at, Event::Respond(id)),
            }
        }
    }

    /// A command is on its way to the link.
    #[inline(always)]
    fn send_to_link(&mut self, id: u32) -> Result<(), SimError> {
        let to_wire = self.link.to_wire();
        if to_wire > 0 {
            self.comes_later(id, OnItsWay::Sent, self.shared.now + to_wire);
            return Ok(());
        }
        self.cross_link(id)
    }

    /// Its command, and the data of a write, cross the link.
    #[inline(always)]
    fn cross_link(&mut self, id: u32) -> Result<(), SimError> {
        let request = &self.host.requests[id].request;
        let bytes = if request.op.writes() { u64::from(request.sectors) * SECTOR_BYTES } else { 0 };
        let at = self.link.bring_in(self.shared.now, bytes);
        if self.cores.are_timed() {
            self.comes_later(id, OnItsWay::Arrived, at);
            return Ok(());
        }
        // A request before it may have left nothing but a page to be filled.
        self.set_packing_alarm();
        let is_alone =
            self.shared.outbox.is_empty() && self.shared.done.is_empty() && !self.host.has_waiting();
        if at == self.shared.now || is_alone && self.shared.is_quiet_until(at) {
            self.shared.now = at;
            return self.begin(id);
        }
        self.shared.events.push(at, Event::Fetched(id));
        Ok(())
    }

    /// A request has come a step further.
    #[inline(never)]
    pub(super) fn begin_fetched(&mut self, id: u32) -> Result<(), SimError> {
        match self.host.requests[id].way {
            OnItsWay::Submitted => {
                let flow = self.host.requests[id].flow;
                self.host.processors.done(flow);
                // Before time goes on.
                self.put_to_work(Some(flow));
                self.host.requests[id].way = OnItsWay::Processed;
                self.send_to_link(id)
            }
            OnItsWay::Sent => {
                // When it has crossed the link, there is nothing left before it begins; or the controller's processor comes next.
                self.host.requests[id].way = OnItsWay::Processed;
                self.cross_link(id)
            }
            OnItsWay::Arrived => {
                let request = self.host.requests[id].request;
                let (first, last) = self.pages_of(&request);
                let at = self.cores.process(&request, u64::from(last - first) + 1, self.shared.now);
                self.comes_later(id, OnItsWay::Processed, at);
                Ok(())
            }
            OnItsWay::Processed | OnItsWay::Answered | OnItsWay::Seen => self.begin(id),
        }
    }

    /// A request will have come so far then.
    pub(super) fn comes_later(&mut self, id: u32, step: OnItsWay, at: Ns) {
        self.host.requests[id].way = step;
        self.shared.events.push(at, Event::Fetched(id));
    }

    /// A request is in the device: cut it into pages.
    #[inline(always)]
    fn begin(&mut self, id: u32) -> Result<(), SimError> {
        if !self.shared.failures.is_empty() && !self.status_of(id).is_carried_out() {
            return self.refuse(id);
        }
        if self.zoned.is_some() {
            return self.begin_in_zones(id);
        }
        self.carry_out(id)
    }

    /// The device does what is asked.
    #[inline(always)]
    pub(super) fn carry_out(&mut self, id: u32) -> Result<(), SimError> {
        let state = &mut self.host.requests[id];
        state.pages_left = 1;
        let (request, priority) = (state.request, state.priority);
        let (owner, writer) = (Owner::Request(id), state.writer(self.ftl.closes()));
        let kind = match request.op {
            Op::Read => PageOpKind::Read,
            Op::Append if self.zoned.is_none() => return self.refuse_with(id, Status::InvalidOpcode),
            Op::Write | Op::Append => {
                self.metrics.taken(request.sectors);
                if request.hint != 0 {
                    self.ftl.note_handle(request.hint, self.shared.now);
                }
                PageOpKind::Write
            }
            Op::Trim => PageOpKind::Trim,
            Op::Flush => {
                if self.is_watched {
                    self.ftl.flush_comes(id);
                }
                if self.is_protected {
                    // What was acknowledged is safe already.
                    self.shared.outbox.served.push(owner);
                    return Ok(());
                }
                // First for the data, then for the journal.
                self.host.requests[id].pages_left += u32::from(self.ftl.flushes_journal());
                return self.flush(owner);
            }
            Op::Close => return self.close(id),
            Op::ZoneOpen | Op::ZoneClose | Op::ZoneReport if self.zoned.is_some() => {
                self.shared.outbox.served.push(owner);
                return Ok(());
            }
            Op::ZoneOpen | Op::ZoneClose | Op::ZoneFinish | Op::ZoneReset | Op::ZoneReport => {
                return self.refuse_with(id, Status::InvalidOpcode);
            }
        };
        let from = request.sector as u32 & (self.sectors_per_page - 1);
        if request.sectors > self.sectors_per_page - from {
            return self.begin_pages(id, kind);
        }
        let lpn = self.lpn_of(request.sector);
        let sectors = self.full_page >> (self.sectors_per_page - request.sectors) << from;
        debug_assert_eq!(sectors, self.sectors_in(&request, lpn));
        self.begin_page(PageOp { kind, lpn, sectors, owner, writer, priority }, id)
    }

    /// The host asks to close open groups. What a write cache has taken in before leaves it first.
    #[inline(never)]
    fn close(&mut self, id: u32) -> Result<(), SimError> {
        let (owner, hint) = (Owner::Request(id), self.host.requests[id].request.hint);
        let of = self.ftl.stream_to_close(hint);
        match &mut self.cache {
            Some(cache) if cache.holds_writes() => {
                self.host.requests[id].pages_left += 1;
                self.ftl.begin_close(owner, of);
                let ftl = &self.ftl;
                let is_older =
                    |lpn: Lpn, writer: &Writer| of.is_none() || of == ftl.stream_by_handle(lpn, writer);
                cache.flush_before_close(owner, &is_older, &mut self.cache_out);
                self.settle_cache()
            }
            _ => self.ftl.close_groups(owner, of, &mut step_of(&mut self.shared)),
        }
    }

    /// The device answers a request that it does not begin.
    #[inline(never)]
    pub(super) fn refuse(&mut self, id: u32) -> Result<(), SimError> {
        let at = self.link.bring_out(self.shared.now, 0);
        if at == self.shared.now {
            return self.complete_at_once(id);
        }
        self.shared.events.push(at, Event::Respond(id));
        Ok(())
    }

    /// A request covers several pages.
    #[inline(never)]
    fn begin_pages(&mut self, id: u32, kind: PageOpKind) -> Result<(), SimError> {
        let state @ Request { request, priority, .. } = self.host.requests[id];
        let (owner, writer) = (Owner::Request(id), state.writer(self.ftl.closes()));
        let (first, last) = self.pages_of(&request);
        self.host.requests[id].pages_left = last - first + 1;
        for lpn in first.to(last + 1) {
            let sectors = self.sectors_in(&request, lpn);
            let op = PageOp { kind, lpn, sectors, owner, writer, priority };
            if self.is_watched {
                self.watch(&op, id);
            }
            match &mut self.cache {
                None => self.ftl.submit(op, &mut step_of(&mut self.shared))?,
                Some(cache) => {
                    if op.kind == PageOpKind::Read {
                        cache.note_read(op.lpn, || self.ftl.has_place(op.lpn));
                    }
                    cache.access(op, self.shared.now, &mut self.cache_out);
                }
            }
        }
        // What the request moves crosses the DRAM at once.
        if self.cache.is_some() { self.settle_cache() } else { Ok(()) }
    }

    #[inline(always)]
    fn begin_page(&mut self, op: PageOp, request: u32) -> Result<(), SimError> {
        if self.is_watched {
            self.watch(&op, request);
        }
        self.access(op)
    }

    /// The page of a sector.
    #[inline(always)]
    fn lpn_of(&self, sector: u64) -> Lpn {
        Lpn::from_index((sector >> self.sector_shift) as usize)
    }

    /// First and last page of a request.
    #[inline]
    fn pages_of(&self, request: &HostRequest) -> (Lpn, Lpn) {
        let end = request.sector + u64::from(request.sectors).max(1) - 1;
        (self.lpn_of(request.sector), self.lpn_of(end))
    }

    /// The sectors of one page that a request covers.
    #[inline]
    fn sectors_in(&self, request: &HostRequest, lpn: Lpn) -> SectorMask {
        let page_start = u64::from(lpn) << self.sector_shift;
        let from = request.sector.saturating_sub(page_start);
        let end = request.sector + u64::from(request.sectors) - page_start;
        let upto = end.min(u64::from(self.sectors_per_page));
        let below_end = if upto == 64 { u64::MAX } else { (1u64 << upto) - 1 };
        below_end & !((1u64 << from) - 1) & self.full_page
    }

    /// A page operation of the host meets the cache, if there is one, then the FTL.
    #[inline(always)]
    fn access(&mut self, op: PageOp) -> Result<(), SimError> {
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

    /// The data that a flush waited for are on flash: now the journal of where they are.
    #[inline(never)]
    fn flush_journal(&mut self, owner: Owner) -> Result<(), SimError> {
        if !self.ftl.flush_journal(owner, &mut step_of(&mut self.shared))? {
            self.shared.outbox.served.push(owner);
        }
        Ok(())
    }

    #[inline(never)]
    fn settle_cache(&mut self) -> Result<(), SimError> {
        if self.is_watched {
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

    /// A page operation is done: tell its owner.
    #[inline]
    pub(super) fn served(&mut self, owner: Owner) -> Result<(), SimError> {
        match owner {
            Owner::Request(id) => {
                let state = &mut self.host.requests[id];
                state.pages_left -= 1;
                if state.pages_left > 0 {
                    return match state.request.op {
                        Op::Flush => self.flush_journal(owner),
                        Op::Close => self.ftl.end_close(owner, &mut step_of(&mut self.shared)),
                        _ => Ok(()),
                    };
                }
                let request = state.request;
                if self.cache.as_ref().is_some_and(Cache::keeps_reads) {
                    self.fill_cache(id);
                }
                let at = match request.op {
                    Op::Read => {
                        self.link.bring_out(self.shared.now, u64::from(request.sectors) * SECTOR_BYTES)
                    }
                    Op::Write | Op::Trim => self.link.bring_out(self.shared.now, 0),
                    _ => self.bring_out_rare(id, request.op),
                };
                if at == self.shared.now {
                    return self.complete_at_once(id);
                }
                self.shared.events.push(at, Event::Respond(id));
            }
            // See [`Ssd::flushed`].
            Owner::Slot(_)
            | Owner::Merge(_)
            | Owner::Job(_)
            | Owner::Moved
            | Owner::Map(_)
            | Owner::Rewrite(_)
            | Owner::Parity(_)
            | Owner::Nobody => {}
        }
        Ok(())
    }

    /// When the host sees an operation complete that is rare.
    #[inline(never)]
    fn bring_out_rare(&mut self, id: u32, op: Op) -> Ns {
        let bytes = if op == Op::ZoneReport { self.report_bytes() } else { 0 };
        let firmware = if op == Op::Flush { self.flush_time } else { 0 };
        let from =
            if op == Op::ZoneReset { self.shared.now.max(self.end_of_reset(id)) } else { self.shared.now };
        self.link.bring_out(from, bytes) + firmware
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

    /// See [`Ssd::complete`].
    #[inline(never)]
    fn complete_at_once(&mut self, id: u32) -> Result<(), SimError> {
        self.complete(id)
    }

    /// The answer to a request is with the host, which sees it complete.
    #[inline(always)]
    pub(super) fn complete(&mut self, id: u32) -> Result<(), SimError> {
        if self.host.processors.reap() {
            return self.reap(id);
        }
        self.see(id);
        self.go_on_after(id)
    }

    /// A request goes its last steps, in which its job has to have a processor.
    #[inline(never)]
    fn reap(&mut self, id: u32) -> Result<(), SimError> {
        let flow = self.host.requests[id].flow;
        match self.host.requests[id].way {
            OnItsWay::Answered => {
                self.see(id);
                self.host.requests[id].way = OnItsWay::Seen;
                let at = self.shared.now + self.host.processors.reap_time();
                self.shared.events.push(at, Event::Respond(id));
            }
            OnItsWay::Seen => {
                self.host.processors.done(flow);
                self.go_on_after(id)?;
                self.put_to_work(Some(flow));
            }
            _ => {
                self.host.answered(id);
                self.host.processors.add(flow, Work::Reap(id));
                self.put_to_work(None);
                self.fetch()?;
            }
        }
        Ok(())
    }

    /// The host sees a request complete.
    #[inline(always)]
    fn see(&mut self, id: u32) {
        let status = if self.shared.failures.is_empty() { Status::Success } else { self.take_status_of(id) };
        if !self.metrics.is_warming_up || self.is_counted(id) {
            if self.metrics.is_turn(self.shared.now) {
                self.turn_interval(id);
            }
            if status == Status::Success {
                self.metrics.completed(&self.host.requests[id], self.shared.now);
            } else {
                self.metrics.failed(&self.host.requests[id], status, self.shared.now);
            }
        }
        if self.is_watched {
            self.watch_completed(id, status);
        }
    }

    /// A complete request leaves; a closed flow has its next one.
    #[inline(always)]
    fn go_on_after(&mut self, id: u32) -> Result<(), SimError> {
        let is_followed = self.host.complete(id, self.shared.now)?;
        if self.shared.oldest_write.is_some() {
            self.controller.oldest_write_changed(self.host.oldest_write(), &mut self.shared);
        }
        if !self.host.due.is_empty() {
            for (time, event) in self.host.due.drain(..) {
                self.shared.events.push(time, event);
            }
        }
        self.look_ahead();
        if is_followed {
            self.bring_in(id)
        } else if self.host.has_waiting() {
            self.fetch()
        } else {
            if self.host.is_done() {
                self.close_window();
            }
            Ok(())
        }
    }

    /// How a request will end, as far as is known.
    #[inline(never)]
    fn status_of(&self, id: u32) -> Status {
        let failure = self.shared.failures.iter().find(|failure| failure.request == id);
        failure.map_or(Status::Success, |failure| failure.status)
    }

    /// How a request ends that completes now.
    #[inline(never)]
    fn take_status_of(&mut self, id: u32) -> Status {
        let status = self.status_of(id);
        self.shared.failures.retain(|failure| failure.request != id);
        status
    }

    /// Whether a request that completes is beyond the warm-up; what is not is left out of the measurement.
    #[inline(never)]
    pub(super) fn is_counted(&mut self, id: u32) -> bool {
        let request = &self.host.requests[id];
        let is_ramped = request.request.arrival_ns >= self.host.counts_from(request.flow);
        let is_counted = self.metrics.is_counted(is_ramped);
        if !is_counted {
            let flash = self.standing();
            if self.metrics.left_out(&self.host.requests[id], self.shared.now, flash) {
                self.open_window();
            }
        }
        is_counted
    }

    /// See [`crate::metrics::Metrics::turn`].
    #[inline(never)]
    fn turn_interval(&mut self, id: u32) {
        let op = self.host.requests[id].request.op;
        self.metrics.turn(op, self.shared.now, self.standing());
    }

    /// What a read has brought stays in the cache.
    #[inline(never)]
    fn fill_cache(&mut self, id: u32) {
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

    /// Prefetches what a flow will need into the processor's cache; changes nothing but speed.
    #[inline(always)]
    pub(super) fn look_ahead(&mut self) {
        if let Some(flow) = self.host.take_news() {
            self.prefetch_for(flow);
        }
    }

    #[inline(never)]
    fn prefetch_for(&self, flow: u16) {
        let page = |request: &HostRequest| self.lpn_of(request.sector);
        let (far, near) = self.host.ahead(flow);
        far.iter().for_each(|request| self.ftl.prefetch_entry(page(request)));
        near.iter().for_each(|request| self.ftl.prefetch_block(page(request)));
    }
}
