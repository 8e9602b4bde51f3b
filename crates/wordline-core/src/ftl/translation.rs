//! A mapping table that does not fit in DRAM: DFTL (Gupta, Kim and Urgaonkar, ASPLOS 2009).
//!
//! Entries that are in use are cached, least recently used out first. A miss reads the translation
//! page that holds the entry; a changed entry that leaves takes its page's other changed entries
//! along in one read-modify-write. Translation pages are logical pages above the host's, so that
//! allocation, GC and checks treat them like any other.

use std::collections::BTreeMap;

use super::{Ftl, Step};
use crate::config::Config;
use crate::engine::{Lru, state};
use crate::error::SimError;
use crate::flash::{Class, Owner, PageOp, PageOpKind};
use crate::nand::Lpn;

/// The cached part of the mapping table.
#[derive(Debug)]
pub(super) struct Translation {
    entries_per_page: u32,
    pages: u32,
    capacity: usize,
    /// Cached entries; true where changed since they were read.
    cached: Lru<bool>,
    /// Changed entries by translation page.
    changed: BTreeMap<u32, Vec<Lpn>>,
    /// Page operations that wait for a translation page.
    waiting: BTreeMap<u32, Vec<PageOp>>,
}

state! {
    Translation {
        values: cached, changed, waiting;
        derived: entries_per_page, pages, capacity;
    }
}

impl Translation {
    pub fn new(config: &Config, host_pages: u32) -> Translation {
        let entries_per_page = config.ssd.page_bytes / config.ftl.entry_bytes;
        Translation {
            entries_per_page,
            pages: host_pages.div_ceil(entries_per_page),
            capacity: (config.ftl.cmt_bytes / u64::from(config.ftl.entry_bytes)).max(1) as usize,
            cached: Lru::default(),
            changed: BTreeMap::new(),
            waiting: BTreeMap::new(),
        }
    }

    /// Translation pages of the whole table.
    pub fn pages(&self) -> u32 {
        self.pages
    }

    /// Checked mode, when a run has ended: no page operation waits for a translation page.
    pub fn verify(&self) -> Result<(), String> {
        if self.waiting.is_empty() {
            return Ok(());
        }
        Err("the run is over, but something waits for a page of the mapping table".to_owned())
    }

    fn mark_changed(&mut self, lpn: Lpn) {
        if let Some(changed) = self.cached.peek_mut(lpn)
            && !*changed
        {
            *changed = true;
            self.changed.entry(lpn / self.entries_per_page).or_default().push(lpn);
        }
    }

    /// Caches an entry; returns the translation page that must be written for it to fit.
    fn insert(&mut self, lpn: Lpn) -> Option<u32> {
        if self.cached.peek(lpn).is_some() {
            return None;
        }
        let mut write_back = None;
        if self.cached.len() >= self.capacity
            && let Some((oldest, changed)) = self.cached.oldest()
        {
            self.cached.remove(oldest);
            if changed {
                let page = oldest / self.entries_per_page;
                for other in self.changed.remove(&page).unwrap_or_default() {
                    if let Some(flag) = self.cached.peek_mut(other) {
                        *flag = false;
                    }
                }
                write_back = Some(page);
            }
        }
        self.cached.insert(lpn, false);
        write_back
    }
}

impl Ftl {
    /// Makes sure that an operation's mapping entry is cached. False when the operation now waits.
    pub(super) fn translate(&mut self, op: PageOp, step: &mut Step<'_>) -> Result<bool, SimError> {
        let Some(table) = &mut self.translation else { return Ok(true) };
        if table.cached.get_mut(op.lpn).is_some() {
            self.pages.counters.map_hits += 1;
            if op.kind != PageOpKind::Read {
                table.mark_changed(op.lpn);
            }
            return Ok(true);
        }
        self.pages.counters.map_misses += 1;
        let page = op.lpn / table.entries_per_page;
        if let Some(waiting) = table.waiting.get_mut(&page) {
            waiting.push(op);
            return Ok(false);
        }
        let home = self.pages.format.host_pages + page;
        let mut place = self.pages.mapping.get(home).map(|ppn| self.pages.geometry.address(ppn));
        if place.is_none() {
            place = self.preload(home, self.pages.format.full_page, step)?;
        }
        let Some(address) = place.filter(|&address| !self.pages.blocks.is_in_controller(address)) else {
            // The page was never written, or is still in the controller.
            self.cache_entry(op, step)?;
            return Ok(true);
        };
        if let Some(table) = &mut self.translation {
            table.waiting.insert(page, vec![op]);
        }
        self.pages.read_whole(Class::MapRead, Owner::Map(page), address.ppn, home, step.out);
        self.pages.counters.map_reads += 1;
        Ok(false)
    }

    fn cache_entry(&mut self, op: PageOp, step: &mut Step<'_>) -> Result<(), SimError> {
        let Some(table) = &mut self.translation else { return Ok(()) };
        let write_back = table.insert(op.lpn);
        if op.kind != PageOpKind::Read {
            table.mark_changed(op.lpn);
        }
        match write_back {
            Some(page) => self.write_back(page, step),
            None => Ok(()),
        }
    }

    /// Programs a translation page anew, after reading what is not changed in it.
    fn write_back(&mut self, page: u32, step: &mut Step<'_>) -> Result<(), SimError> {
        self.pages.counters.map_writes += 1;
        let lpn = self.pages.format.host_pages + page;
        // One changed sector stands for all: the page is read and programmed whole in any case.
        let op = PageOp { kind: PageOpKind::Write, lpn, sectors: 1, owner: Owner::Nobody, stream: 0 };
        if let Some(shadow) = &mut self.pages.shadow {
            shadow.accept(lpn, op.sectors);
            let is_new = self.pages.mapping.get(lpn).is_none();
            shadow.at_hand.delivered(lpn, op.sectors, is_new);
        }
        self.serve(op, step)
    }

    /// A translation page is here: cache the entries that were waited for, and go on.
    pub(super) fn map_read_done(&mut self, page: u32, step: &mut Step<'_>) -> Result<(), SimError> {
        let waiting = self.translation.as_mut().and_then(|t| t.waiting.remove(&page)).unwrap_or_default();
        for op in waiting {
            self.cache_entry(op, step)?;
            self.serve(op, step)?;
        }
        Ok(())
    }

    /// GC moved a page: its entry changes, in the cache (DFTL's lazy copying).
    pub(super) fn note_moved(&mut self, lpn: Lpn, step: &mut Step<'_>) -> Result<(), SimError> {
        if self.translation.is_none() || lpn >= self.pages.format.host_pages {
            return Ok(());
        }
        let op = PageOp { kind: PageOpKind::Write, lpn, sectors: 0, owner: Owner::Nobody, stream: 0 };
        self.cache_entry(op, step)
    }
}
