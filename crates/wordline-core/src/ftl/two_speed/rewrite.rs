//! Rewriting: a fast page is read, and programmed elsewhere at normal speed.

use super::Entry;
use crate::engine::Ns;
use crate::error::SimError;
use crate::flash::{Class, Outbox, Owner, Speed, Txn, TxnOp};
use crate::ftl::user::GC_RESERVE;
use crate::ftl::{Ftl, Parked};
use crate::nand::{Address, Lpn, Nand, PlaneId, Ppn};
use crate::policy::program::{Step, View};

impl Ftl {
    /// A page of the write queue is on its way to flash: at the speed of its block.
    pub(in crate::ftl) fn note_written(&mut self, lpn: Lpn, ppn: Ppn, now: Ns) -> Speed {
        let is_fast = self.is_fast(ppn);
        let Some(path) = &mut self.two_speed else { return Speed::Normal };
        let channel = path.channel_of(ppn);
        path.loads[channel].writing += 1;
        path.in_flight += 1;
        let Some(fast) = path.fast.as_mut().filter(|_| is_fast) else { return Speed::Normal };
        fast.queue.push(Entry { lpn, ppn, written: now, really_written: now });
        let length = u64::from(fast.queue.len());
        self.counters.fast_writes += 1;
        self.counters.rewrite_queue_max = self.counters.rewrite_queue_max.max(length);
        Speed::Fast
    }

    /// True while an entry's page has no newer copy. A physical page that was erased and written again for
    /// the same logical page looks like the old one: then its block tells whether it is a fast one.
    pub(super) fn is_live(&self, entry: &Entry) -> bool {
        self.mapping.get(entry.lpn) == Some(entry.ppn) && self.is_fast(entry.ppn)
    }

    /// Forgets entries at the top whose pages were written again, moved or trimmed.
    pub(super) fn drop_stale_entries(&mut self) {
        loop {
            let Some(fast) = self.two_speed.as_ref().and_then(|path| path.fast.as_ref()) else { return };
            match fast.queue.top() {
                Some(entry) if !self.is_live(entry) => {}
                _ => return,
            }
            if let Some(fast) = self.two_speed.as_mut().and_then(|path| path.fast.as_mut()) {
                fast.queue.drop_stale();
                self.counters.stale_dropped += 1;
            }
        }
    }

    /// Starts the rewrite of the top entry, where it is due or its channel has nothing better to do;
    /// true if it did.
    pub(super) fn rewrite_next(
        &mut self,
        _nand: &mut Nand,
        now: Ns,
        out: &mut Outbox,
    ) -> Result<bool, SimError> {
        let Some(path) = &self.two_speed else { return Ok(false) };
        let Some(fast) = &path.fast else { return Ok(false) };
        let Some(&top) = fast.queue.top() else { return Ok(false) };
        let view = View {
            oldest_age: Some(now - top.written),
            rewrites: fast.queue.len(),
            is_idle: true,
            queued: path.queued,
            is_hit: false,
        };
        let channel = path.channel_of(top.ppn);
        let load = &path.loads[channel];
        let step = fast.policy.next(&view, &fast.thresholds);
        let is_forced = step == Step::ForcedRewrite || fast.draining;
        let window = match step {
            _ if is_forced => fast.drain_in_flight,
            Step::IdleRewrite if load.others == 0 && !self.has_news_for(channel, out) => {
                fast.rewrites_in_flight
            }
            _ => return Ok(false),
        };
        // A page whose program is not done can only be read when it is.
        if load.rewriting >= window || self.blocks.is_in_flight(top.ppn) {
            return Ok(false);
        }
        self.counters.forced_rewrites += u64::from(step == Step::ForcedRewrite);
        let Some(path) = &mut self.two_speed else { return Ok(false) };
        let Some(fast) = &mut path.fast else { return Ok(false) };
        fast.queue.take();
        let id = fast.next_id;
        fast.next_id = fast.next_id.wrapping_add(1);
        fast.active.insert(id, top);
        path.loads[channel].rewriting += 1;
        let (bytes, all) = (self.page_bytes + self.spare_bytes, self.full_page);
        let address = self.geometry.address(top.ppn);
        self.read_page(Class::InternalRead, Owner::Rewrite(id), address, top.lpn, bytes, all, out);
        Ok(true)
    }

