//! What a power loss leaves of the FTL, and what it does when power is back (OFWAR, section 3.3).
//!
//! With a journal (`journal.rs`) and no backup power (`power.protected`), all that is not on flash is lost: units are where their
//! newest program has ended, and what moves is where it was (`undone.rs`). A trim outlives the cut. With backup power nothing is
//! lost: the dump has what was on its way, and the entries of the journal that were not on flash. Before the host is served, the
//! drive reads what it needs to know its table: the journal, pieces of the checkpoint, and the spare bytes of pages that
//! no unit of the journal on flash knows, as pblk does (Bjørling, González and Bonnet, FAST 2017), or the dump.
//!
//! Without a journal is assumed, since the paper speaks of fast pages only:
//!
//! - The mapping table and what the FTL knows of blocks are kept in a journal that backup power completes.
//! - So is the write queue: what the SSD has taken in, and every page that is on its way to flash, outlives
//!   the loss. A program that is cut off is done again in another page; the word lines beside it keep
//!   their data.
//! - A block in which a program was cut off takes no further pages: what is left of it is wasted until GC
//!   takes it. Only where fewer groups of a pool are free than are open do the open ones go on, behind the pages that were cut
//!   off and the program that these were of: GC, and what is done again, would have no other place.
//!   A block whose erase was cut off is erased again.
//! - So do the controller's copies of a block whose wordlines are being merged (IDA, section III-C). A wordline whose
//!   adjustment was cut off is never read: the block's pages are written elsewhere from the copies.
//! - What only the DRAM cache holds is lost, unless backup power saves it (`power.protected`): then it is written when power
//!   is back, after all that is older.
//! - Reads that are under way are forgotten with the requests that wait for them.

use std::collections::{BTreeMap, BTreeSet};

use crate::engine::Ns;
use crate::error::SimError;
use crate::flash::{BlockState, Class, Outbox, Owner, PageOp, Priority, SectorMask, StreamId, Writer};
use crate::ftl::map::journal::NOWHERE;
use crate::ftl::map::undone::FallBack;
use crate::ftl::write::closing::Leaving;
use crate::ftl::write::pages::{Pages, Read};
use crate::ftl::write::put::{Placing, Why};
use crate::ftl::{Ftl, Step};
use crate::nand::{BlockId, Lpn, Nand, Pun};

/// What is in the protected memory while the power is off.
#[derive(Debug, Default)]
pub struct Remains {
    /// Pages whose programs were cut off, and the streams that they go to.
    redo: Vec<(Lpn, StreamId)>,
    /// Pages of the write queue, in order.
    queued: Vec<Placing>,
    /// Writes that cover a part of a page, whose rest was being read, and then what was dumped.
    partial: Vec<PageOp>,
    /// Blocks in which a program was cut off.
    cut_blocks: Vec<CutBlock>,
    /// Programs that were cut off and are not done again, and their pages, which lost data.
    lost: (usize, BTreeSet<Lpn>),
    /// What is read before the drive knows its table, in this order: units of the journal and of the checkpoint, and pages
    /// of whose spare bytes it learns what the journal does not say. Places, with their sectors.
    replay: Vec<(Pun, SectorMask)>,
    /// Bytes in the dump.
    pub dumped_bytes: u64,
}

/// A block in which programs were cut off.
#[derive(Clone, Copy, Debug)]
struct CutBlock {
    id: BlockId,
    /// Those were of pages before this one.
    end: u16,
}

impl Remains {
    /// Pages whose programs were cut off.
    #[must_use]
    pub fn programs_cut_off(&self) -> usize {
        self.redo.len() + self.lost.0
    }

    /// Pages whose newest data are lost that were on their way to flash.
    #[must_use]
    pub fn lost_pages(&self) -> &BTreeSet<Lpn> {
        &self.lost.1
    }

    /// Pages that had not gone to flash, those of the dump among them.
    #[must_use]
    pub fn queued(&self) -> usize {
        self.queued.len() + self.partial.len()
    }
}

