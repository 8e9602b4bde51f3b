//! When power goes: what becomes of the rewrite queue, and how everything that was written fast is written
//! again (OFWAR, section 3.3).

use std::collections::BTreeMap;

use super::{Entry, Load};
use crate::engine::Ns;
use crate::error::SimError;
use crate::flash::{BlockState, Outbox, Owner, PageOp, PageOpKind};
use crate::ftl::Ftl;
use crate::nand::{Nand, Ppn};

impl Ftl {
    /// Power is gone: takes the pages of the write queue, and saves or loses the rewrite queue.
    pub(in crate::ftl) fn cut_write_path(&mut self, queued: &mut Vec<PageOp>, nand: &Nand) {
        let Some(path) = &mut self.two_speed else { return };
        for queue in &mut path.queues {
            queued.extend(queue.drain(..).map(|write| PageOp {
                kind: PageOpKind::Write,
                lpn: write.lpn,
                sectors: write.sectors,
                owner: Owner::Nobody,
                stream: write.stream,
            }));
        }
        path.queued = 0;
        path.in_flight = 0;
        path.loads.fill(Load::default());
        let Some(fast) = &mut path.fast else { return };
        let mut entries: Vec<Entry> = std::mem::take(&mut fast.active).into_values().collect();
        entries.extend(fast.queue.iter().copied());
        let is_lost = fast.lost_at_power_loss;
        if is_lost {
            let really: BTreeMap<Ppn, Ns> =
                entries.iter().map(|entry| (entry.ppn, entry.really_written)).collect();
            entries = self.find_fast_pages(&really, nand);
        }
        entries.sort_by_key(|entry| entry.written);
        let live = entries.iter().filter(|entry| self.is_live(entry)).map(|entry| entry.ppn);
        let mut live: Vec<_> = live.collect();
        live.sort_unstable();
        live.dedup();
        if let Some(fast) = self.two_speed.as_mut().and_then(|path| path.fast.as_mut()) {
            fast.queue.restore(entries, live.len() as u32);
        }
    }

    /// Every live page of a fast block. All that the SSD knows of its age is when its block was begun.
    fn find_fast_pages(&self, really: &BTreeMap<Ppn, Ns>, nand: &Nand) -> Vec<Entry> {
        let mut found = Vec::new();
        for block in 0..self.geometry.blocks() {
            let first = self.geometry.first_page(block);
            let is_used = !matches!(self.blocks.get(block).state, BlockState::Free | BlockState::Bad);
            if !is_used || !self.is_fast(first) {
                continue;
            }
            let health = nand.health(block);
            // A block none of whose programs is done holds only pages that are written again anyway.
            let written = if health.aged { 0 } else { health.programmed_at };
            let mut at = first;
            while let Some(ppn) = self.mapping.next_valid(at, first + self.geometry.pages_per_block) {
                let really_written = really.get(&ppn).copied().unwrap_or(written);
                found.push(Entry { lpn: self.mapping.lpn_of(ppn), ppn, written, really_written });
                at = ppn + 1;
            }
        }
        found
    }

    /// Pages that were written fast and have no newer copy.
    #[must_use]
    pub fn fast_pages(&self) -> u32 {
        self.two_speed.as_ref().and_then(|path| path.fast.as_ref()).map_or(0, |fast| fast.queue.live())
    }

    /// True while a page is on its way from a fast block to a normal one.
    #[must_use]
    pub fn is_rewriting(&self) -> bool {
        self.two_speed
            .as_ref()
            .and_then(|path| path.fast.as_ref())
            .is_some_and(|fast| !fast.active.is_empty())
    }

    /// Looks at the age of everything that was written fast: how many pages have outlived their retention.
    pub fn count_lost_pages(&mut self, now: Ns) -> u64 {
        let Some(fast) = self.two_speed.as_ref().and_then(|path| path.fast.as_ref()) else { return 0 };
        let is_lost = |entry: &&Entry| {
            // Data on their way to flash are in the protected write queue, whatever their entry says.
            now - entry.really_written > fast.retention
                && self.is_live(entry)
                && !self.blocks.is_in_flight(entry.ppn)
        };
        let lost = fast.queue.iter().filter(is_lost).count() as u64;
        self.counters.lost_pages += lost;
        if let Some(fast) = self.two_speed.as_mut().and_then(|path| path.fast.as_mut()) {
            fast.counted_until = now;
        }
        lost
    }

    /// From now on everything that was written fast is written again as quickly as the flash can.
    ///
    /// # Errors
    /// See [`Ftl::submit`].
    pub fn drain_fast_pages(&mut self, nand: &mut Nand, now: Ns, out: &mut Outbox) -> Result<(), SimError> {
        self.set_draining(true);
        self.go_on(nand, now, out)
    }

    /// Fast writes are allowed again, or not.
    pub fn set_draining(&mut self, draining: bool) {
        if let Some(fast) = self.two_speed.as_mut().and_then(|path| path.fast.as_mut()) {
            fast.draining = draining;
        }
    }
}
