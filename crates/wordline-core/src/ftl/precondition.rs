//! Preconditioning: the same mapping, allocation and victim choice as in a run, without time.

use std::io;
use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

use super::Ftl;
use super::pages::Pages;
use super::reclaim::reason_for;
use super::relocation::Untimed;
use crate::engine::{LoadError, Loader, Saver, State};
use crate::error::SimError;
use crate::flash::{BlockState, WrittenPage};
use crate::nand::{Lpn, Nand, PoolId};

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
        nand: &mut Nand,
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
        nand: &mut Nand,
    ) -> Result<(), SimError> {
        let mut batch = [WrittenPage::from(Lpn::new(0)); AHEAD];
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
        self.pages.close_pages();
        let counters = std::mem::take(&mut self.pages.counters);
        Preconditioned {
            host_pages: counters.user_programs(),
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
    pub(super) fn write_untimed(
        &mut self,
        WrittenPage { lpn, writer }: WrittenPage,
        nand: &mut Nand,
    ) -> Result<(), SimError> {
        let stream = self.pages.stream_for(lpn, writer);
        let pool = self.pages.pool_to_write(lpn, stream);
        let address = loop {
            if let Some(address) = self.pages.blocks.allocate(pool, stream) {
                self.pages.packing.note_pool(pool, stream);
                break address;
            }
            if !self.collect_before_run(pool, nand)? {
                return Err(self.pages.is_full(pool));
            }
        };
        let pages = &mut self.pages;
        if let Some(shadow) = &mut pages.shadow {
            shadow.accept(lpn, pages.format.full_page);
            shadow.commit(lpn, address.place, pages.format.full_page, None);
        }
        if let Some(old) = pages.mapping.bind(lpn, address.place) {
            pages.blocks.invalidate(old);
        }
        pages.entry_has_changed(lpn, address.place, true);
        pages.blocks.programmed(address);
        if pages.blocks.have_parity() {
            pages.parity_untimed(pool, stream);
        }
        pages.counters.user_writes += 1;
        if lpn >= pages.format.host_end {
            pages.counters.map_writes += 1;
            pages.counters.journal_writes += u64::from(pages.is_of_journal(lpn));
        }
        // A block was just filled: collect until the pool is where a run would leave it.
        if pages.blocks.get(address.block).state() != BlockState::Open {
            // Blocks without a page to reclaim may be victims, too: all of them in turn win nothing where no page is dead.
            let mut left = 2 * pages.geometry.blocks_per_plane;
            while self.reclaim.free_blocks(pool, &self.pages) < self.reclaim.untimed_blocks() && left > 0 {
                left -= 1;
                if !self.collect_before_run(pool, nand)? {
                    break;
                }
            }
        }
        self.journal_goes_on_untimed(nand)
    }

    #[inline(never)]
    fn collect_before_run(&mut self, pool: PoolId, nand: &mut Nand) -> Result<bool, SimError> {
        self.collect_untimed(pool, &mut Untimed::new(nand, "preconditioning"))
    }

    /// Collects one group without time; false where none is worth it.
    pub(super) fn collect_untimed(
        &mut self,
        pool: PoolId,
        medium: &mut Untimed<'_>,
    ) -> Result<bool, SimError> {
        let Some(victim) = self.reclaim.gc_victim(pool, &self.pages) else { return Ok(false) };
        // All of its mapping entries first, so that their cache misses overlap.
        let pages = &self.pages;
        for block in pages.blocks.grouping().members(victim) {
            for from in pages.mapping.valid_in(pages.geometry.first_page(block), pages.end_of(block)) {
                pages.mapping.prefetch(pages.mapping.lpn_of(from));
            }
        }
        let reason = reason_for(victim, &self.pages);
        self.reclaim.begin_job(pool, (victim, reason), true, &mut self.pages, medium);
        self.pump(pool, medium)?;
        Ok(true)
    }
}

impl Pages {
    /// The error of preconditioning that finds no room.
    fn is_full(&self, pool: PoolId) -> SimError {
        SimError::OutOfSpace(format!("preconditioning: {}", self.no_room(pool)))
    }
}
