//! Preconditioning: the same mapping, allocation and victim choice as in a run, without time.

use std::io;
use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

use super::Ftl;
use super::pages::Pages;
use super::reclaim::{LivePages, Reclaim};
use crate::engine::{LoadError, Loader, Saver, State};
use crate::error::SimError;
use crate::flash::WrittenPage;
use crate::nand::{BlockId, Nand, PlaneId};
use crate::policy::placement::Reason;

/// What preconditioning did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Preconditioned {
    /// Pages written for the host.
    pub host_pages: u64,
    /// Pages that GC moved meanwhile.
    pub moved_pages: u64,
    /// Blocks that it erased.
    pub erases: u64,
}

impl AddAssign for Preconditioned {
    fn add_assign(&mut self, more: Preconditioned) {
        self.host_pages += more.host_pages;
        self.moved_pages += more.moved_pages;
        self.erases += more.erases;
    }
}

/// Entries of the mapping table that are fetched ahead, so that their cache misses overlap.
const AHEAD: usize = 32;

impl Ftl {
    /// Writes host pages that follow each other.
    ///
    /// # Errors
    /// [`SimError::OutOfSpace`] when they do not fit.
    pub fn fill(
        &mut self,
        pages: impl Iterator<Item = impl Into<WrittenPage>>,
        nand: &Nand,
    ) -> Result<(), SimError> {
        for page in pages {
            self.write_untimed(page.into(), nand)?;
        }
        Ok(())
    }

    /// Writes host pages that lie anywhere, in this order.
    ///
    /// # Errors
    /// [`SimError::OutOfSpace`] when a plane runs full.
    pub fn overwrite(
        &mut self,
        mut pages: impl Iterator<Item = impl Into<WrittenPage>>,
        nand: &Nand,
    ) -> Result<(), SimError> {
        let mut batch = [WrittenPage::from(0); AHEAD];
        loop {
            let mut count = 0;
            for (place, page) in batch.iter_mut().zip(&mut pages) {
                *place = page.into();
                self.pages.mapping.prefetch(place.lpn);
                count += 1;
            }
            for page in &batch[..count] {
                self.pages.prefetch_block(page.lpn);
            }
            for &page in &batch[..count] {
                self.write_untimed(page, nand)?;
            }
            if count < AHEAD {
                return Ok(());
            }
        }
    }

    /// Pages written and moved, and blocks erased, since the last call; the run's counters start
    /// from zero.
    pub fn take_preconditioned(&mut self) -> Preconditioned {
        let counters = std::mem::take(&mut self.pages.counters);
        Preconditioned {
            host_pages: counters.user_writes,
            moved_pages: counters.moved,
            erases: counters.erases,
        }
    }

    /// Writes what writing without time has changed: pages and blocks, and the state of GC.
    ///
    /// # Errors
    /// What is written to fails.
    pub fn save_written(&self, to: &mut Saver<'_>) -> io::Result<()> {
        self.pages.save(to)?;
        self.reclaim.save(to)
    }

    /// Takes back what [`Ftl::save_written`] wrote, which need not come from an FTL with the same write path.
    ///
    /// # Errors
    /// See [`LoadError`].
    pub fn load_written(&mut self, from: &mut Loader<'_>) -> Result<(), LoadError> {
        self.pages.load(from)?;
        self.reclaim.load(from)
    }

    #[inline]
    fn write_untimed(
        &mut self,
        WrittenPage { lpn, writer }: WrittenPage,
        nand: &Nand,
    ) -> Result<(), SimError> {
        let Ftl { pages, reclaim, .. } = self;
        let stream = pages.stream_for(lpn, writer);
        let pool = pages.pool_to_write(lpn, stream);
        let address = loop {
            if let Some(address) = pages.blocks.allocate(pool, stream) {
                break address;
            }
            if reclaim.collect_untimed(pool, pages, nand)?.is_none() {
                return Err(pages.is_full(pool));
            }
        };
        if let Some(shadow) = &mut pages.shadow {
            shadow.accept(lpn, pages.format.full_page);
            shadow.commit(lpn, address.ppn, pages.format.full_page, None);
        }
        if let Some(old) = pages.mapping.bind(lpn, address.ppn) {
            pages.blocks.invalidate(old);
        }
        pages.blocks.programmed(address);
        pages.counters.user_writes += 1;
        // A block was just filled: collect until the pool is where a run would leave it.
        if address.page + 1 == pages.geometry.pages_per_block {
            // Blocks without a page to reclaim may be victims, too: all of them in turn win nothing where no page is dead.
            let mut left = 2 * pages.geometry.blocks_per_plane;
            while reclaim.free_blocks(pool, pages) < reclaim.untimed_blocks() && left > 0 {
                left -= 1;
                if reclaim.collect_untimed(pool, pages, nand)?.is_none() {
                    break;
                }
            }
        }
        Ok(())
    }
}

impl Pages {
    /// The error of preconditioning that finds no room.
    fn is_full(&self, pool: PlaneId) -> SimError {
        SimError::OutOfSpace(format!("preconditioning: {}", self.no_room(pool)))
    }
}

impl Reclaim {
    /// Collects one group, if one is worth it; returns which.
    pub(super) fn collect_untimed(
        &mut self,
        pool: PlaneId,
        pages: &mut Pages,
        nand: &Nand,
    ) -> Result<Option<BlockId>, SimError> {
        let Some(victim) = self.gc_victim(pool, pages) else { return Ok(None) };
        pages.begin_reclaiming(victim);
        let grouping = pages.blocks.grouping();
        // All of its mapping entries first, so that their cache misses overlap.
        for block in grouping.members(victim) {
            for from in pages.mapping.valid_in(pages.geometry.first_page(block), pages.end_of(block)) {
                pages.mapping.prefetch(pages.mapping.lpn_of(from));
            }
        }
        let end = pages.end_of(victim);
        let mut rows = LivePages::of(pages.geometry.first_page(victim));
        while let Some(from) = rows.next(end, pages) {
            let lpn = pages.mapping.lpn_of(from);
            let stream = pages.stream_for_moved(lpn, from, Reason::Gc);
            let to = pages.blocks.allocate_to_move(pool, stream);
            let to = to.ok_or_else(|| pages.is_full(pool))?;
            pages.rebind(lpn, from, to.ppn);
            pages.blocks.programmed(to);
        }
        let written: Vec<_> = pages.blocks.written_members(victim).collect();
        for block in written {
            pages.erased(block, false, nand)?;
        }
        Ok(Some(victim))
    }
}
