//! From the write queue to flash: one page after the other, as channels can take them.

use super::{Fast, Load};
use crate::engine::Ns;
use crate::error::SimError;
use crate::flash::{Outbox, PageOp, Speed};
use crate::ftl::user::GC_RESERVE;
use crate::ftl::{Ftl, Parked};
use crate::nand::{Nand, PlaneId};
use crate::policy::program::{Step, View};

impl Ftl {
    /// A page is complete, and waits for its turn.
    pub(in crate::ftl) fn queue_write(
        &mut self,
        op: PageOp,
        nand: &mut Nand,
        now: Ns,
        out: &mut Outbox,
    ) -> Result<(), SimError> {
        let PageOp { lpn, sectors, owner, stream, .. } = op;
        let first =
            if self.allocator.is_dynamic() { 0 } else { self.channel_of_plane(self.allocator.home(lpn)) };
        if let Some(path) = &mut self.two_speed {
            path.queues[first].push_back(Parked { lpn, sectors, owner, stream });
            path.queued += 1;
            self.counters.queued_max = self.counters.queued_max.max(path.queued.into());
        }
        self.go_on(nand, now, out)
    }

    fn channel_of_plane(&self, plane: PlaneId) -> usize {
        self.geometry.channel_of(self.geometry.die_of(plane)) as usize
    }

    /// Writes the page at the head of a queue, where its channel can take it; true if it did.
    pub(super) fn write_next(
        &mut self,
        nand: &mut Nand,
        now: Ns,
        out: &mut Outbox,
    ) -> Result<bool, SimError> {
        let Some(path) = &self.two_speed else { return Ok(false) };
        if path.queued == 0 {
            return Ok(false);
        }
        let is_free = |load: &Load| load.writing < path.streams;
        let waits_for_room = self.allocator.is_dynamic() && !self.parked[0].is_empty();
        let queue = if self.allocator.is_dynamic() {
            // Pages that wait for room go first.
            let goes = !waits_for_room && path.loads.iter().any(is_free);
            goes.then_some(0)
        } else {
            let ready = |&queue: &usize| !path.queues[queue].is_empty() && is_free(&path.loads[queue]);
            (0..path.queues.len()).find(ready)
        };
        let head = queue.and_then(|queue| path.queues[queue].front().copied());
        let (Some(queue), Some(head)) = (queue, head) else { return Ok(false) };
        let (speed, is_hit) = match &path.fast {
            // While everything is rewritten, what is still to be written must not wait for that.
            None | Some(Fast { draining: true, .. }) => (Speed::Normal, false),
            Some(fast) => {
                // The mapping table's own pages are never written fast: nothing could rewrite them by their entry.
                let is_hit = head.lpn < self.host_pages
                    && self.mapping.get(head.lpn).is_some_and(|ppn| self.is_fast(ppn));
                let view = View {
                    oldest_age: fast.queue.top().map(|entry| now - entry.written),
                    rewrites: fast.queue.len(),
                    is_idle: false,
                    queued: path.held(),
                    is_hit,
                };
                match fast.policy.next(&view, &fast.thresholds) {
                    Step::Write(speed) if head.lpn < self.host_pages => (speed, is_hit),
                    Step::Write(_) => (Speed::Normal, is_hit),
                    Step::ForcedRewrite | Step::IdleRewrite | Step::Nothing => return Ok(false),
                }
            }
        };
        self.counters.rewrite_hits += u64::from(is_hit);
        let (plane, stream) = self.place_for(&head, speed);
        if let Some(path) = &mut self.two_speed {
            path.queues[queue].pop_front();
            path.queued -= 1;
        }
        self.place_or_park(plane, Parked { stream, ..head }, nand, now, out)?;
        Ok(true)
    }

    /// Plane and stream of a page of the write queue. Where no fast block has room, it goes to a normal one.
    fn place_for(&mut self, write: &Parked, speed: Speed) -> (PlaneId, u8) {
        let fast = self.two_speed.as_ref().and_then(|path| path.fast.as_ref()).map(|fast| fast.stream);
        if let (Speed::Fast, Some(stream)) = (speed, fast) {
            let plane = self.plane_with_stream(write, stream);
            if self.blocks.has_room(plane, stream.into(), GC_RESERVE) {
                return (plane, stream);
            }
        }
        (self.plane_with_stream(write, write.stream), write.stream)
    }

    /// The least busy plane with room for a stream, among the channels that can write one more page.
    fn plane_with_stream(&mut self, write: &Parked, stream: u8) -> PlaneId {
        let Some(path) = &self.two_speed else { return self.allocator.home(write.lpn) };
        let (blocks, geometry) = (&self.blocks, &self.geometry);
        self.allocator.plane_for(write.lpn, |plane| {
            let channel = geometry.channel_of(geometry.die_of(plane)) as usize;
            path.loads[channel].writing < path.streams && blocks.has_room(plane, stream.into(), GC_RESERVE)
        })
    }
}
