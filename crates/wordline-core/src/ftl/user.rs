//! Page operations of the host or the cache, until they are done or have become transactions.

use crate::error::SimError;
use crate::flash::{PageOp, PageOpKind, SectorMask};
use crate::ftl::{Ftl, Step};
use crate::nand::{Lpn, PoolId, Pun, UnitAddress};

impl Ftl {
    /// A page will be needed soon: prefetches its mapping entry.
    #[inline]
    pub fn prefetch_entry(&self, lpn: Lpn) {
        self.pages.mapping.prefetch(lpn);
    }

    /// A page will be needed very soon and its mapping entry is at hand: prefetches what it points to.
    #[inline]
    pub fn prefetch_block(&self, lpn: Lpn) {
        self.pages.prefetch_block(lpn);
    }

    /// Serves a page operation, after fetching its mapping entry where that is not in DRAM.
    ///
    /// # Errors
    /// [`SimError::OutOfSpace`] when a plane has no room left, [`SimError::Check`] in checked mode.
    #[inline(always)]
    pub fn submit(&mut self, op: PageOp, step: &mut Step<'_>) -> Result<(), SimError> {
        debug_assert!(!self.pages.format.is_of_table(op.lpn));
        self.reclaim.host_asks(step.now);
        if self.translation.is_some() && !self.translate(op, step)? {
            return Ok(());
        }
        self.serve(op, step)
    }

    /// Serves a page operation whose mapping entry is at hand.
    #[inline(always)]
    pub(super) fn serve(&mut self, op: PageOp, step: &mut Step<'_>) -> Result<(), SimError> {
        match op.kind {
            PageOpKind::Read => self.read(op, step),
            PageOpKind::Write => self.write(op, step),
            PageOpKind::Trim => {
                let freed = self.trim(op)?;
                step.out.served.push(op.owner);
                if freed.is_some()
                    && let Some(held) = self.pages.entry_is_gone(op.lpn)
                {
                    self.release_read(held, step)?;
                }
                match freed {
                    // Its block may have become worth reclaiming, and a write may wait for that.
                    Some(pun) => self.after_allocation(self.pages.pool_of_page(pun), step),
                    None => Ok(()),
                }
            }
        }
    }

    #[inline(always)]
    fn read(&mut self, op: PageOp, step: &mut Step<'_>) -> Result<(), SimError> {
        match self.pages.mapping.get(op.lpn) {
            Some(pun) => self.pages.read_from(self.pages.geometry.address(pun), op, step.out),
            None => self.read_unmapped(op, step),
        }
    }

    /// Reads a page that has no place, or is given one now.
    #[inline(never)]
    fn read_unmapped(&mut self, op: PageOp, step: &mut Step<'_>) -> Result<(), SimError> {
        let pages = &mut self.pages;
        let pool = pages.home(op.lpn);
        if !pages.mapping.is_trimmed(op.lpn)
            && let Some(address) = pages.preload_at_home(pool, op.lpn, op.sectors, step.nand)
        {
            if self.reclaim.is_wanted(pool, pages) {
                return self.read_after_allocation(pool, address, op, step);
            }
            return pages.read_flash(address, op, step.out);
        }
        if let Some(shadow) = &mut pages.shadow {
            shadow.check_lookup(op.lpn, None, op.sectors)?;
        }
        pages.counters.reads_without_flash += 1;
        step.out.served.push(op.owner);
        Ok(())
    }

    /// Reads a page that was given a place in a pool which may now want to reclaim its group.
    #[inline(never)]
    fn read_after_allocation(
        &mut self,
        pool: PoolId,
        address: UnitAddress,
        op: PageOp,
        step: &mut Step<'_>,
    ) -> Result<(), SimError> {
        self.after_allocation(pool, step)?;
        self.pages.read_from(address, op, step.out)
    }

    /// Gives a page that is read before it was ever written the place where it would have been.
    pub(super) fn preload(
        &mut self,
        lpn: Lpn,
        sectors: SectorMask,
        step: &mut Step<'_>,
    ) -> Result<Option<UnitAddress>, SimError> {
        let pool = self.pages.home(lpn);
        let address = self.pages.preload_at_home(pool, lpn, sectors, step.nand);
        if address.is_some() {
            self.after_allocation(pool, step)?;
        }
        Ok(address)
    }

    /// Forgets a page; returns where it was.
    fn trim(&mut self, op: PageOp) -> Result<Option<Pun>, SimError> {
        // Only whole pages can be forgotten; a page whose partial write is under way stays.
        let is_kept = op.sectors != self.pages.format.full_page || self.merges.is_waiting(op.lpn);
        if is_kept { Ok(None) } else { self.pages.forget(op.lpn) }
    }

    #[inline(always)]
    fn write(&mut self, op: PageOp, step: &mut Step<'_>) -> Result<(), SimError> {
        if self.merges.is_waiting(op.lpn) {
            let replaced = self.merges.join(op);
            if let Some(shadow) = &mut self.pages.shadow {
                shadow.at_hand.joined(op.lpn, replaced);
            }
            return Ok(());
        }
        let pages = &mut self.pages;
        let partial = op.sectors != pages.format.full_page;
        if partial
            && let Some(old) = pages.mapping.get(op.lpn)
            && let kept = pages.held(old) & !op.sectors
            && kept != 0
            && let old = pages.geometry.address(old)
            // Where the rest of the page is still in the controller, there is no need to read it.
            && !pages.blocks.is_in_controller(old)
        {
            self.merges.start(op, old, kept, pages, step.out);
            return Ok(());
        }
        self.place(op, step).map(drop)
    }

    /// A page of a pool was handed out: the pool may have to reclaim a group.
    #[inline]
    pub(super) fn after_allocation(&mut self, pool: PoolId, step: &mut Step<'_>) -> Result<(), SimError> {
        self.journal_goes_on(step)?;
        self.note_filled_up(step.now);
        if self.reclaim.begins_to_empty(pool, &self.pages) {
            self.empty_slc_cache(step)?;
        }
        if self.reclaim.is_wanted(pool, &self.pages) {
            if !self.reclaim.is_busy(pool) {
                return self.reclaim(pool, step);
            }
            // The pool may now be so small that the job can no longer wait.
            self.reclaim.update_urgency(pool, &self.pages, &self.parking, step.now, step.out);
        }
        Ok(())
    }
}
