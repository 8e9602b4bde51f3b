//! Rewriting: a fast page is read, and programmed elsewhere at normal speed.

use super::{Entry, TwoSpeed};
use crate::engine::Ns;
use crate::error::SimError;
use crate::flash::{Class, Outbox, Owner};
use crate::ftl::reclaim::relocation::Mover;
use crate::ftl::write::pages::Pages;
use crate::ftl::write::put::{Placing, Why};
use crate::ftl::{Ftl, Step};
use crate::nand::Pun;
use crate::policy::placement::Reason;
use crate::policy::program::{NextAction, View};

/// True while an entry's page has no newer copy. A physical page that was erased and written again for
/// the same logical page looks like the old one: then its block tells whether it is a fast one.
pub(super) fn is_live(entry: &Entry, pages: &Pages) -> bool {
    pages.mapping.get(entry.lpn) == Some(entry.pun) && pages.is_fast(entry.pun)
}

impl TwoSpeed {
    /// A page of the write queue, or of a rewrite, is on its way to flash.
    pub fn note_placed(&mut self, write: &Placing, pun: Pun, step: &Step<'_>, pages: &mut Pages) {
        let channel = self.channel_of(pun);
        self.loads[channel].writing += 1;
        let is_rewritten = matches!(write.why, Why::Moved { .. });
        let Some(fast) = self.fast.as_mut().filter(|_| !is_rewritten && pages.is_fast(pun)) else { return };
        let (now, retention) = (step.now, step.nand.fast_retention(pages.geometry.block_of(pun)));
        fast.queue.push(Entry { lpn: write.lpn, pun, written: now, really_written: now, retention });
        pages.fast_live += 1;
        let length = fast.queue.len(pages.fast_live);
        pages.counters.fast_writes += 1;
        if let Some(shadow) = &mut pages.shadow {
            shadow.written_fast(pun, now.saturating_add(retention));
        }
        pages.counters.rewrite_queue_max = pages.counters.rewrite_queue_max.max(length);
    }

    /// Pages in the write queue, and entries of the rewrite queue.
    pub fn waiting(&self, pages: &Pages) -> (u64, u64) {
        let rewrites = self.fast.as_ref().map_or(0, |fast| fast.queue.len(pages.fast_live));
        (self.queued.into(), rewrites)
    }

    /// Forgets entries at the top whose pages were written again, moved or trimmed.
    pub(super) fn drop_stale_entries(&mut self, pages: &mut Pages) {
        let Some(fast) = &mut self.fast else { return };
        while fast.queue.top().is_some_and(|entry| !is_live(entry, pages)) {
            fast.queue.take();
            pages.counters.stale_dropped += 1;
        }
    }

    /// Starts the rewrite of the top entry, where it is due or its channel has nothing better to do;
    /// true if it did.
    pub(super) fn rewrite_next(&mut self, pages: &mut Pages, step: &mut Step<'_>) -> bool {
        let Some(fast) = &self.fast else { return false };
        let Some(&top) = fast.queue.top() else { return false };
        let view = View {
            oldest_age: Some(step.now - top.written),
            oldest_retention: fast.queue.retention(),
            rewrites: fast.queue.len(pages.fast_live),
            is_idle: true,
            queued: self.queued,
            is_hit: false,
        };
        let channel = self.channel_of(top.pun);
        let load = &self.loads[channel];
        let choice = fast.policy.next(&view, &fast.asked.thresholds);
        let is_forced = choice == NextAction::ForcedRewrite || fast.draining;
        let window = match choice {
            _ if is_forced => fast.drain_in_flight,
            NextAction::IdleRewrite if load.others == 0 && !self.has_news_for(channel, step.out) => {
                fast.asked.rewrites_in_flight
            }
            _ => return false,
        };
        // A page whose program is not done can only be read when it is.
        if load.rewriting >= window || pages.blocks.is_in_flight(top.pun) {
            return false;
        }
        pages.counters.forced_rewrites += u64::from(choice == NextAction::ForcedRewrite);
        self.loads[channel].rewriting += 1;
        let Some(fast) = &mut self.fast else { return false };
        fast.queue.take();
        let id = fast.next_id;
        fast.next_id = fast.next_id.wrapping_add(1);
        fast.active.insert(id, top);
        step.read(Owner::Rewrite(id), top.lpn, top.pun, pages);
        true
    }

