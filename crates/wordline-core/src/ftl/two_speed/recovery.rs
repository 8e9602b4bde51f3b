//! A loss of power: what happens to the rewrite queue, and how everything that was written fast is written again
//! (OFWAR, section 3.3).

use std::collections::BTreeMap;

use super::rewrite::is_live;
use super::{Entry, Load, TwoSpeed};
use crate::engine::Ns;
use crate::error::SimError;
use crate::flash::BlockState;
use crate::ftl::write::pages::Pages;
use crate::ftl::write::put::Placing;
use crate::ftl::{Ftl, Step};
use crate::nand::{Nand, Pun};

impl TwoSpeed {
    /// Power is gone: saves or loses the rewrite queue, and returns the pages of the write queue.
    pub fn power_cut(&mut self, pages: &mut Pages, nand: &Nand) -> impl Iterator<Item = Placing> {
        self.queued = 0;
        self.held.clear();
        self.loads.fill(Load::default());
        self.cut_rewrites(pages, nand);
        self.queues.iter_mut().flat_map(|queue| queue.drain(..))
    }

    fn cut_rewrites(&mut self, pages: &mut Pages, nand: &Nand) {
        let Some(fast) = &mut self.fast else { return };
        let mut entries: Vec<Entry> = std::mem::take(&mut fast.active).into_values().collect();
        entries.extend(fast.queue.iter().copied());
        if fast.asked.lost_at_power_loss {
            let really = entries.iter().map(|entry| (entry.pun, entry.really_written)).collect();
            entries = find_fast_pages(&really, pages, nand);
        }
        entries.sort_by_key(|entry| entry.written);
        let live = entries.iter().filter(|entry| is_live(entry, pages)).map(|entry| entry.pun);
        let mut live: Vec<_> = live.collect();
        live.sort_unstable();
        live.dedup();
        pages.fast_live = live.len() as u64;
        fast.queue.restore(entries);
    }

    /// How many pages that were written fast have outlived their retention.
    fn count_lost(&mut self, pages: &mut Pages, now: Ns) {
        let Some(fast) = &mut self.fast else { return };
        let is_lost = |entry: &&Entry| {
            // Data on their way to flash are in the protected write queue, whatever their entry says.
            entry.is_lost(now) && is_live(entry, pages) && !pages.blocks.is_in_flight(entry.pun)
        };
        pages.counters.lost_pages += fast.queue.iter().filter(is_lost).count() as u64;
        fast.counted_until = now;
    }
}

/// Every live page of a fast block. All that the SSD knows of its age is when its block was begun.
fn find_fast_pages(really: &BTreeMap<Pun, Ns>, pages: &Pages, nand: &Nand) -> Vec<Entry> {
    let mut found = Vec::new();
    for block in pages.geometry.all_blocks() {
        let first = pages.geometry.first_page(block);
        let is_used = !matches!(pages.blocks.get(block).state(), BlockState::Free | BlockState::Bad);
        if !is_used || !pages.is_fast(first) {
            continue;
        }
        // A block none of whose programs is done holds only pages that are written again anyway.
        let written = nand.health(block).ages.first().unwrap_or(0);
        found.extend(pages.mapping.valid_in(first, pages.end_of(block)).map(|pun| Entry {
            lpn: pages.mapping.lpn_of(pun),
            pun,
            written,
            really_written: really.get(&pun).copied().unwrap_or(written),
            retention: nand.fast_retention(block),
        }));
    }
    found
}

impl Ftl {
    /// Pages that were written fast and have no newer copy.
    #[must_use]
    pub fn fast_pages(&self) -> u64 {
        self.pages.fast_live
    }

    /// True while a page is on its way from a fast block to a normal one.
    #[must_use]
    pub fn is_rewriting(&self) -> bool {
        let fast = self.two_speed.as_ref().and_then(|path| path.fast.as_ref());
        fast.is_some_and(|fast| !fast.active.is_empty())
    }

    /// Looks at the age of everything that was written fast: how many pages have outlived their retention.
    pub fn count_lost_pages(&mut self, now: Ns) {
        if let Some(path) = &mut self.two_speed {
            path.note_age(&mut self.pages, now);
            path.count_lost(&mut self.pages, now);
        }
    }

    /// From now on everything that was written fast is written again as quickly as the flash can.
    ///
    /// # Errors
    /// See [`Ftl::submit`].
    pub fn drain_fast_pages(&mut self, step: &mut Step<'_>) -> Result<(), SimError> {
        self.set_draining(true);
        self.write_path_goes_on(step)
    }

    /// Fast writes are allowed again, or not.
    pub fn set_draining(&mut self, draining: bool) {
        self.reclaim.set_recovering(draining);
        if let Some(fast) = self.two_speed.as_mut().and_then(|path| path.fast.as_mut()) {
            fast.draining = draining;
        }
    }
}
