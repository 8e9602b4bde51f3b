//! From the write queue to flash: one page after the other, as channels can take them.

use super::{Fast, Load, TwoSpeed};
use crate::engine::Ns;
use crate::flash::{Speed, StreamId};
use crate::ftl::Step;
use crate::ftl::blocks::Blocks;
use crate::ftl::write::pages::Pages;
use crate::ftl::write::parking::Parking;
use crate::ftl::write::put::Placing;
use crate::nand::{Nand, PoolId};
use crate::policy::program::{NextAction, View};

impl TwoSpeed {
    /// A page is complete, and waits for its turn.
    pub fn push(&mut self, write: Placing, pages: &mut Pages) {
        let queue = if pages.allocator.goes_anywhere() {
            0
        } else {
            let die = pages.geometry.die_of(pages.allocator.home(write.lpn));
            pages.geometry.channel_of(die) as usize
        };
        self.queues[queue].push_back(write);
        self.queued += 1;
        self.held.enters(write.owner);
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
            let goes = !parking.holds_for(PoolId::new(0)) && self.loads.iter().any(is_free);
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
        step: &Step<'_>,
    ) -> Option<Placing> {
        let queue = self.next_queue(pages, parking)?;
        let head = self.queues[queue].front().copied()?;
        let (speed, is_hit) = self.speed_of(&head, pages, step.now)?;
        pages.counters.rewrite_hits += u64::from(is_hit);
        let (pool, rather) = self.place_for(&head, speed, pages, step.nand);
        self.queues[queue].pop_front();
        self.queued -= 1;
        if !self.counts_in_flight {
            self.held.leaves(head.owner);
        }
        Some(Placing { pool, rather, ..head })
    }

    /// How fast to write a page, and whether its newest copy is a fast one; nothing while it has to wait.
    fn speed_of(&self, head: &Placing, pages: &Pages, now: Ns) -> Option<(Speed, bool)> {
        let fast = match &self.fast {
            // While everything is rewritten, what is still to be written must not wait for that.
            None | Some(Fast { draining: true, .. }) => return Some((Speed::Normal, false)),
            Some(fast) => fast,
        };
        // The mapping table's own pages are never written fast: nothing could rewrite them by their entry.
        let is_host = !pages.format.is_of_table(head.lpn);
        let is_hit = is_host && pages.mapping.get(head.lpn).is_some_and(|pun| pages.is_fast(pun));
        let view = View {
            oldest_age: fast.queue.top().map(|entry| now - entry.written),
            oldest_retention: fast.queue.retention(),
            rewrites: fast.queue.len(pages.fast_live),
            is_idle: false,
            queued: self.held.count(),
            is_hit,
        };
        match fast.policy.next(&view, &fast.asked.thresholds) {
            NextAction::Write(speed) if is_host => Some((speed, is_hit)),
            NextAction::Write(_) => Some((Speed::Normal, is_hit)),
            NextAction::ForcedRewrite | NextAction::IdleRewrite | NextAction::Nothing => None,
        }
    }

    /// The pool of a page of the write queue, and the stream of fast blocks where it goes there. Where no fast block has room, it goes to a normal one.
    fn place_for(
        &self,
        write: &Placing,
        speed: Speed,
        pages: &mut Pages,
        nand: &Nand,
    ) -> (PoolId, Option<StreamId>) {
        if let (Speed::Fast, Some(fast)) = (speed, &self.fast) {
            let has_room = |blocks: &Blocks, pool| fast.has_room(blocks, pool, nand);
            let pool = self.pool_with_room(write, has_room, pages);
            if has_room(&pages.blocks, pool) {
                return (pool, Some(fast.stream));
            }
            pages.counters.too_worn_writes += u64::from(fast.opens_worn(&pages.blocks, pool, nand));
        }
        let stream = pages.stream_to(write.to);
        let has_room = |blocks: &Blocks, pool| blocks.has_room(pool, stream);
        (self.pool_with_room(write, has_room, pages), None)
    }

    /// The least busy pool with room, among the channels that can write one more page.
    fn pool_with_room(
        &self,
        write: &Placing,
        has_room: impl Fn(&Blocks, PoolId) -> bool,
        pages: &mut Pages,
    ) -> PoolId {
        let Pages { blocks, geometry, allocator, .. } = pages;
        let plane = allocator.plane_for(write.lpn, |plane| {
            let channel = geometry.channel_of(geometry.die_of(plane)) as usize;
            self.loads[channel].writing < self.streams && has_room(blocks, blocks.pool_of(plane))
        });
        blocks.pool_of(plane)
    }

    /// True where the block that a pool writes fast next keeps its data for long enough. What was to be fast goes to a normal one
    /// otherwise.
    pub fn keeps(&self, pool: PoolId, blocks: &Blocks, nand: &Nand) -> bool {
        self.fast.as_ref().is_some_and(|fast| !fast.opens_worn(blocks, pool, nand))
    }
}

impl Fast {
    /// True when a pool has room for fast data in a block that keeps them.
    fn has_room(&self, blocks: &Blocks, pool: PoolId, nand: &Nand) -> bool {
        blocks.has_room(pool, self.stream) && !self.opens_worn(blocks, pool, nand)
    }

    /// True when the next fast page of a pool would open a block that does not keep it for long enough.
    fn opens_worn(&self, blocks: &Blocks, pool: PoolId, nand: &Nand) -> bool {
        let next = blocks.next_to_open(pool, self.stream);
        next.is_some_and(|block| nand.fast_retention(block) < self.asked.least_retention)
    }
}
