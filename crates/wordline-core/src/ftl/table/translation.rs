//! A mapping table that does not fit in DRAM: DFTL (Gupta, Kim and Urgaonkar, ASPLOS 2009).
//!
//! Entries that are in use are cached, least recently used out first. A miss reads the translation
//! page that holds the entry; a changed entry that leaves takes its page's other changed entries
//! along in one read-modify-write. Translation pages are logical pages above the host's, so that
//! allocation, GC and checks treat them like any other.

use std::collections::BTreeMap;

use crate::config::{Config, MapTransfer};
use crate::engine::{Lru, state};
use crate::error::SimError;
use crate::flash::{Class, Owner, PageOp, PageOpKind, SectorMask, Writer, full_page};
use crate::ftl::write::pages::Read;
use crate::ftl::{Ftl, Step};
use crate::nand::Lpn;

/// The cached part of the mapping table.
#[derive(Debug)]
pub(in crate::ftl) struct Translation {
    entries_per_page: u32,
    pages: u32,
    capacity: usize,
    /// Sectors that a miss brings.
    read: SectorMask,
    /// Cached entries; true where changed since they were read.
    cached: Lru<Lpn, bool>,
    /// Changed entries by translation page.
    changed: BTreeMap<u32, Vec<Lpn>>,
    /// Page operations that wait for a translation page.
    waiting: BTreeMap<u32, Vec<PageOp>>,
}

state! {
    Translation {
        values: cached, changed, waiting;
        derived: entries_per_page, pages, capacity, read;
    }
}

