//! How the journal of the mapping table and its checkpoints go to flash: with each change of an entry, at a flush, a time-out and
//! a shutdown. [`Journal`](super::journal) says which units.

use super::pages::Pages;
use super::promises::Promises;
use super::relocation::Mover;
use super::undone::Holds;
use super::{Ftl, Step};
use crate::engine::Ns;
use crate::error::SimError;
use crate::flash::{Owner, PageOp, Writer};
use crate::nand::{BlockId, Lpn, Pun};

impl Pages {
    /// The entry of a unit changes: from where it is, or is not, to another place, whose program has not ended. It `is_new`
    /// data, or a unit that moves.
    #[inline]
    pub fn entry_changes(&mut self, lpn: Lpn, old: Option<Pun>, pun: Pun, is_new: bool) {
        if let Some(journal) = &mut self.journal {
            journal.changed(lpn, Some(pun), is_new);
            if !journal.is_protected {
                let holds = journal.undone.begins(lpn, old, pun, is_new);
                self.begin_hold(holds);
            }
        }
    }

    /// The same where the data are at their new place already.
    #[inline]
    pub fn entry_has_changed(&mut self, lpn: Lpn, pun: Pun, is_new: bool) {
        if let Some(journal) = &mut self.journal {
            journal.changed(lpn, Some(pun), is_new);
        }
    }

    /// True for a unit of the journal itself, and not of the checkpoint.
    #[inline]
    pub fn is_of_journal(&self, lpn: Lpn) -> bool {
        self.journal.as_ref().is_some_and(|journal| journal.is_of_ring(lpn))
    }

    fn begin_hold(&mut self, holds: Holds) {
        if let Some(pun) = holds.begins {
            self.blocks.get_mut(self.geometry.block_of(pun)).add_reads(1);
        }
    }

    /// The program of a unit is done. Returns a page of a block that is no longer held for it.
    #[inline]
    pub fn entry_is_safe(&mut self, lpn: Lpn, pun: Pun) -> Option<Pun> {
        let journal = self.journal.as_mut()?;
        if self.mapping.is_valid(pun) {
            journal.is_durable(lpn);
        }
        let holds = journal.undone.ends(lpn, pun);
        self.begin_hold(holds);
        holds.ends
    }

    /// A unit is nowhere any more. Returns a page of a block that is no longer held for it.
    pub fn entry_is_gone(&mut self, lpn: Lpn) -> Option<Pun> {
        let journal = self.journal.as_mut()?;
        journal.changed(lpn, None, true);
        journal.undone.forget(lpn).ends
    }

    /// The victim of a job waits until units that moved out of it are on flash: programs that wait for more of them do not.
    pub fn hurry_moved_out_of(&mut self, victim: BlockId, step: &mut Step<'_>) {
        let Some(journal) = self.journal.as_deref() else { return };
        let head_of = |pun| self.blocks.grouping().head_of(self.geometry.block_of(pun));
        let holds = |lpn| journal.undone.safe_copy(lpn).is_some_and(|safe| head_of(safe) == victim);
        let waits = |owner| matches!(owner, Owner::Moved | Owner::Nobody);
        let frontiers = self.packing.frontiers_with(|unit| waits(unit.owner) && holds(unit.lpn));
        for frontier in frontiers {
            self.pad(frontier, step);
        }
    }
}

impl Ftl {
    /// Writes units of the journal that are full, and pieces of the checkpoint with them.
    #[inline]
    pub(super) fn journal_goes_on<M: Mover>(&mut self, medium: &mut M) -> Result<(), SimError> {
        match &self.pages.journal {
            Some(journal) if journal.is_due() => self.write_full_units(medium),
            _ => Ok(()),
        }
    }

    #[inline(never)]
    fn write_full_units<M: Mover>(&mut self, medium: &mut M) -> Result<(), SimError> {
        while self.begins_full_unit() {
            let written = self.write_journal_unit(Owner::Nobody, medium);
            self.ends_full_unit();
            written?;
        }
        Ok(())
    }

    /// True where a unit of the journal is full, and none is being written: now it is.
    fn begins_full_unit(&mut self) -> bool {
        let due = self.pages.journal.as_mut().filter(|journal| journal.is_due());
        due.map(|journal| journal.is_writing = true).is_some()
    }