    /// True when something is about to be sent to a channel that is not a rewrite.
    fn has_news_for(&self, channel: usize, out: &Outbox) -> bool {
        let Some(path) = &self.two_speed else { return false };
        out.orders.iter().any(|&id| {
            let txn = &out.txns[id];
            !super::is_rewrite(txn) && path.channel_of(txn.ppn) == channel
        })
    }

    fn active(&self, id: u32) -> Option<Entry> {
        self.two_speed.as_ref()?.fast.as_ref()?.active.get(&id).copied()
    }

    /// The data of a fast page are in the controller: program them elsewhere, unless the page has been
    /// written meanwhile.
    pub(in crate::ftl) fn rewrite_read_done(
        &mut self,
        id: u32,
        nand: &mut Nand,
        now: Ns,
        out: &mut Outbox,
    ) -> Result<(), SimError> {
        let Some(entry) = self.active(id) else { return Ok(()) };
        if !self.is_live(&entry) {
            self.rewrite_done(id);
            return Ok(());
        }
        self.count_if_lost(&entry, now);
        let channel = self
            .geometry
            .channel_of(self.geometry.die_of(self.geometry.plane_of(self.geometry.block_of(entry.ppn))));
        let (blocks, geometry) = (&self.blocks, &self.geometry);
        let has_room = |plane| blocks.has_room(plane, 0, GC_RESERVE);
        let is_near = |plane| geometry.channel_of(geometry.die_of(plane)) == channel;
        let mut plane = self.allocator.plane_for(entry.lpn, |plane| is_near(plane) && has_room(plane));
        if self.allocator.is_dynamic() && !has_room(plane) {
            plane = self.allocator.plane_for(entry.lpn, has_room);
        }
        let sectors = self.full_page;
        let write = Parked { lpn: entry.lpn, sectors, owner: Owner::Rewrite(id), stream: 0 };
        self.place_or_park(plane, write, nand, now, out)
    }

    /// Places a rewritten page in a plane, if that has room. True when it needs no room any more.
    pub(in crate::ftl) fn try_place_rewrite(
        &mut self,
        plane: PlaneId,
        id: u32,
        nand: &mut Nand,
        now: Ns,
        out: &mut Outbox,
    ) -> Result<bool, SimError> {
        let Some(entry) = self.active(id) else { return Ok(true) };
        if !self.is_live(&entry) {
            self.rewrite_done(id);
            return Ok(true);
        }
        let Some(Address { ppn, .. }) = self.blocks.allocate(plane, 0, GC_RESERVE, nand) else {
            return Ok(false);
        };
        if let Some(shadow) = &mut self.shadow {
            shadow.copied(entry.ppn, ppn);
        }
        if let Some(map) = &mut self.sector_map {
            map.copy(entry.ppn, ppn);
        }
        self.mapping.bind(entry.lpn, ppn);
        self.retire(entry.ppn);
        self.counters.rewrites += 1;
        self.allocator.began(plane);
        if let Some(path) = &mut self.two_speed {
            let channel = path.channel_of(ppn);
            path.loads[channel].writing += 1;
        }
        let bytes = self.page_bytes + self.spare_bytes;
        let owner = Owner::Rewrite(id);
        // In the queue of the user's writes, which fill the same block: programs of a block keep their order.
        out.order(Txn::new(TxnOp::Program, Class::UserWrite, owner, ppn, entry.lpn, bytes));
        self.note_moved(entry.lpn, nand, now, out)?;
        Ok(true)
    }

    /// A rewrite is over, or was not needed any more.
    pub(in crate::ftl) fn rewrite_done(&mut self, id: u32) {
        let Some(path) = &mut self.two_speed else { return };
        let Some(entry) = path.fast.as_mut().and_then(|fast| fast.active.remove(&id)) else { return };
        let channel = path.channel_of(entry.ppn);
        path.loads[channel].rewriting -= 1;
    }

    /// Counts a page that had outlived its retention when it was read to be rewritten.
    fn count_if_lost(&mut self, entry: &Entry, now: Ns) {
        let Some(fast) = self.two_speed.as_ref().and_then(|path| path.fast.as_ref()) else { return };
        let is_lost_at = |at: Ns| at.saturating_sub(entry.really_written) > fast.retention;
        if is_lost_at(now) && !is_lost_at(fast.counted_until) {
            self.counters.lost_pages += 1;
        }
    }
}
