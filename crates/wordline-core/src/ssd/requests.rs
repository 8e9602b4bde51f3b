//! The way of a request from the host into the device, where it is cut into pages.

use super::{Ssd, step_of};
use crate::engine::{Event, Ns};
use crate::error::SimError;
use crate::flash::{Owner, PageOp, PageOpKind, SectorMask, Status, Writer};
use crate::host::{HostRequest, LACKING, OnItsWay, Op, Request, SECTOR_BYTES, Work};
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
    pub(super) fn bring_in(&mut self, id: u32) -> Result<(), SimError> {
        if self.host.processors.take_time() {
            self.host.processors.add(self.host.requests[id].flow, Work::Submit(id));
            self.put_to_work(None);
            return Ok(());
        }
        self.send_to_link(id)
    }

    /// Jobs get processors, first of all the one that has just done something, and begin what they have to do.
    #[inline(never)]
    pub(super) fn put_to_work(&mut self, mut after: Option<u16>) {
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
            OnItsWay::Processed | OnItsWay::Emptying | OnItsWay::Answered | OnItsWay::Seen => self.begin(id),
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
        let (owner, mut writer) = (Owner::Request(id), state.writer(self.ftl.closes()));
        let kind = match request.op {
            Op::Read => PageOpKind::Read,
            Op::Append if self.zoned.is_none() => return self.refuse_with(id, Status::InvalidOpcode),
            Op::Write | Op::Append => {
                self.metrics.taken(request.sectors);
                if request.hint != 0 {
                    writer.hint = self.identifier_of(id, request.hint);
                }
                PageOpKind::Write
            }
            Op::Trim => PageOpKind::Trim,
            Op::Flush => {
                if self.observers.of_page_operations {
                    self.ftl.flush_comes(id);
                }
                if self.is_protected {
                    // What was acknowledged is safe already.
                    self.shared.outbox.served.push(owner);
                    return Ok(());
                }
                if self.ftl.flushes_journal() {
                    self.host.requests[id].way = OnItsWay::Emptying;
                }
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

    /// The placement identifier of a write that names a handle. One that its namespace or the drive does not have is an event.
    #[cold]
    #[inline(never)]
    fn identifier_of(&mut self, id: u32, handle: u16) -> u16 {
        if handle & LACKING == 0 {
            self.ftl.note_handle(handle, self.shared.now);
            return handle;
        }
        self.ftl.note_lack(handle & !LACKING, self.shared.now);
        let first = self.host.first_identifier(self.host.requests[id].flow);
        self.host.requests[id].request.hint = first;
        first
    }

    /// The host asks to close open groups. What a write cache has taken in before leaves it first.
    #[inline(never)]
    fn close(&mut self, id: u32) -> Result<(), SimError> {
        let (owner, hint) = (Owner::Request(id), self.host.requests[id].request.hint);
        let of = self.ftl.stream_to_close(hint);
        match &mut self.cache {
            Some(cache) if cache.holds_writes() => {
                self.host.requests[id].way = OnItsWay::Emptying;
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
            if self.observers.of_page_operations {
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
        if self.observers.of_page_operations {
            self.watch(&op, request);
        }
        self.access(op)
    }

    /// The page of a sector.
    #[inline(always)]
    pub(super) fn lpn_of(&self, sector: u64) -> Lpn {
        Lpn::from_index((sector >> self.sector_shift) as usize)
    }

    /// First and last page of a request.
    #[inline]
    pub(super) fn pages_of(&self, request: &HostRequest) -> (Lpn, Lpn) {
        let end = request.sector + u64::from(request.sectors).max(1) - 1;
        (self.lpn_of(request.sector), self.lpn_of(end))
    }

    /// The sectors of one page that a request covers.
    #[inline]
    pub(super) fn sectors_in(&self, request: &HostRequest, lpn: Lpn) -> SectorMask {
        let page_start = u64::from(lpn) << self.sector_shift;
        let from = request.sector.saturating_sub(page_start);
        let end = request.sector + u64::from(request.sectors) - page_start;
        let upto = end.min(u64::from(self.sectors_per_page));
        let below_end = if upto == 64 { u64::MAX } else { (1u64 << upto) - 1 };
        below_end & !((1u64 << from) - 1) & self.full_page
    }
}
