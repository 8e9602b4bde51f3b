//! Preconditioning: the same mapping, allocation and victim choice as in a run, without time.

use std::io;

use crate::engine::{LoadError, Loader, Saver, State};
use crate::error::SimError;
use crate::flash::{Block, BlockState, Class, PageOp, WrittenPage};
use crate::ftl::Ftl;
use crate::ftl::blocks::GroupOfBlocks;
use crate::ftl::reclaim::reason_for;
use crate::ftl::reclaim::relocation::Untimed;
use crate::ftl::write::pages::Pages;
use crate::ftl::write::put::{Placing, To, Why};
use crate::metrics::Preconditioned;
use crate::nand::{Lpn, Nand, PoolId};

/// A group of blocks that is full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FullGroup {
    /// Blocks that had ever been filled when its last one was.
    pub filled: u32,
    /// Its live pages.
    pub live: u32,
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
            self.write_page(page.into(), nand)?;
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
                self.write_page(page, nand)?;
            }
            if count < AHEAD {
                return Ok(());
            }
        }
    }

    /// All groups of blocks in one order; none in the place of one that is not full.
    #[must_use]
    pub fn full_groups(&self) -> Vec<Option<FullGroup>> {
        let blocks = &self.pages.blocks;
        let full = |group: GroupOfBlocks| {
            let is_full = group.state == BlockState::Full;
            is_full.then_some(FullGroup { filled: group.filled_seq, live: group.valid })
        };
        blocks.pools().flat_map(|pool| blocks.groups_of(pool)).map(|(_, group)| full(group)).collect()
    }

    /// Units that free and open blocks have yet to hand out.
    #[must_use]
    pub fn unwritten_units(&self) -> u64 {
        let blocks = &self.pages.blocks;
        let takes_more = |block: &&Block| matches!(block.state(), BlockState::Free | BlockState::Open);
        let left = |block: &Block| u64::from(blocks.pages_of(block)) - u64::from(block.next_page);
        blocks.table().iter().filter(takes_more).map(left).sum()
    }

    /// Blocks of a group.
    #[must_use]
    pub fn blocks_per_group(&self) -> u32 {
        self.pages.blocks.grouping().width()
    }

    /// Pages written and moved, and blocks erased, since the last call; the run's counters start
    /// from zero.
    pub fn take_preconditioned(&mut self) -> Preconditioned {
        self.pages.close_pages();
        self.pages.blocks.take_filled_up();
        let counters = self.pages.take_counters();
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
        self.zoned.save(to)?;
        self.reclaim.save(to)
    }

    /// Takes back what [`Ftl::save_written`] wrote, which need not come from an FTL with the same write path.
    ///
    /// # Errors
    /// See [`LoadError`].
    pub fn load_written(&mut self, from: &mut Loader<'_>) -> Result<(), LoadError> {
        self.pages.load(from)?;
        self.zoned.load(from)?;
        self.reclaim.load(from)?;
        from.check(|| self.is_sound())
    }

    /// Writes a page of the host, whole.
    #[inline]
    fn write_page(
        &mut self,
        WrittenPage { lpn, writer, is_trimmed }: WrittenPage,
        nand: &mut Nand,
    ) -> Result<(), SimError> {
        if is_trimmed {
            return self.trim_at_once(lpn, &mut Untimed::new(nand, "preconditioning"));
        }
        let op = PageOp::unowned(lpn, self.pages.format.full_page, writer);
        self.pages.take_in(&op, true);
        self.write_at_once(op, &mut Untimed::new(nand, "preconditioning"))
    }

    /// The host gives up a page.
    #[cold]
    fn trim_at_once(&mut self, lpn: Lpn, medium: &mut Untimed<'_>) -> Result<(), SimError> {
        let full = self.pages.format.full_page;
        if let Some(shadow) = &mut self.pages.shadow {
            shadow.trim(lpn, full);
        }
        if self.pages.forget(lpn)?.is_some() {
            self.pages.entry_is_gone(lpn);
        }
        self.journal_goes_on(medium)
    }

    /// [`Ftl::place`] without time: what has no room in its pool waits for nothing.
    #[inline]
    pub(super) fn write_at_once(&mut self, op: PageOp, medium: &mut Untimed<'_>) -> Result<(), SimError> {
        let PageOp { lpn, sectors, writer, .. } = op;
        let stream = self.pages.stream_for(lpn, writer);
        let pool = self.pages.pool_to_write(lpn, stream, |_| false);
        let padding = Placing::padding(pool, To::Stream(stream), Class::UserWrite);
        let write = Placing { lpn, sectors, why: Why::Written, ..padding };
        let placed = loop {
            match self.pages.put(&write, medium)? {
                Some(placed) => break placed,
                None if self.collect_untimed(pool, medium)? => {}
                None => return Err(self.pages.is_full(pool)),
            }
        };
        // A block was just filled: collect until the pool is where a run would leave it.
        if self.pages.blocks.get(placed.at.block).state() != BlockState::Open {
            // Blocks without a page to reclaim may be victims, too: all of them in turn win nothing where no page is dead.
            let mut left = 2 * self.pages.geometry.blocks_per_plane;
            while self.reclaim.free_blocks(pool, &self.pages) < self.reclaim.untimed_blocks()
                && left > 0
                && self.collect_untimed(pool, medium)?
            {
                left -= 1;
            }
        }
        self.journal_goes_on(medium)
    }

    /// Collects one group without time; false where none is worth it.
    #[inline(never)]
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
