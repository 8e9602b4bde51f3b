//! From the write queue to flash: one page after the other, as channels can take them.

use super::{Fast, Load, TwoSpeed};
use crate::engine::Ns;
use crate::flash::Speed;
use crate::ftl::pages::Pages;
use crate::ftl::parking::{PageWrite, Parking};
use crate::nand::PlaneId;
use crate::policy::program::{NextAction, View};

impl TwoSpeed {
    /// A page is complete, and waits for its turn.
    pub fn push(&mut self, write: PageWrite, pages: &mut Pages) {
        let queue = if pages.allocator.goes_anywhere() {
            0
        } else {
            let die = pages.geometry.die_of(pages.allocator.home(write.lpn));
            pages.geometry.channel_of(die) as usize
        };
        self.queues[queue].push_back(write);
        self.queued += 1;
        pages.counters.queued_max = pages.counters.queued_max.max(self.queued.into());
    }

    /// The queue whose head can go now.
    fn next_queue(&self, pages: &Pages, parking: &Parking) -> Option<usize> {
        if self.queued == 0 {
            return None;
        }
        let is_free = |load: &Load| load.writing < self.streams;
        if pages.allocator.goes_anywhere() {
            // Pages that wait for room go first.
            let goes = !parking.holds_for(0) && self.loads.iter().any(is_free);
            return goes.then_some(0);
        }
        let ready = |&queue: &usize| !self.queues[queue].is_empty() && is_free(&self.loads[queue]);
        (0..self.queues.len()).find(ready)
    }

    /// Takes the page at the head of a queue whose channel can take it, and says where it goes.
    pub(super) fn next_write(
        &mut self,
        pages: &mut Pages,
        parking: &Parking,
        now: Ns,
    ) -> Option<(PlaneId, PageWrite)> {
        let queue = self.next_queue(pages, parking)?;
        let head = self.queues[queue].front().copied()?;
        let (speed, is_hit) = self.speed_of(&head, pages, now)?;
        pages.counters.rewrite_hits += u64::from(is_hit);
        let (plane, stream) = self.place_for(&head, speed, pages);
        self.queues[queue].pop_front();
        self.queued -= 1;
        Some((plane, PageWrite { stream, ..head }))
    }

    /// How fast to write a page, and whether its newest copy is a fast one; nothing while it has to wait.
    fn speed_of(&self, head: &PageWrite, pages: &Pages, now: Ns) -> Option<(Speed, bool)> {
        let fast = match &self.fast {
            // While everything is rewritten, what is still to be written must not wait for that.
            None | Some(Fast { draining: true, .. }) => return Some((Speed::Normal, false)),
            Some(fast) => fast,
        };
        // The mapping table's own pages are never written fast: nothing could rewrite them by their entry.
        let is_host = head.lpn < pages.format.host_pages;
        let is_hit = is_host && pages.mapping.get(head.lpn).is_some_and(|ppn| pages.is_fast(ppn));
        let view = View {
            oldest_age: fast.queue.top().map(|entry| now - entry.written),
            oldest_retention: fast.queue.top().map_or(Ns::MAX, |entry| entry.retention),
            rewrites: fast.queue.len(pages.fast_live),
            is_idle: false,
            queued: self.held(),
            is_hit,
        };
        match fast.policy.next(&view, &fast.asked.thresholds) {
            NextAction::Write(speed) if is_host => Some((speed, is_hit)),
            NextAction::Write(_) => Some((Speed::Normal, is_hit)),
            NextAction::ForcedRewrite | NextAction::IdleRewrite | NextAction::Nothing => None,
        }
    }

    /// Plane and stream of a page of the write queue. Where no fast block has room, it goes to a normal one.
    fn place_for(&self, write: &PageWrite, speed: Speed, pages: &mut Pages) -> (PlaneId, u8) {
        if let (Speed::Fast, Some(fast)) = (speed, &self.fast) {
            let plane = self.plane_with_stream(write, fast.stream, pages);
            if pages.blocks.has_room(plane, fast.stream.into()) {
                return (plane, fast.stream);
            }
        }
        (self.plane_with_stream(write, write.stream, pages), write.stream)
    }

    /// The least busy plane with room for a stream, among the channels that can write one more page.
    fn plane_with_stream(&self, write: &PageWrite, stream: u8, pages: &mut Pages) -> PlaneId {
        let Pages { blocks, geometry, allocator, .. } = pages;
        allocator.plane_for(write.lpn, |plane| {
            let channel = geometry.channel_of(geometry.die_of(plane)) as usize;
            self.loads[channel].writing < self.streams && blocks.has_room(plane, stream.into())
        })
    }
}