    fn ends_full_unit(&mut self) {
        if let Some(journal) = &mut self.pages.journal {
            journal.is_writing = false;
        }
    }

    /// Writes the unit of the journal that is being filled, for somebody; false where it is empty.
    fn write_journal_unit<M: Mover>(&mut self, owner: Owner, medium: &mut M) -> Result<bool, SimError> {
        let Some(journal) = &mut self.pages.journal else { return Ok(false) };
        let Some(unit) = journal.take_unit() else { return Ok(false) };
        self.write_map_unit(unit, owner, medium)?;
        while let Some(piece) = self.pages.journal.as_mut().and_then(|journal| journal.take_piece()) {
            self.write_map_unit(piece, Owner::Nobody, medium)?;
        }
        Ok(true)
    }

    fn write_map_unit<M: Mover>(&mut self, lpn: Lpn, owner: Owner, medium: &mut M) -> Result<(), SimError> {
        let op = PageOp { owner, ..PageOp::unowned(lpn, self.pages.format.full_page, Writer::default()) };
        self.pages.take_in(&op, M::IS_AT_ONCE);
        medium.write(op, self)
    }

    /// When the unit that is being filled has waited long enough, if an event is wanted for that.
    #[inline(always)]
    pub fn journal_alarm(&mut self, now: Ns) -> Option<Ns> {
        self.pages.journal.as_mut()?.take_alarm().map(|wait| now + wait)
    }

    /// The event of [`Ftl::journal_alarm`]: the unit is written, unless it was full before.
    ///
    /// # Errors
    /// See [`Ftl::submit`].
    pub fn journal_rings(&mut self, step: &mut Step<'_>) -> Result<(), SimError> {
        let Some(journal) = &mut self.pages.journal else { return Ok(()) };
        if journal.rings() {
            self.write_journal_unit(Owner::Nobody, step)?;
        }
        Ok(())
    }

    /// No event comes that the journal waits for.
    pub fn forget_journal_alarm(&mut self) {
        if let Some(journal) = &mut self.pages.journal {
            journal.forget_alarm();
        }
    }

    /// A flush of the host waits for the journal.
    #[must_use]
    pub fn flushes_journal(&self) -> bool {
        self.pages.journal.as_ref().is_some_and(|journal| journal.flushes())
    }

    /// Checked mode keeps an account of what a loss of power may undo: a flush of the host comes.
    pub fn flush_comes(&mut self, request: u32) {
        if let Some(promises) = self.promises() {
            promises.flush_comes(request);
        }
    }

    /// The same: a request is over, and `is_done` or not; data of writes that are done may still be in a buffer.
    pub fn request_ends(&mut self, request: u32, is_done: bool, is_buffered: bool) {
        if let Some(promises) = self.promises() {
            promises.ends(request, is_done, is_buffered);
        }
    }

    fn promises(&mut self) -> Option<&mut Promises> {
        self.pages.shadow.as_mut()?.promises.as_mut()
    }

    /// The owner of a flush waits until all entries so far are on flash; false where there is none that is not on its way.
    ///
    /// # Errors
    /// See [`Ftl::submit`].
    pub fn flush_journal(&mut self, owner: Owner, step: &mut Step<'_>) -> Result<bool, SimError> {
        let was_hurried = self.pages.packing.is_hurried();
        self.hurry(true, step.now);
        let waits = self.write_journal_unit(owner, step)?;
        self.hurry(was_hurried, step.now);
        Ok(waits)
    }

    /// At a shutdown: writes all pieces that have changed, then the journal of what changed meanwhile.
    ///
    /// # Errors
    /// See [`Ftl::submit`].
    pub fn write_checkpoint(&mut self, step: &mut Step<'_>) -> Result<(), SimError> {
        while let Some(piece) = self.pages.journal.as_mut().and_then(|journal| journal.take_any_piece()) {
            self.write_map_unit(piece, Owner::Nobody, step)?;
        }
        self.write_journal_unit(Owner::Nobody, step)?;
        Ok(())
    }
}
