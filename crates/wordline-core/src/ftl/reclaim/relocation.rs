//! A relocation: live pages go elsewhere. What moves is a group, whose blocks are then erased or kept ([`Job`](super::reclaim)),
//! or a list of pages (the rewrites of OFWAR); where a page goes is the choice of the `placement` policy.
//!
//! A [`Mover`] carries the steps out: the flash, by transactions that take time, or, before a run, nothing but the books.
//! The steps and their order are the same. Without time each is over when it is asked for.

use std::ops::Range;

use crate::engine::Ns;
use crate::error::SimError;
use crate::flash::{Carried, Class, Owner, PageOp, SectorMask, Txn, TxnOp};
use crate::ftl::write::pages::Pages;
use crate::ftl::write::put::{AtOnce, Medium, Placing};
use crate::ftl::{Ftl, Step};
use crate::nand::{BlockId, FrontierId, Lpn, Nand, PoolId, Pun, UnitAddress};

/// Takes the steps of a relocation.
pub(in crate::ftl) trait Mover: Medium {
    /// Brings a live page to the controller.
    fn read(&mut self, owner: Owner, lpn: Lpn, pun: Pun, pages: &mut Pages);

    /// Brings all live units of a page, from the first on, to the controller, and returns how many they are; asked of a medium that
    /// takes time alone.
    fn read_live(&mut self, _: Owner, _first: Pun, _: &mut Pages) -> u32 {
        0
    }

    /// Copies a live page inside its plane; asked of a medium that takes time alone.
    fn copy_back(&mut self, _: &Placing, _from: Pun, _to: UnitAddress, _: &mut Pages) {}

    /// Adjusts the wordline that begins with a page; `invalid` pages of it, a bit each, are given up (IDA).
    fn adjust(&mut self, owner: Owner, first: Pun, invalid: u8, pages: &Pages);

    /// Hurries programs that the erase of a group waits for.
    fn hurry_moved_out_of(&mut self, _victim: BlockId, _: &mut Pages) {}

    /// Erases a block.
    fn erase(&mut self, owner: Owner, block: BlockId, pages: &mut Pages) -> Result<(), SimError>;

    /// Pages of a block that go through the stages of IDA's refresh together.
    fn stretch(&self, block: BlockId, pages: &Pages) -> Range<Pun>;

    /// Goes on to the next such pages of a block; false after the last ones.
    fn next_stretch(&mut self, block: BlockId, pages: &Pages) -> bool;

    /// What is left in a block is as good as new.
    fn refreshed_in_place(&mut self, block: BlockId, pages: &mut Pages);

    /// The mapping entry of a page has changed.
    fn entry_changed(&mut self, lpn: Lpn, ftl: &mut Ftl) -> Result<(), SimError>;

    /// Writes a unit of the mapping table or its journal.
    fn write(&mut self, op: PageOp, ftl: &mut Ftl) -> Result<(), SimError>;

    /// A page of another pool was moved into this one, which may now have to reclaim a group.
    fn took_room(&mut self, _pool: PoolId, _: &mut Ftl) -> Result<(), SimError> {
        Ok(())
    }

    /// A pool's job is over.
    fn job_is_over(&mut self, pool: PoolId, ftl: &mut Ftl) -> Result<(), SimError>;

    /// The error of a pool that has no room for what moves.
    fn no_room(&self, pool: PoolId, pages: &Pages) -> SimError;

    fn nand(&self) -> &Nand;

    fn now(&self) -> Ns;
}

