//! The way of a page operation of the host or the cache.

use super::{Ftl, Parked};
use crate::engine::Ns;
use crate::error::SimError;
use crate::flash::{Class, Outbox, Owner, PageOp, PageOpKind, SectorMask, Txn, TxnOp};
use crate::nand::{Address, Lpn, Nand, Ppn};

/// Free blocks that user writes leave to GC in each plane.
pub(super) const GC_RESERVE: usize = 1;

impl Ftl {
    /// A page will be needed soon: its mapping entry starts on its way to the processor's cache.
    #[inline]
    pub fn prefetch_entry(&self, lpn: Lpn) {
        self.mapping.prefetch(lpn);
    }

    /// A page will be needed very soon, and its mapping entry is at hand: so will what it points to.
    #[inline]
    pub fn prefetch_block(&self, lpn: Lpn) {
        if let Some(ppn) = self.mapping.get(lpn) {
            self.blocks.prefetch(self.geometry.block_of(ppn));
            self.mapping.prefetch_valid(ppn);
            if let Some(map) = &self.sector_map {
                map.prefetch(ppn);
            }
        }
    }

    /// Serves a page operation, after fetching its mapping entry where that is not in DRAM.
    ///
    /// # Errors
    /// [`SimError::OutOfSpace`] when a plane has no room left, [`SimError::Check`] in checked mode.
    #[inline(always)]
    pub fn submit(&mut self, op: PageOp, nand: &mut Nand, now: Ns, out: &mut Outbox) -> Result<(), SimError> {
        debug_assert!(op.lpn < self.host_pages);
        self.host_steps += 1;
        if self.translation.is_some() && !self.translate(op, nand, now, out)? {
            return Ok(());
        }
        self.serve(op, nand, now, out)
    }

    /// Serves a page operation whose mapping entry is at hand.
    #[inline(always)]
    pub(super) fn serve(
        &mut self,
        op: PageOp,
        nand: &mut Nand,
        now: Ns,
        out: &mut Outbox,
    ) -> Result<(), SimError> {
        match op.kind {
            PageOpKind::Read => self.read(op, nand, now, out),
            PageOpKind::Write => self.write(op, nand, now, out),
            PageOpKind::Trim => {
                let freed = self.trim(op);
                out.served.push(op.owner);
                match freed {
                    // Its block may have become worth reclaiming, and a write may wait for that.
                    Some(ppn) => self.after_allocation(
                        self.geometry.plane_of(self.geometry.block_of(ppn)),
                        nand,
                        now,
                        out,
                    ),
                    None => Ok(()),
                }
            }
        }
    }

    #[inline(always)]
    fn read(&mut self, op: PageOp, nand: &mut Nand, now: Ns, out: &mut Outbox) -> Result<(), SimError> {
        match self.mapping.get(op.lpn) {
            Some(ppn) => self.read_from(self.geometry.address(ppn), op, out),
            None => self.read_unmapped(op, nand, now, out),
        }
    }

    /// Reads a page that has no place, or is given one now.
    #[inline(never)]
    fn read_unmapped(
        &mut self,
        op: PageOp,
        nand: &mut Nand,
        now: Ns,
        out: &mut Outbox,
    ) -> Result<(), SimError> {
        let plane = self.allocator.home(op.lpn);
        if self.preloaded
            && !self.mapping.is_trimmed(op.lpn)
            && let Some(address) = self.preload_in(plane, op.lpn, op.sectors, nand)
        {
            if self.wants_reclaim(plane) {
                return self.read_after_allocation(plane, address, op, nand, now, out);
            }
            return self.read_flash(address, op, out);
        }
        if let Some(shadow) = &mut self.shadow {
            shadow.check_lookup(op.lpn, None, op.sectors)?;
        }
        self.counters.reads_without_flash += 1;
        out.served.push(op.owner);
        Ok(())
    }

    /// Reads a page that was given a place in a plane which may now want to reclaim its block.
    #[inline(never)]
    fn read_after_allocation(
        &mut self,
        plane: u32,
        address: Address,
        op: PageOp,
        nand: &mut Nand,
        now: Ns,
        out: &mut Outbox,
    ) -> Result<(), SimError> {
        self.after_allocation(plane, nand, now, out)?;
        self.read_from(address, op, out)
    }

    /// Reads a page from where it is.
    #[inline(always)]
    fn read_from(&mut self, address: Address, op: PageOp, out: &mut Outbox) -> Result<(), SimError> {
        if !self.blocks.is_in_controller(address) {
            return self.read_flash(address, op, out);
        }
        // Its program is on its way, and the controller has it.
        if let Some(shadow) = &mut self.shadow {
            shadow.check_lookup(op.lpn, Some(address.ppn), op.sectors)?;
        }
        self.counters.reads_without_flash += 1;
        out.served.push(op.owner);
        Ok(())
    }