    /// True when something is about to be sent to a channel that is not a rewrite.
    fn has_news_for(&self, channel: usize, out: &Outbox) -> bool {
        let mut news =
            out.orders.iter().map(|&id| out.txns.carried(id)).filter(|news| !super::is_rewrite(news));
        news.any(|news| self.channel_of(news.unit) == channel)
    }

    fn active(&self, id: u32) -> Option<Entry> {
        self.fast.as_ref()?.active.get(&id).copied()
    }

    /// The entry of a rewrite whose page has not been written meanwhile; where it has, the rewrite is over.
    fn still_needed(&mut self, id: u32, pages: &Pages) -> Option<Entry> {
        let entry = self.active(id)?;
        if is_live(&entry, pages) {
            return Some(entry);
        }
        self.rewrite_done(id);
        None
    }

    /// The data of a fast page are in the controller: chooses where they go, unless the page has been written
    /// meanwhile.
    fn rewrite_of(&mut self, id: u32, pages: &mut Pages, now: Ns) -> Option<Placing> {
        let entry = self.still_needed(id, pages)?;
        self.count_if_lost(&entry, pages, now);
        let stream = pages.stream_for_moved((entry.lpn, entry.pun), Reason::Rewrite);
        let Pages { blocks, geometry, allocator, .. } = pages;
        let channel_of = |plane| geometry.channel_of(geometry.die_of(plane));
        let channel = channel_of(geometry.plane_of(geometry.block_of(entry.pun)));
        let has_room = |plane| blocks.has_room(blocks.pool_of(plane), stream);
        let is_near = |plane| channel_of(plane) == channel;
        let mut plane = allocator.plane_for(entry.lpn, |plane| is_near(plane) && has_room(plane));
        if allocator.goes_anywhere() && !has_room(plane) {
            plane = allocator.plane_for(entry.lpn, has_room);
        }
        let pool = blocks.pool_of(plane);
        // In the queue of the user's writes, which fill the same block: programs of a block keep their order.
        let (class, owner) = (Class::UserWrite, Owner::Rewrite(id));
        Some(Placing::moved((entry.lpn, entry.pun), Reason::Rewrite, (pool, stream), (class, owner)))
    }

    /// A rewrite is over, or was not needed any more.
    pub fn rewrite_done(&mut self, id: u32) {
        let Some(entry) = self.fast.as_mut().and_then(|fast| fast.active.remove(&id)) else { return };
        let channel = self.channel_of(entry.pun);
        self.loads[channel].rewriting -= 1;
    }

    /// Counts a page that had outlived its retention when it was read to be rewritten.
    fn count_if_lost(&self, entry: &Entry, pages: &mut Pages, now: Ns) {
        let Some(fast) = &self.fast else { return };
        if entry.is_lost(now) && !entry.is_lost(fast.counted_until) {
            pages.counters.lost_pages += 1;
        }
    }
}

impl Ftl {
    /// The data of a fast page are in the controller: program them elsewhere, unless the page has been
    /// written meanwhile.
    pub(in crate::ftl) fn rewrite_read_done(&mut self, id: u32, step: &mut Step<'_>) -> Result<(), SimError> {
        let Some(path) = &mut self.two_speed else { return Ok(()) };
        match path.rewrite_of(id, &mut self.pages, step.now) {
            Some(write) => self.place_or_park(write, step).map(drop),
            None => Ok(()),
        }
    }

    /// The page of a rewrite, if the owner is one, has not been written meanwhile.
    pub(in crate::ftl) fn needs_rewrite(&mut self, owner: Owner) -> bool {
        match (&mut self.two_speed, owner) {
            (Some(path), Owner::Rewrite(id)) => path.still_needed(id, &self.pages).is_some(),
            _ => true,
        }
    }
}
