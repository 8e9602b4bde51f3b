//! How the journal of the mapping table and its checkpoints go to flash: with each change of an entry, at a flush, a time-out and
//! a shutdown. [`Journal`](crate::ftl::map::journal) says which units.

use crate::engine::Ns;
use crate::error::SimError;
use crate::flash::{Owner, PageOp, Writer};
use crate::ftl::check::promises::Promises;
use crate::ftl::reclaim::relocation::Mover;
use crate::ftl::{Ftl, Step};
use crate::nand::Lpn;

impl Ftl {
    /// Writes units of the journal that are full, and pieces of the checkpoint with them.
    #[inline]
    pub(in crate::ftl) fn journal_goes_on<M: Mover>(&mut self, medium: &mut M) -> Result<(), SimError> {
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

    /// The event of [`Ftl::journal_alarm`]: the unit is written, unless it was full before, or one before it waits for room.
    ///
    /// # Errors
    /// See [`Ftl::submit`].
    pub fn journal_rings(&mut self, step: &mut Step<'_>) -> Result<(), SimError> {
        let Some(journal) = &mut self.pages.journal else { return Ok(()) };
        if !journal.rings() {
            return Ok(());
        }
        if self.parking.waits(|write| journal.is_of_ring(write.lpn)) {
            journal.waits_for_room();
            return Ok(());
        }
        self.write_journal_unit(Owner::Nobody, step).map(drop)
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
