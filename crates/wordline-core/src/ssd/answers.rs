//! The way back of a request: its page operations are done, its answer crosses the link, and the host sees it complete.

use super::{Ssd, step_of};
use crate::cache::Cache;
use crate::engine::{Event, Ns};
use crate::error::SimError;
use crate::flash::{Owner, Status};
use crate::host::{HostRequest, OnItsWay, Op, SECTOR_BYTES, Work};

impl Ssd {
    /// A page operation is done: tell its owner.
    #[inline]
    pub(super) fn served(&mut self, owner: Owner) -> Result<(), SimError> {
        match owner {
            Owner::Request(id) => {
                let state = &mut self.host.requests[id];
                state.pages_left -= 1;
                if state.pages_left > 0 {
                    return Ok(());
                }
                if state.way == OnItsWay::Emptying {
                    return self.emptied(id);
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

    /// The write cache has brought to flash what a flush, or a request to close open groups, waits for: its own part begins.
    #[inline(never)]
    fn emptied(&mut self, id: u32) -> Result<(), SimError> {
        let state = &mut self.host.requests[id];
        state.way = OnItsWay::Processed;
        state.pages_left = 1;
        let owner = Owner::Request(id);
        if state.request.op == Op::Close {
            return self.ftl.end_close(owner, &mut step_of(&mut self.shared));
        }
        self.flush_journal(owner)
    }

    /// The data that a flush waited for are on flash: now the journal of where they are.
    #[inline(never)]
    fn flush_journal(&mut self, owner: Owner) -> Result<(), SimError> {
        if !self.ftl.flush_journal(owner, &mut step_of(&mut self.shared))? {
            self.shared.outbox.served.push(owner);
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

    /// See [`Ssd::complete`].
    #[inline(never)]
    pub(super) fn complete_at_once(&mut self, id: u32) -> Result<(), SimError> {
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
        if self.observers.of_page_operations {
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
    pub(super) fn status_of(&self, id: u32) -> Status {
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
            let (request, now) = (&self.host.requests[id], self.shared.now);
            if self.metrics.left_out(request, now, flash, self.ftl.handles()) {
                self.open_window();
            }
        }
        is_counted
    }

    /// See [`crate::metrics::Metrics::turn`].
    #[inline(never)]
    fn turn_interval(&mut self, id: u32) {
        let op = self.host.requests[id].request.op;
        let flash = self.standing();
        self.metrics.turn(op, self.shared.now, flash, self.ftl.handles());
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
