//! Partial writes: read the rest of the page, then program the whole.

use serde::{Deserialize, Serialize};

use std::collections::BTreeMap;
use std::io;

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use super::pages::{Pages, Read};
use crate::engine::{LoadError, Loader, Saver, Slab, State};
use crate::error::SimError;
use crate::flash::{Class, Outbox, Owner, PageOp, PageOpKind, Priority, SectorMask, Writer};
use crate::ftl::{Ftl, Step};
use crate::nand::{Lpn, NONE, UnitAddress};

/// A page whose old sectors are being read.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Merge {
    lpn: Lpn,
    sectors: SectorMask,
    first_waiter: u32,
    /// The request that wrote to it first.
    writer: Writer,
    priority: Priority,
}

/// A write that waits for them.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Waiter {
    owner: Owner,
    sectors: SectorMask,
    next: u32,
}

/// All partial writes under way.
#[derive(Debug)]
pub(in crate::ftl) struct Merges {
    merges: Slab<Merge>,
    waiters: Slab<Waiter>,
    by_page: HashMap<Lpn, u32, FxBuildHasher>,
    /// Writes that wait for the same page share one program.
    coalesce: bool,
    /// The class of the reads for pages that leave the DRAM cache.
    of_cache: Class,
}

impl State for Merges {
    fn save(&self, to: &mut Saver<'_>) -> io::Result<()> {
        let Merges { merges, waiters, by_page, coalesce: _, of_cache: _ } = self;
        // The order of a hash map must not be seen.
        let by_page: BTreeMap<Lpn, u32> = by_page.iter().map(|(&lpn, &id)| (lpn, id)).collect();
        to.value(&(merges, waiters, by_page))
    }

    fn load(&mut self, from: &mut Loader<'_>) -> Result<(), LoadError> {
        let by_page: BTreeMap<Lpn, u32>;
        (self.merges, self.waiters, by_page) = from.value()?;
        self.by_page = by_page.into_iter().collect();
        Ok(())
    }
}

impl Merges {
    /// Whether all pages and writes are there.
    /// True where there is such a merge.
    pub fn has(&self, id: u32) -> bool {
        self.merges.has(id)
    }

    pub fn is_sound(&self, is_page: impl Fn(Lpn) -> bool) -> bool {
        let is_waiter = |id: u32| id == NONE || self.waiters.has(id);
        self.merges.iter().all(|merge| is_page(merge.lpn) && is_waiter(merge.first_waiter))
            && self.waiters.iter().all(|waiter| is_waiter(waiter.next))
            && self.by_page.values().all(|&id| self.merges.has(id))
    }

    /// None under way.
    pub fn new(coalesce: bool, of_cache: Class) -> Merges {
        Merges {
            merges: Slab::default(),
            waiters: Slab::default(),
            by_page: HashMap::default(),
            coalesce,
            of_cache,
        }
    }

    /// Checked mode, when a run has ended: no partial write is under way.
    pub fn verify(&self) -> Result<(), String> {
        if self.merges.is_empty() && self.waiters.is_empty() && self.by_page.is_empty() {
            return Ok(());
        }
        Err("the run is over, but a partial write waits for its page".to_owned())
    }

    /// True when a page's old sectors are being read: a further write of it joins.
    #[inline]
    pub fn is_waiting(&self, lpn: Lpn) -> bool {
        !self.by_page.is_empty() && self.by_page.contains_key(&lpn)
    }

    /// Reads what a page that is written in part keeps.
    pub fn start(
        &mut self,
        op: PageOp,
        old: UnitAddress,
        kept: SectorMask,
        pages: &mut Pages,
        out: &mut Outbox,
    ) {
        let waiter = self.waiters.insert(Waiter { owner: op.owner, sectors: op.sectors, next: NONE });
        let PageOp { lpn, sectors, writer, priority, .. } = op;
        let merge = Merge { lpn, sectors, first_waiter: waiter, writer, priority };
        let id = self.merges.insert(merge);
        self.by_page.insert(op.lpn, id);
        pages.counters.merge_reads += 1;
        let class = match op.owner {
            _ if pages.format.is_of_table(lpn) => Class::MapRead,
            // The host's write ended in DRAM: nobody waits, and the flush of a cache has thousands of such reads.
            Owner::Slot(_) => self.of_cache,
            _ => Class::UserRead,
        };
        pages.order_read(Read { class, owner: Owner::Merge(id), lpn, sectors: kept, priority }, old, out);
    }

    /// A further write of a page whose old sectors are being read; returns the sectors that an earlier one gives up to it.
    pub fn join(&mut self, op: PageOp) -> SectorMask {
        let id = self.by_page[&op.lpn];
        let waiter = self.waiters.insert(Waiter { owner: op.owner, sectors: op.sectors, next: NONE });
        let merge = &mut self.merges[id];
        let replaced = if self.coalesce { merge.sectors & op.sectors } else { 0 };
        merge.sectors |= op.sectors;
        let mut last = merge.first_waiter;
        while self.waiters[last].next != NONE {
            last = self.waiters[last].next;
        }
        self.waiters[last].next = waiter;
        replaced
    }

    /// The next of a list of waiters, which is forgotten.
    fn next_waiter(&mut self, next: &mut u32) -> Option<Waiter> {
        let waiter = (*next != NONE).then(|| self.waiters.remove(*next))?;
        *next = waiter.next;
        Some(waiter)
    }

    /// The page is programmed: tell all who wrote to it.
    pub fn program_done(&mut self, id: u32, out: &mut Outbox) {
        let mut next = self.merges.remove(id).first_waiter;
        while let Some(waiter) = self.next_waiter(&mut next) {
            out.served.push(waiter.owner);
        }
    }

    /// Power is gone: the writes whose pages' old sectors were being read, one for each page.
    pub fn power_cut(&mut self) -> Vec<PageOp> {
        let merges = std::mem::replace(self, Merges::new(self.coalesce, self.of_cache));
        let mut writes: Vec<PageOp> = merges
            .by_page
            .values()
            .map(|&id| {
                let Merge { lpn, sectors, writer, priority, .. } = merges.merges[id];
                PageOp { priority, ..PageOp::unowned(lpn, sectors, writer) }
            })
            .collect();
        writes.sort_unstable_by_key(|write| write.lpn);
        writes
    }
}

impl Ftl {
    /// The old sectors of a page are here: program it, once for all who wait where writes coalesce.
    pub(in crate::ftl) fn merge_read_done(&mut self, id: u32, step: &mut Step<'_>) -> Result<(), SimError> {
        let Merge { lpn, sectors, writer, priority, .. } = self.merges.merges[id];
        self.merges.by_page.remove(&lpn);
        let write =
            |sectors, owner| PageOp { kind: PageOpKind::Write, lpn, sectors, owner, writer, priority };
        if self.merges.coalesce {
            return self.place(write(sectors, Owner::Merge(id)), step).map(drop);
        }
        let mut next = self.merges.merges.remove(id).first_waiter;
        let mut queue = None;
        while let Some(waiter) = self.merges.next_waiter(&mut next) {
            let op = write(waiter.sectors, waiter.owner);
            match queue {
                Some(pool) => self.park_behind(pool, op),
                None => queue = self.place(op, step)?,
            }
        }
        Ok(())
    }
}