impl Ftl {
    /// Power is lost: everything under way stops where it is. Backup power has `dumped` what these writes of the cache hold.
    ///
    /// # Errors
    /// [`SimError::Check`] in checked mode, where what must not be lost is.
    pub fn power_cut(
        &mut self,
        dumped: &[PageOp],
        nand: &Nand,
        (now, out): (Ns, &mut Outbox),
    ) -> Result<Remains, SimError> {
        let mut remains = Remains::default();
        let open = self.open_of_hosts();
        self.pages.leave_open_programs();
        self.pages.blocks.tear_stripes();
        self.rebuilds.power_cut();
        let undoes = self.pages.journal.as_ref().is_some_and(|journal| !journal.is_protected);
        if undoes {
            self.pages.fall_back(&mut remains);
        }
        self.pages.note_replay(&mut remains);
        // Group by group, and so they are done again: GC can take a group when all of its blocks are done.
        let grouping = self.pages.blocks.grouping();
        let heads = grouping.pools().flat_map(|pool| grouping.heads(pool));
        for block in heads.flat_map(|head| grouping.members(head)) {
            self.pages.cut_block(block, &mut remains);
        }
        self.pages.close_groups(&mut remains);
        let place = |&(lpn, _): &(Lpn, StreamId)| Some((lpn, self.pages.mapping.get(lpn)?));
        self.parking.cut_off.extend(remains.redo.iter().filter_map(place));
        let parked = self.parking.take_all().filter(|write| !matches!(write.owner, Owner::Rewrite(_)));
        remains.queued.extend(parked);
        if let Some(path) = &mut self.two_speed {
            let queued = path.power_cut(&mut self.pages, nand);
            remains.queued.extend(queued);
        }
        remains.partial = self.merges.power_cut();
        if undoes {
            let queued = remains.queued.drain(..).map(|write| write.lpn);
            let lost = queued.chain(remains.partial.drain(..).map(|op| op.lpn));
            let lost: Vec<_> = lost.collect();
            remains.lost.1.extend(lost.iter().filter(|&&lpn| !self.pages.format.is_of_table(lpn)));
            if let Some(journal) = &mut self.pages.journal {
                lost.iter().for_each(|&lpn| journal.is_lost(lpn));
                journal.is_undone(|pun| !self.pages.blocks.is_in_flight(pun));
            }
        }
        remains.partial.extend(dumped);
        self.forget_journal_alarm();
        // With the requests that wait for it.
        self.asked.clear();
        self.reclaim.power_cut(&self.pages);
        self.pages.blocks.power_cut();
        self.pages.packing.power_cut();
        self.leave_seats(&mut remains);
        self.note_reset(&open, now);
        self.pages.allocator.nothing_is_pending();
        out.clear();
        if let Some(shadow) = &mut self.pages.shadow {
            let writes = remains.queued.iter().map(|write| (write.lpn, write.sectors));
            let writes = writes.chain(remains.partial.iter().map(|op| (op.lpn, op.sectors)));
            // What is done again has nothing new, and waits as a write does: a job may move its page before.
            let writes: Vec<_> = writes.chain(remains.redo.iter().map(|&(lpn, _)| (lpn, 0))).collect();
            let queued = remains.queued.iter().map(|op| op.lpn);
            shadow.power_cut(&writes, &queued.chain(remains.redo.iter().map(|&(lpn, _)| lpn)).collect());
            if undoes {
                shadow.fall_back(|lpn| self.pages.mapping.get(lpn))?;
            }
        }
        Ok(remains)
    }

    /// Seats end with the requests that they wait for: streams that have no open group take theirs up again, and others are closed.
    fn leave_seats(&mut self, remains: &mut Remains) {
        for (frontier, seat) in std::mem::take(&mut self.leaving).into_iter().flat_map(Leaving::into_seats) {
            let pages = &mut self.pages;
            let Some(head) = pages.blocks.open_group_of(seat) else {
                pages.blocks.leave_seat(seat);
                continue;
            };
            if pages.blocks.open_group_of(frontier).is_none() {
                pages.attach(seat, frontier);
                continue;
            }
            for id in pages.blocks.grouping().members(head) {
                if pages.blocks.get(id).state() == BlockState::Open {
                    pages.close(id, remains);
                }
            }
            pages.blocks.leave_seat(seat);
        }
    }

    /// Changes of the mapping table are written to flash.
    #[must_use]
    pub fn has_journal(&self) -> bool {
        self.pages.journal.is_some()
    }