    #[inline(always)]
    fn read_flash(&mut self, address: Address, op: PageOp, out: &mut Outbox) -> Result<(), SimError> {
        if let Some(shadow) = &mut self.shadow {
            shadow.check_lookup(op.lpn, Some(address.ppn), op.sectors)?;
        }
        self.counters.user_reads += 1;
        let bytes = if self.whole_page_reads {
            self.page_bytes + self.spare_bytes
        } else {
            self.bytes_of(op.sectors)
        };
        self.read_page(Class::UserRead, op.owner, address, op.lpn, bytes, op.sectors, out);
        Ok(())
    }

    /// Puts a page that is read before it was ever written where it would have been.
    pub(super) fn preload(
        &mut self,
        lpn: Lpn,
        sectors: SectorMask,
        nand: &mut Nand,
        now: Ns,
        out: &mut Outbox,
    ) -> Result<Option<Address>, SimError> {
        let plane = self.allocator.home(lpn);
        let address = self.preload_in(plane, lpn, sectors, nand);
        if address.is_some() {
            self.after_allocation(plane, nand, now, out)?;
        }
        Ok(address)
    }

    /// See [`Ftl::preload`]. A full plane has no room to pretend in: the read finds no data.
    #[inline(always)]
    fn preload_in(&mut self, plane: u32, lpn: Lpn, sectors: SectorMask, nand: &Nand) -> Option<Address> {
        let address = self.blocks.allocate_preloaded(plane, self.preload_stream, GC_RESERVE, nand)?;
        self.mapping.bind_new(lpn, address.ppn);
        if let Some(shadow) = &mut self.shadow {
            shadow.commit(lpn, address.ppn, 0, None);
        }
        if let Some(map) = &mut self.sector_map {
            map.set(address.ppn, sectors);
        }
        self.counters.preloaded += 1;
        Some(address)
    }

    #[inline(always)]
    fn write(&mut self, op: PageOp, nand: &mut Nand, now: Ns, out: &mut Outbox) -> Result<(), SimError> {
        if self.merges.is_waiting(op.lpn) {
            self.join_merge(op);
            return Ok(());
        }
        let partial = op.sectors != self.full_page;
        if partial
            && let Some(old) = self.mapping.get(op.lpn)
            && let kept = self.held(old) & !op.sectors
            && kept != 0
            && let old = self.geometry.address(old)
            // Where the rest of the page is still in the controller, there is no need to read it.
            && !self.blocks.is_in_controller(old)
        {
            self.start_merge(op, old, kept, out);
            return Ok(());
        }
        self.place(op, nand, now, out)
    }

    /// Forgets a page; returns where it was.
    fn trim(&mut self, op: PageOp) -> Option<Ppn> {
        // Only whole pages can be forgotten; a page whose partial write is under way stays.
        if op.sectors != self.full_page || self.merges.is_waiting(op.lpn) {
            return None;
        }
        let old = self.mapping.unbind(op.lpn);
        if let Some(old) = old {
            self.retire(old);
            self.counters.trimmed += 1;
        }
        if let Some(shadow) = &mut self.shadow {
            shadow.trimmed(op.lpn);
        }
        old
    }

    /// Binds a page to a fresh physical page and asks for its program; parks it where its plane has
    /// no room.
    #[inline(never)]
    pub(super) fn place(
        &mut self,
        op: PageOp,
        nand: &mut Nand,
        now: Ns,
        out: &mut Outbox,
    ) -> Result<(), SimError> {
        if self.two_speed.is_some() {
            return self.queue_write(op, nand, now, out);
        }
        let PageOp { lpn, sectors, owner, stream, .. } = op;
        let plane = self.plane_to_write(lpn, stream);
        self.place_or_park(plane, Parked { lpn, sectors, owner, stream }, nand, now, out)
    }

    /// Places a page in a plane, or parks it where the plane has no room.
    #[inline(always)]
    pub(super) fn place_or_park(
        &mut self,
        plane: u32,
        write: Parked,
        nand: &mut Nand,
        now: Ns,
        out: &mut Outbox,
    ) -> Result<(), SimError> {
        if self.others_are_parked(plane) || !self.try_place(plane, &write, nand, now, out)? {
            self.park(plane, write);
        }
        self.after_allocation(plane, nand, now, out)
    }

    /// True while writes for a plane wait for room: no other may pass them.
    #[inline(always)]
    fn others_are_parked(&self, plane: u32) -> bool {
        self.parked_count > 0 && !self.parked[self.parked_queue(plane)].is_empty()
    }

    #[inline(never)]
    fn park(&mut self, plane: u32, write: Parked) {
        let queue = self.parked_queue(plane);
        self.parked[queue].push_back(write);
        self.parked_count += 1;
        self.counters.parked_writes += 1;
    }

    /// The plane of a write: its own, or the least busy one that has room.
    #[inline]
    pub(super) fn plane_to_write(&mut self, lpn: Lpn, stream: u8) -> u32 {
        let blocks = &self.blocks;
        self.allocator.plane_for(lpn, |plane| blocks.has_room(plane, stream.into(), GC_RESERVE))
    }

    /// The queue in which a write for a plane waits for room: one for all where it may go anywhere.
    #[inline]
    pub(super) fn parked_queue(&self, plane: u32) -> usize {
        if self.allocator.is_dynamic() { 0 } else { plane as usize }
    }