impl Translation {
    pub fn new(config: &Config, host_pages: u64) -> Translation {
        let entries_per_page = config.unit_bytes() / config.ftl.entry_bytes;
        Translation {
            entries_per_page,
            pages: host_pages.div_ceil(entries_per_page.into()) as u32,
            capacity: (config.ftl.cmt_bytes / u64::from(config.ftl.entry_bytes)).max(1) as usize,
            read: match config.ftl.map_transfer {
                MapTransfer::Page => full_page(config.sectors_per_unit()),
                MapTransfer::Sector => 1,
            },
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

    /// Pages of the table with changed entries, whose entries now count as written.
    fn take_changed(&mut self) -> Vec<u32> {
        let changed = std::mem::take(&mut self.changed);
        for &lpn in changed.values().flatten() {
            if let Some(flag) = self.cached.peek_mut(lpn) {
                *flag = false;
            }
        }
        changed.into_keys().collect()
    }

    /// The translation page of an entry.
    #[inline]
    fn page_of(&self, lpn: Lpn) -> u32 {
        (lpn.index() / self.entries_per_page as usize) as u32
    }

    fn mark_changed(&mut self, lpn: Lpn) {
        if let Some(changed) = self.cached.peek_mut(lpn)
            && !*changed
        {
            *changed = true;
            self.changed.entry(self.page_of(lpn)).or_default().push(lpn);
        }
    }

    /// Caches an entry; returns the translation page that must be written for it to fit.
    fn insert(&mut self, lpn: Lpn) -> Option<u32> {
        if self.cached.peek(lpn).is_some() {
            return None;
        }
        let mut write_back = None;
        if self.cached.len() >= self.capacity
            && let Some(place) = self.cached.oldest()
        {
            let (oldest, changed) = (self.cached.key(place), *self.cached.value(place));
            self.cached.remove(place);
            if changed {
                let page = self.page_of(oldest);
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
    pub(in crate::ftl) fn translate(&mut self, op: PageOp, step: &mut Step<'_>) -> Result<bool, SimError> {
        let Some(table) = &mut self.translation else { return Ok(true) };
        let page = table.page_of(op.lpn);
        let waiting = table.waiting.get_mut(&page);
        let is_hit = table.cached.get_mut(op.lpn).is_some();
        *(if is_hit { &mut self.pages.counters.map_hits } else { &mut self.pages.counters.map_misses }) += 1;
        // GC may have cached the entry since an earlier operation of its page began to wait: that goes first all the same.
        if let Some(waiting) = waiting.filter(|its| !is_hit || its.iter().any(|other| other.lpn == op.lpn)) {
            waiting.push(op);
            return Ok(false);
        }
        if is_hit {
            if op.kind != PageOpKind::Read {
                table.mark_changed(op.lpn);
            }
            return Ok(true);
        }
        let home = self.pages.format.host_end + page;
        let mut place = self.pages.mapping.get(home).map(|pun| self.pages.geometry.address(pun));
        if place.is_none() {
            place = self.preload(home, self.pages.format.full_page, step)?;
        }
        let Some(address) = place.filter(|&address| !self.pages.blocks.is_in_controller(address)) else {
            // The page was never written, or is still in the controller.
            self.cache_entry(op, step)?;
            return Ok(true);
        };
        let Some(table) = &mut self.translation else { return Ok(true) };
        table.waiting.insert(page, vec![op]);
        let (class, owner, priority) = (Class::MapRead, Owner::Map(page), op.priority);
        self.pages.order_read(
            Read { class, owner, lpn: home, sectors: table.read, priority },
            address,
            step.out,
        );
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
        let lpn = self.pages.format.host_end + page;
        // One changed sector stands for all: the page is read and programmed whole in any case.
        let op = PageOp::unowned(lpn, 1, Writer::default());
        self.pages.take_in(&op, false);
        self.serve(op, step)
    }

    /// Writes the changed entries of the cached table, at a shutdown; false where there are none.
    ///
    /// # Errors
    /// See [`Ftl::submit`].
    pub fn write_changed_entries(&mut self, step: &mut Step<'_>) -> Result<bool, SimError> {
        let pages = self.translation.as_mut().map(Translation::take_changed).unwrap_or_default();
        for &page in &pages {
            self.write_back(page, step)?;
        }
        Ok(!pages.is_empty())
    }

    /// A translation page is here: cache the entries that were waited for, and go on.
    pub(in crate::ftl) fn map_read_done(&mut self, page: u32, step: &mut Step<'_>) -> Result<(), SimError> {
        let waiting = self.translation.as_mut().and_then(|t| t.waiting.remove(&page)).unwrap_or_default();
        for op in waiting {
            self.cache_entry(op, step)?;
            self.serve(op, step)?;
        }
        Ok(())
    }

    /// GC moved a page: its entry changes, in the cache (DFTL's lazy copying).
    pub(in crate::ftl) fn note_moved(&mut self, lpn: Lpn, step: &mut Step<'_>) -> Result<(), SimError> {
        self.journal_goes_on(step)?;
        if self.translation.is_none() || self.pages.format.is_of_table(lpn) {
            return Ok(());
        }
        self.cache_entry(PageOp::unowned(lpn, 0, Writer::default()), step)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Layer, resolve};
    use crate::flash::Outbox;
    use crate::nand::Nand;
    use crate::options::RunOptions;

    #[test]
    fn an_operation_waits_for_an_earlier_one_of_its_page_although_its_entry_is_cached() {
        let text = "[ssd]\nblocks_per_plane = 16\npages_per_block = 8\noverprovisioning = 0.3\n\
                    [ftl]\nmapping = \"dftl\"\ncmt_bytes = 64\n";
        let config = resolve(&[Layer::file("test", text)]).unwrap().config;
        let mut nand = Nand::new(&config);
        let mut ftl = Ftl::new(&config, 1, &RunOptions::default());
        let mut step = Step {
            nand: &mut nand,
            now: 0,
            out: &mut Outbox::new(config.geometry().dies() as usize),
            failures: &mut Vec::new(),
        };
        let full = ftl.pages.format.full_page;
        let op = |kind, lpn| PageOp { kind, ..PageOp::unowned(lpn, full, Writer::default()) };
        assert!(
            !ftl.translate(op(PageOpKind::Trim, Lpn::new(4)), &mut step).unwrap(),
            "its entry is on flash"
        );
        // GC moves the page, and another one.
        ftl.note_moved(Lpn::new(4), &mut step).unwrap();
        ftl.note_moved(Lpn::new(5), &mut step).unwrap();
        assert!(
            !ftl.translate(op(PageOpKind::Write, Lpn::new(4)), &mut step).unwrap(),
            "the trim goes first"
        );
        assert!(
            ftl.translate(op(PageOpKind::Write, Lpn::new(5)), &mut step).unwrap(),
            "nothing of its page waits"
        );
        let waiting: Vec<_> = ftl.translation.unwrap().waiting.into_values().flatten().collect();
        let kinds: Vec<_> = waiting.iter().map(|op| (op.kind, op.lpn)).collect();
        assert_eq!(kinds, [(PageOpKind::Trim, Lpn::new(4)), (PageOpKind::Write, Lpn::new(4))]);
    }
}