    /// Asks for the next reads of a replay, of which there are so many at most; false where none are left.
    pub fn replay(&mut self, remains: &mut Remains, count: usize, step: &mut Step<'_>) -> bool {
        let reads = &mut remains.replay;
        let rest = reads.split_off(count.min(reads.len()));
        let now = std::mem::replace(reads, rest);
        for &(pun, sectors) in &now {
            let read = Read {
                class: Class::MapRead,
                owner: Owner::Nobody,
                lpn: self.pages.mapping.lpn_of(pun),
                sectors,
                priority: Priority::High,
            };
            self.pages.order_read(read, self.pages.geometry.address(pun), step.out);
        }
        !now.is_empty()
    }

    /// Sectors that were in the volatile cache alone are gone: what the flash holds of them is the newest again.
    pub fn lost(&mut self, lpn: Lpn, sectors: SectorMask) {
        if let Some(shadow) = &mut self.pages.shadow {
            shadow.lost(lpn, sectors, self.pages.mapping.get(lpn));
        }
    }

    /// Power is back: asks again for everything that had not ended.
    ///
    /// # Errors
    /// See [`Ftl::submit`].
    pub fn power_up(&mut self, remains: &mut Remains, step: &mut Step<'_>) -> Result<(), SimError> {
        // What is asked for again belongs to the host, so the count of jobs without a step of the host begins anew.
        self.reclaim.host_steps += 1;
        for (lpn, stream) in remains.redo.drain(..) {
            // Nothing new: all that the page holds is in the protected memory.
            self.place_in(stream, Why::Redone, PageOp::unowned(lpn, 0, Writer::default()), step)?;
        }
        // Nobody waits for these any more, and nothing is decided yet.
        for Placing { lpn, sectors, writer, why, .. } in remains.queued.drain(..) {
            let stream = self.pages.stream_for(lpn, writer);
            self.place_in(stream, why, PageOp::unowned(lpn, sectors, writer), step)?;
        }
        for op in remains.partial.drain(..) {
            self.serve(op, step)?;
        }
        Ok(())
    }

    /// True where all that was asked for again has its place, the programs that were cut off are done again, and no pool is about to
    /// win the room back that GC needs.
    #[must_use]
    pub fn has_placed_again(&self, remains: &Remains) -> bool {
        let recovers = |pool| self.reclaim.recovers(pool, &self.pages);
        remains.cut_blocks.is_empty()
            && self.parking.waiting().is_none()
            && self.merges.verify().is_ok()
            && self.two_speed.as_ref().is_none_or(|path| path.waiting(&self.pages).0 == 0)
            && !self.pages.blocks.pools().any(recovers)
    }

    /// The host is served from now on, and has asked for nothing yet.
    pub fn power_is_back(&mut self, now: Ns) {
        self.reclaim.host_asks(now);
    }

    /// Gives blocks whose cut-off programs are all done elsewhere back to GC, and lets it begin where it has
    /// to. True if there was any.
    ///
    /// # Errors
    /// See [`Ftl::submit`].
    pub fn release_cut_blocks(
        &mut self,
        remains: &mut Remains,
        step: &mut Step<'_>,
    ) -> Result<bool, SimError> {
        let before = remains.cut_blocks.len();
        remains.cut_blocks.retain(|&CutBlock { id, end }| {
            let pages = &mut self.pages;
            let first = pages.geometry.first_page(id);
            let programmed = pages.blocks.get(id).programmed;
            let mut rest = pages.mapping.valid_in(first + u32::from(programmed), first + u32::from(end));
            let is_under_way = rest.any(|pun| pages.blocks.is_in_flight(pun));
            if !is_under_way {
                pages.blocks.give_up_until(id, end);
            }
            is_under_way
        });
        for pool in self.pages.blocks.pools() {
            self.reclaim_if_due(pool, step)?;
        }
        Ok(remains.cut_blocks.len() < before)
    }
}

impl Pages {
    /// Units are where their newest program has ended.
    fn fall_back(&mut self, remains: &mut Remains) {
        let Some(journal) = &mut self.journal else { return };
        for FallBack { lpn, to, programs, loses } in journal.power_cut() {
            remains.lost.0 += programs;
            if loses && !self.format.is_of_table(lpn) {
                remains.lost.1.insert(lpn);
            }
            if let Some(pun) = self.mapping.fall_back(lpn, to) {
                self.blocks.invalidate(pun);
            }
            if let Some(pun) = to {
                self.blocks.revive(pun);
            }
        }
    }