    #[inline(always)]
    fn try_place(
        &mut self,
        plane: u32,
        write: &Parked,
        nand: &mut Nand,
        now: Ns,
        out: &mut Outbox,
    ) -> Result<bool, SimError> {
        if let Owner::Rewrite(id) = write.owner {
            return self.try_place_rewrite(plane, id, nand, now, out);
        }
        Ok(self.try_place_write(plane, write, nand, now, out))
    }

    /// Places a page that somebody writes; see [`Ftl::try_place`].
    #[inline(always)]
    fn try_place_write(
        &mut self,
        plane: u32,
        write: &Parked,
        nand: &Nand,
        now: Ns,
        out: &mut Outbox,
    ) -> bool {
        let stream = write.stream.into();
        let Some(Address { ppn, .. }) = self.blocks.allocate(plane, stream, GC_RESERVE, nand) else {
            return false;
        };
        // What the write does not cover it carries along, from where the page is now: a page that was parked
        // may have been moved since, or written for the first time.
        let carried = if write.sectors == self.full_page { None } else { self.mapping.get(write.lpn) };
        let kept = carried.map_or(0, |old| self.held(old) & !write.sectors);
        if let Some(shadow) = &mut self.shadow {
            shadow.commit(write.lpn, ppn, write.sectors, carried);
        }
        if let Some(map) = &mut self.sector_map {
            // A changed sector of the mapping table stands for its whole page.
            let whole = write.lpn >= self.host_pages;
            map.set(ppn, if whole { self.full_page } else { write.sectors | kept });
        }
        if let Some(old) = self.mapping.bind(write.lpn, ppn) {
            self.retire(old);
        }
        self.allocator.began(plane);
        self.counters.user_writes += 1;
        let bytes = if self.whole_page_reads {
            self.page_bytes + self.spare_bytes
        } else {
            self.bytes_of(write.sectors | kept)
        };
        let mut txn = Txn::new(TxnOp::Program, Class::UserWrite, write.owner, ppn, write.lpn, bytes);
        if self.two_speed.is_some() {
            txn.speed = self.note_written(write.lpn, ppn, now);
        }
        out.order(txn);
        true
    }

    /// Places writes that waited for room in a plane.
    pub(super) fn unpark(
        &mut self,
        plane: u32,
        nand: &mut Nand,
        now: Ns,
        out: &mut Outbox,
    ) -> Result<(), SimError> {
        let queue = self.parked_queue(plane);
        while let Some(parked) = self.parked[queue].front().copied() {
            if !self.try_place(plane, &parked, nand, now, out)? {
                break;
            }
            self.parked[queue].pop_front();
            self.parked_count -= 1;
        }
        Ok(())
    }

    #[inline]
    fn after_allocation(
        &mut self,
        plane: u32,
        nand: &mut Nand,
        now: Ns,
        out: &mut Outbox,
    ) -> Result<(), SimError> {
        if self.wants_reclaim(plane) {
            if self.jobs[plane as usize].is_none() {
                return self.reclaim(plane, nand, now, out);
            }
            // The pool may have shrunk to where the job can no longer stand back.
            self.update_urgency(plane, out);
        }
        Ok(())
    }

    /// Asks for a read, and makes erases of its block wait for it.
    #[expect(clippy::too_many_arguments, reason = "the fields of the transaction")]
    #[inline(always)]
    pub(super) fn read_page(
        &mut self,
        class: Class,
        owner: Owner,
        address: Address,
        lpn: Lpn,
        bytes: u32,
        sectors: SectorMask,
        out: &mut Outbox,
    ) {
        self.blocks.get_mut(address.block).reads += 1;
        if let Some(shadow) = &mut self.shadow {
            shadow.read_started(address.ppn, sectors);
        }
        out.order(Txn::new(TxnOp::Read, class, owner, address.ppn, lpn, bytes));
    }

    /// The sectors of a page that hold data, as far as the FTL knows.
    #[inline]
    pub(super) fn held(&self, ppn: Ppn) -> SectorMask {
        self.sector_map.as_ref().map_or(self.full_page, |map| map.held(ppn))
    }

    /// Bytes of some sectors on the channel; a whole page brings its spare bytes along.
    #[inline]
    pub(super) fn bytes_of(&self, sectors: SectorMask) -> u32 {
        let spare = if sectors == self.full_page { self.spare_bytes } else { 0 };
        count(sectors) * 512 + spare
    }
}

/// Number of sectors in a mask. What is asked for is mostly one run of sectors: its ends tell the number sooner
/// than all its bits do, on processors that are not asked to count bits themselves.
#[inline]
fn count(sectors: SectorMask) -> u32 {
    let first = sectors.trailing_zeros();
    let beyond = sectors.wrapping_add(sectors & sectors.wrapping_neg());
    if beyond & sectors == 0 { beyond.trailing_zeros() - first } else { sectors.count_ones() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_sectors_of_all_masks() {
        for mask in
            [0, 1, 0xff, 0xff00, 0b101, 1 << 63, u64::MAX, u64::MAX - 1, 0xf000_0000_0000_0001, !0 << 8]
        {
            assert_eq!(count(mask), mask.count_ones(), "{mask:#x}");
        }
    }
}