/// The flash.
impl Mover for Step<'_> {
    #[inline]
    fn read(&mut self, owner: Owner, lpn: Lpn, pun: Pun, pages: &mut Pages) {
        pages.read_whole(Class::InternalRead, owner, pun, lpn, self.out);
    }

    #[inline]
    fn read_live(&mut self, owner: Owner, first: Pun, pages: &mut Pages) -> u32 {
        pages.read_live(Class::InternalRead, owner, first, self.out)
    }

    fn copy_back(&mut self, placing: &Placing, from: Pun, to: UnitAddress, pages: &mut Pages) {
        // The data never reaches the controller, so the page stays where it is until the copy is there.
        pages.allocator.began(pages.geometry.plane_of(to.block));
        let block = pages.blocks.get_mut(pages.geometry.block_of(from));
        block.add_reads(1);
        let (source_mode, mode) = (block.mode(), pages.blocks.get(to.block).mode());
        let source = pages.format.page_of(from);
        let txn = Txn::new(TxnOp::Copyback, placing.class, pages.format.page_of(to.place), 0);
        let unit = Carried::new(placing.owner, placing.lpn, to.place);
        self.out.order(Txn { source, mode, source_mode, ..txn }, unit);
    }

    fn hurry_moved_out_of(&mut self, victim: BlockId, pages: &mut Pages) {
        pages.hurry_moved_out_of(victim, self);
    }

    fn adjust(&mut self, owner: Owner, first: Pun, invalid: u8, pages: &Pages) {
        let txn = Txn::new(TxnOp::Adjust, Class::InternalWrite, pages.format.page_of(first), 0);
        self.out.order(Txn { invalid, ..txn }, Carried::new(owner, Lpn::NONE, first));
    }

    fn erase(&mut self, owner: Owner, block: BlockId, pages: &mut Pages) -> Result<(), SimError> {
        let first = pages.geometry.first_page(block);
        let mode = pages.blocks.get(block).mode();
        self.out.order(
            Txn { mode, ..Txn::new(TxnOp::Erase, Class::Erase, pages.format.page_of(first), 0) },
            Carried::new(owner, Lpn::NONE, first),
        );
        Ok(())
    }

    /// All of them, so that as many as may be are under way.
    fn stretch(&self, block: BlockId, pages: &Pages) -> Range<Pun> {
        pages.geometry.first_page(block)..pages.end_of(block)
    }

    fn next_stretch(&mut self, _: BlockId, _: &Pages) -> bool {
        false
    }

    fn refreshed_in_place(&mut self, block: BlockId, pages: &mut Pages) {
        self.nand.refreshed_in_place(block, self.now);
        if let Some(shadow) = &mut pages.shadow {
            shadow.refreshed_in_place(block, self.now);
        }
    }

    #[inline]
    fn entry_changed(&mut self, lpn: Lpn, ftl: &mut Ftl) -> Result<(), SimError> {
        ftl.note_moved(lpn, self)
    }

    fn write(&mut self, op: PageOp, ftl: &mut Ftl) -> Result<(), SimError> {
        ftl.place(op, self).map(drop)
    }

    fn took_room(&mut self, pool: PoolId, ftl: &mut Ftl) -> Result<(), SimError> {
        ftl.after_allocation(pool, self)
    }

    fn job_is_over(&mut self, pool: PoolId, ftl: &mut Ftl) -> Result<(), SimError> {
        ftl.close_asked(self)?;
        self.out.served.extend(ftl.reclaim.reset_done.take());
        if ftl.reclaim.is_paced() || ftl.reclaim.is_emptying() {
            // Otherwise all that waits would pass between two jobs.
            ftl.reclaim_if_due(pool, self)?;
        }
        ftl.unpark(pool, self)?;
        ftl.reclaim.update_urgency(pool, &ftl.pages, &ftl.parking, self.now, self.out);
        ftl.reclaim_if_due(pool, self)?;
        if ftl.pages.blocks.has_lost_power() { ftl.reclaim_where_cut_off(self) } else { Ok(()) }
    }

    #[cold]
    fn no_room(&self, pool: PoolId, pages: &Pages) -> SimError {
        SimError::OutOfSpace(format!(
            "{} has no free block left to move live pages into; raise ssd.overprovisioning or gc.threshold",
            pages.blocks.grouping().name(pool)
        ))
    }

    fn nand(&self) -> &Nand {
        self.nand
    }

    fn now(&self) -> Ns {
        self.now
    }
}

/// The books alone, before a run.
#[derive(Debug)]
pub(in crate::ftl) struct Untimed<'a> {
    nand: &'a mut Nand,
    /// What goes on, for errors.
    what: &'static str,
    /// The first page of the wordline that is being refreshed, if one is.
    wordline: Option<Pun>,
}

impl Untimed<'_> {
    pub fn new<'a>(nand: &'a mut Nand, what: &'static str) -> Untimed<'a> {
        Untimed { nand, what, wordline: None }
    }
}

impl Medium for Untimed<'_> {
    const IS_AT_ONCE: bool = AtOnce::IS_AT_ONCE;
    const PROGRAMS: bool = AtOnce::PROGRAMS;

    #[inline(always)]
    fn program(
        &mut self,
        placing: &Placing,
        at: (UnitAddress, FrontierId),
        held: SectorMask,
        pages: &mut Pages,
    ) -> bool {
        AtOnce.program(placing, at, held, pages)
    }

    fn program_parity(&mut self, first: UnitAddress, frontier: FrontierId, pages: &mut Pages) {
        AtOnce.program_parity(first, frontier, pages);
    }
}

impl Mover for Untimed<'_> {
    #[inline]
    fn read(&mut self, _: Owner, _: Lpn, _: Pun, _: &mut Pages) {}

    fn adjust(&mut self, _: Owner, first: Pun, invalid: u8, pages: &Pages) {
        self.nand.adjusted(pages.format.page_of(first), invalid);
    }

    fn erase(&mut self, _: Owner, block: BlockId, pages: &mut Pages) -> Result<(), SimError> {
        pages.erased(block, false, self.nand)?;
        self.nand.forget_merging(block);
        Ok(())
    }

    /// A wordline: what of it does not stay leaves before the next one.
    fn stretch(&self, block: BlockId, pages: &Pages) -> Range<Pun> {
        let first = self.wordline.unwrap_or(pages.geometry.first_page(block));
        first..first + pages.pages_of_wordline(first)
    }

    fn next_stretch(&mut self, block: BlockId, pages: &Pages) -> bool {
        let next = self.stretch(block, pages).end;
        self.wordline = (next < pages.end_of(block)).then_some(next);
        self.wordline.is_some()
    }

    fn refreshed_in_place(&mut self, _: BlockId, _: &mut Pages) {}

    #[inline]
    fn entry_changed(&mut self, _: Lpn, _: &mut Ftl) -> Result<(), SimError> {
        // The journal goes on behind the write that made GC begin.
        Ok(())
    }

    fn write(&mut self, op: PageOp, ftl: &mut Ftl) -> Result<(), SimError> {
        ftl.write_at_once(op, self)
    }

    fn job_is_over(&mut self, _: PoolId, _: &mut Ftl) -> Result<(), SimError> {
        Ok(())
    }

    #[cold]
    fn no_room(&self, pool: PoolId, pages: &Pages) -> SimError {
        SimError::OutOfSpace(format!("{}: {}", self.what, pages.no_room(pool)))
    }

    fn nand(&self) -> &Nand {
        self.nand
    }

    fn now(&self) -> Ns {
        0
    }
}
