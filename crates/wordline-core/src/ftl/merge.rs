//! Partial writes: read the rest of the page, then program the whole.

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use super::Ftl;
use crate::engine::{Ns, Slab};
use crate::error::SimError;
use crate::flash::{Class, Outbox, Owner, PageOp, PageOpKind, SectorMask};
use crate::nand::{Address, Lpn, NONE, Nand};

/// A page whose old sectors are being read.
#[derive(Clone, Copy, Debug)]
struct Merge {
    lpn: Lpn,
    sectors: SectorMask,
    first_waiter: u32,
    stream: u8,
}

/// A write that waits for them.
#[derive(Clone, Copy, Debug)]
struct Waiter {
    owner: Owner,
    sectors: SectorMask,
    next: u32,
}

/// All partial writes under way.
#[derive(Debug, Default)]
pub(super) struct Merges {
    merges: Slab<Merge>,
    waiters: Slab<Waiter>,
    by_page: HashMap<Lpn, u32, FxBuildHasher>,
}

impl Merges {
    /// True when no partial write is under way.
    pub fn is_empty(&self) -> bool {
        self.merges.is_empty() && self.waiters.is_empty() && self.by_page.is_empty()
    }

    /// True when a page's old sectors are being read: a further write of it joins.
    #[inline]
    pub fn is_waiting(&self, lpn: Lpn) -> bool {
        !self.by_page.is_empty() && self.by_page.contains_key(&lpn)
    }
}

impl Ftl {
    /// Reads what a page that is written in part keeps.
    pub(super) fn start_merge(&mut self, op: PageOp, old: Address, kept: SectorMask, out: &mut Outbox) {
        let waiter = self.merges.waiters.insert(Waiter { owner: op.owner, sectors: op.sectors, next: NONE });
        let merge = Merge { lpn: op.lpn, sectors: op.sectors, first_waiter: waiter, stream: op.stream };
        let id = self.merges.merges.insert(merge);
        self.merges.by_page.insert(op.lpn, id);
        self.counters.merge_reads += 1;
        let bytes =
            if self.whole_page_reads { self.page_bytes + self.spare_bytes } else { self.bytes_of(kept) };
        let class = if op.lpn < self.host_pages { Class::UserRead } else { Class::MapRead };
        self.read_page(class, Owner::Merge(id), old, op.lpn, bytes, kept, out);
    }

    /// Power is gone: the writes whose pages' old sectors were being read, one for each page.
    pub(super) fn take_partial_writes(&mut self) -> Vec<PageOp> {
        let merges = std::mem::take(&mut self.merges);
        let mut writes: Vec<PageOp> = merges
            .by_page
            .values()
            .map(|&id| {
                let Merge { lpn, sectors, stream, .. } = merges.merges[id];
                PageOp { kind: PageOpKind::Write, lpn, sectors, owner: Owner::Nobody, stream }
            })
            .collect();
        writes.sort_unstable_by_key(|write| write.lpn);
        writes
    }

    /// A further write of a page whose old sectors are being read.
    pub(super) fn join_merge(&mut self, op: PageOp) {
        let id = self.merges.by_page[&op.lpn];
        let waiter = self.merges.waiters.insert(Waiter { owner: op.owner, sectors: op.sectors, next: NONE });
        let merge = &mut self.merges.merges[id];
        merge.sectors |= op.sectors;
        let mut last = merge.first_waiter;
        while self.merges.waiters[last].next != NONE {
            last = self.merges.waiters[last].next;
        }
        self.merges.waiters[last].next = waiter;
    }

    /// The old sectors are here: program the page, once for all who wait where writes coalesce.
    pub(super) fn merge_read_done(
        &mut self,
        id: u32,
        nand: &mut Nand,
        now: Ns,
        out: &mut Outbox,
    ) -> Result<(), SimError> {
        let merge = self.merges.merges[id];
        self.merges.by_page.remove(&merge.lpn);
        let Merge { lpn, stream, .. } = merge;
        let write = |sectors, owner| PageOp { kind: PageOpKind::Write, lpn, sectors, owner, stream };
        if self.coalesce {
            return self.place(write(merge.sectors, Owner::Merge(id)), nand, now, out);
        }
        self.merges.merges.remove(id);
        let mut next = merge.first_waiter;
        while next != NONE {
            let waiter = self.merges.waiters.remove(next);
            self.place(write(waiter.sectors, waiter.owner), nand, now, out)?;
            next = waiter.next;
        }
        Ok(())
    }

    /// The page is programmed: tell all who wrote to it.
    pub(super) fn merge_program_done(&mut self, id: u32, out: &mut Outbox) {
        let mut next = self.merges.merges.remove(id).first_waiter;
        while next != NONE {
            let waiter = self.merges.waiters.remove(next);
            out.served.push(waiter.owner);
            next = waiter.next;
        }
    }
}