    /// What of the flash is read when power is back, in an order that keeps all planes at work.
    fn note_replay(&self, remains: &mut Remains) {
        let Some(journal) = &self.journal else { return };
        let is_on_flash = |&pun: &Pun| !self.blocks.is_in_flight(pun);
        let units = journal.to_replay().filter_map(|lpn| self.mapping.get(lpn)).filter(is_on_flash);
        let mut reads: Vec<_> = units.map(|pun| (pun, self.format.full_page)).collect();
        if !journal.is_protected {
            let known: BTreeSet<_> = reads.iter().map(|&(pun, _)| self.format.page_of(pun)).collect();
            let places = journal.unwritten().filter(is_on_flash);
            let pages: BTreeMap<_, _> = places.map(|pun| (self.format.page_of(pun), pun)).collect();
            // The spare bytes of a page say what all of its units are.
            let spare = pages.into_iter().filter(|(page, _)| !known.contains(page));
            reads.extend(spare.map(|(_, pun)| (pun, 1)));
        }
        reads.sort_unstable();
        let (mut last, mut place) = (NOWHERE, 0);
        let mut ordered: Vec<_> = reads
            .into_iter()
            .map(|(pun, sectors)| {
                let (page, plane) = (self.format.page_of(pun), self.plane_of(pun));
                let is_first = last == NOWHERE || self.plane_of(last) != plane;
                if is_first {
                    place = 0;
                } else if self.format.page_of(last) != page {
                    place += 1;
                }
                last = pun;
                (place, pun, sectors)
            })
            .collect();
        ordered.sort_unstable();
        remains.replay = ordered.into_iter().map(|(_, pun, sectors)| (pun, sectors)).collect();
        remains.dumped_bytes = if journal.is_protected { journal.unwritten_bytes() } else { 0 };
    }

    /// Blocks that fill together are closed together.
    fn close_groups(&mut self, remains: &mut Remains) {
        let grouping = self.blocks.grouping();
        let heads: Vec<_> = remains.cut_blocks.iter().map(|cut| grouping.head_of(cut.id)).collect();
        for id in heads.into_iter().flat_map(|head| grouping.members(head)) {
            if self.blocks.get(id).state() == BlockState::Open && !self.goes_on(id) {
                self.close(id, remains);
            }
        }
    }

    /// Notes the pages of a block whose programs are cut off, and forgets what else was to happen to it.
    fn cut_block(&mut self, id: BlockId, remains: &mut Remains) {
        let (first, end) = (self.geometry.first_page(id), self.end_of(id));
        let block = self.blocks.get_mut(id);
        let stream = self.placement.again(block.stream);
        block.forget_reads();
        if block.state() == BlockState::Merging {
            // None of its wordlines is trusted any more; all that is left in it is written elsewhere from the copies.
            remains
                .redo
                .extend(self.mapping.valid_in(first, end).map(|pun| (self.mapping.lpn_of(pun), stream)));
        }
        if matches!(block.state(), BlockState::Reclaiming | BlockState::Merging) {
            block.set_state(BlockState::Full);
        }
        if block.programmed == block.next_page {
            return;
        }
        let (from, to) = (first + u32::from(block.programmed), first + u32::from(block.next_page));
        for pun in from.to(to) {
            if !self.blocks.is_in_flight(pun) {
                continue;
            }
            if self.mapping.is_valid(pun) {
                remains.redo.push((self.mapping.lpn_of(pun), stream));
            }
            if let Some(shadow) = &mut self.shadow {
                shadow.program_cut_off(pun);
            }
        }
        // A copy inside the flash has a place, but takes its page's place in the table only when it is done.
        let valid = self.mapping.valid_in(first, to).count();
        self.blocks.keep_valid(id, valid as u16);
        if self.goes_on(id) {
            let end = self.blocks.get(id).next_page;
            remains.cut_blocks.push(CutBlock { id, end });
        } else {
            self.close(id, remains);
        }
    }

    /// True for a block of which GC cannot do without the open group that it may belong to.
    fn goes_on(&self, id: BlockId) -> bool {
        self.blocks.needs_its_open_groups(self.blocks.pool_of_block(id))
    }

    fn close(&mut self, id: BlockId, remains: &mut Remains) {
        self.blocks.close(id);
        remains.cut_blocks.push(CutBlock { id, end: self.blocks.get(id).next_page });
    }
}
