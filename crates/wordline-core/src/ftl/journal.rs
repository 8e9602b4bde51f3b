//! The journal of the mapping table and its checkpoints: what of the flash they take.
//!
//! Each change of an entry (a write of the host, a move, a trim) adds one to the page of the journal that is being filled: a
//! mapping unit of entries. It is written when it is full. The journal is a ring of such units. While it goes round once,
//! every piece of the table, a mapping unit of its entries, that has changed is written once, a few pieces with each unit of
//! the journal: the checkpoint. So a unit of the journal is needed no more when its place in the ring comes again, and what
//! has to be read when power is back is never more than the ring and the pieces. Drives whose tables are too large to be
//! written at once do so, by and by (a snapshot and a journal of updates: US patent 12,086,062).
//!
//! Both are logical units above the host's, in a stream of their own. They take the ordinary path of writes, are collected
//! by GC, and nobody waits for them but a flush (`journal.on_flush`).
//!
//! Assumed: where they are themselves is in a few pages that cost nothing; an entry is as large for a run of pages as for
//! one; bringing the table up to date takes the controller no time. What they hold is not simulated, but counted: the table of the
//! simulator is always right, and `power.rs` says what of it a loss of power undoes.

use std::collections::BTreeMap;

use super::pages::Pages;
use super::promises::Promises;
use super::undone::{FallBack, Holds, Undone};
use super::{Ftl, Step};
use crate::config::{Config, JournalLoad};
use crate::engine::{BitTable, Ns, state};
use crate::error::SimError;
use crate::flash::{Outbox, Owner, PageOp, Writer, WrittenPage};
use crate::nand::{BlockId, Lpn, Nand, Ppn};
use wordline_cells::ids::PieceId;
use wordline_cells::ns_from_us;

/// What is written of the changes of the mapping table.
#[derive(Debug)]
pub(super) struct Journal {
    /// The first unit behind the host's: those of the journal, then the pieces of the table.
    host_end: Lpn,
    /// Units of the journal.
    ring: u32,
    /// Units of the table.
    pieces: u32,
    entry_bytes: u32,
    entries_per_unit: usize,
    entries_per_piece: u32,
    timeout: Ns,
    load: JournalLoad,
    on_flush: bool,
    /// Pieces with entries that are newer than the checkpoint.
    changed: BitTable<PieceId>,
    /// Places of the changes whose entries no unit on its way has; [`NOWHERE`] for a trim.
    open: Vec<Ppn>,
    /// The same of units whose programs are not done.
    on_their_way: BTreeMap<Lpn, Vec<Ppn>>,
    /// Units written so far.
    written: u64,
    /// The piece that comes next.
    next_piece: u32,
    /// The last piece that comes with the unit that was written last.
    end_piece: u32,
    /// The event that writes the unit which is being filled: its number, once that is wanted.
    alarm: Option<u64>,
    /// What a loss of power undoes.
    undone: Undone,
    /// Backup power: it undoes nothing.
    pub is_protected: bool,
}

state! {
    Journal {
        parts: changed;
        values: open, on_their_way, written, next_piece, end_piece, alarm, undone;
        derived: host_end, ring, pieces, entry_bytes, entries_per_unit, entries_per_piece, timeout, load, on_flush, is_protected;
    }
}

/// The place of what has none.
pub(super) const NOWHERE: Ppn = Ppn::NONE;

impl Journal {
    /// An empty one, where the configuration has one.
    pub fn new(config: &Config) -> Option<Box<Journal>> {
        let host_units = config.host_units() as u32;
        let entries_per_piece = config.unit_bytes() / config.ftl.entry_bytes;
        let pieces = host_units.div_ceil(entries_per_piece.max(1));
        config.has_journal().then(|| {
            Box::new(Journal {
                host_end: Lpn::new(host_units),
                ring: (f64::from(pieces) * config.journal.share).ceil().max(1.0) as u32,
                pieces,
                entry_bytes: config.journal.entry_bytes,
                entries_per_unit: (config.unit_bytes() / config.journal.entry_bytes) as usize,
                entries_per_piece,
                // Less than a nanosecond is not "never", as 0 is.
                timeout: match config.journal.timeout_ms {
                    0.0 => 0,
                    timeout_ms => ns_from_us(timeout_ms * 1e3).max(1),
                },
                load: config.journal.load,
                on_flush: config.journal.on_flush,
                changed: BitTable::zeroed(pieces as usize),
                open: Vec::new(),
                on_their_way: BTreeMap::new(),
                written: 0,
                next_piece: 0,
                end_piece: 0,
                alarm: None,
                undone: Undone::default(),
                is_protected: config.power.protected,
            })
        })
    }

    /// Logical units that it takes.
    pub fn units(&self) -> u32 {
        self.ring + self.pieces
    }

    /// A flush of the host waits for the entries so far.
    pub fn flushes(&self) -> bool {
        self.on_flush && !self.is_protected
    }

    /// Pages that hold a block, one for each hold.
    pub fn holds(&self) -> impl Iterator<Item = Ppn> {
        self.undone.safe_copies()
    }

    /// True for a unit of the journal itself, and not of the checkpoint.
    pub fn is_of_ring(&self, lpn: Lpn) -> bool {
        (self.host_end..self.host_end + self.ring).contains(&lpn)
    }

    /// The entry of a unit has changed: it is at this place now, or nowhere.
    #[inline]
    pub fn changed(&mut self, lpn: Lpn, ppn: Option<Ppn>) {
        if lpn < self.host_end {
            self.changed.set(PieceId::new(lpn.number() / self.entries_per_piece));
            self.open.push(ppn.unwrap_or(NOWHERE));
        }
    }

    /// The unit that is being filled is full.
    #[inline]
    pub fn is_due(&self) -> bool {
        self.open.len() >= self.entries_per_unit
    }

    /// The unit that is being filled is to be written, full or not; none where it has no entry.
    fn take_unit(&mut self) -> Option<Lpn> {
        let count = self.open.len().min(self.entries_per_unit);
        if count == 0 {
            return None;
        }
        let lpn = self.host_end + (self.written % u64::from(self.ring)) as u32;
        self.on_their_way.entry(lpn).or_default().extend(self.open.drain(..count));
        // As many pieces as make up the table while the ring goes round.
        let passed = |units: u64| units * u64::from(self.pieces) / u64::from(self.ring);
        let pieces = passed(self.written + 1) - passed(self.written);
        // Those of a unit before may not all have been taken yet.
        self.end_piece += pieces as u32;
        self.written += 1;
        Some(lpn)
    }

    /// The unit of a piece of the table.
    fn unit_of(&self, piece: PieceId) -> Lpn {
        self.host_end + self.ring + piece.number()
    }

    /// The next piece that comes with the unit that was written last, and has changed.
    fn take_piece(&mut self) -> Option<Lpn> {
        while self.next_piece < self.end_piece {
            let piece = self.next_piece % self.pieces;
            self.next_piece += 1;
            if self.changed.take(PieceId::new(piece)) {
                return Some(self.unit_of(PieceId::new(piece)));
            }
        }
        self.next_piece %= self.pieces;
        self.end_piece = self.next_piece;
        None
    }

    /// Any piece that has changed.
    fn take_any_piece(&mut self) -> Option<Lpn> {
        let piece = self.changed.next_set(PieceId::new(0), PieceId::new(self.pieces))?;
        self.changed.clear(piece);
        Some(self.unit_of(piece))
    }

    /// The program of a unit of the journal is done, and it is the newest of its place.
    fn is_durable(&mut self, lpn: Lpn) {
        if self.is_of_ring(lpn) {
            self.on_their_way.remove(&lpn);
        }
    }

    /// The newest copy of a unit never came to flash.
    pub fn is_lost(&mut self, lpn: Lpn) {
        let first = self.host_end + self.ring;
        if lpn >= first {
            self.changed.set(PieceId::new(lpn - first));
        }
    }

    /// Places of changes whose entries are not on flash.
    pub fn unwritten(&self) -> impl Iterator<Item = Ppn> {
        self.open.iter().chain(self.on_their_way.values().flatten()).copied().filter(|&ppn| ppn != NOWHERE)
    }

    /// Bytes of the entries that are not on flash.
    pub fn unwritten_bytes(&self) -> u64 {
        let entries = self.open.len() + self.on_their_way.values().map(Vec::len).sum::<usize>();
        entries as u64 * u64::from(self.entry_bytes)
    }

    /// Units that are read when power is back: those of the journal, and pieces of the checkpoint.
    pub fn to_replay(&self) -> impl Iterator<Item = Lpn> {
        let is_read = |&piece: &PieceId| self.load == JournalLoad::Whole || self.changed.get(piece);
        let pieces = PieceId::first(self.pieces).filter(is_read).map(|piece| self.unit_of(piece));
        self.host_end.to(self.host_end + self.ring).chain(pieces)
    }

    /// Power is gone. Returns what that undoes.
    pub fn power_cut(&mut self) -> Vec<FallBack> {
        let all = self.undone.power_cut();
        all.iter().for_each(|unit| self.is_lost(unit.lpn));
        all
    }

    /// Units that were on their way are lost. The drive finds the entries of what `is_on_flash`, and writes them anew.
    pub fn is_undone(&mut self, is_on_flash: impl Fn(Ppn) -> bool) {
        let on_their_way = std::mem::take(&mut self.on_their_way);
        self.open.extend(on_their_way.into_values().flatten());
        self.open.retain(|&ppn| ppn == NOWHERE || is_on_flash(ppn));
    }

    /// Without time: all that was asked for is done.
    fn all_is_durable(&mut self) {
        self.on_their_way.clear();
    }
}

impl Pages {
    /// The entry of a unit changes: from where it is, or is not, to another place, whose program is yet to end. It `is_new`
    /// data, or a unit that moves.
    #[inline]
    pub fn entry_changes(&mut self, lpn: Lpn, old: Option<Ppn>, ppn: Ppn, is_new: bool) {
        if let Some(journal) = &mut self.journal {
            journal.changed(lpn, Some(ppn));
            if !journal.is_protected {
                let holds = journal.undone.begins(lpn, old, ppn, is_new);
                self.begin_hold(holds);
            }
        }
    }

    /// The same where the data are at their new place already.
    #[inline]
    pub fn entry_has_changed(&mut self, lpn: Lpn, ppn: Ppn) {
        if let Some(journal) = &mut self.journal {
            journal.changed(lpn, Some(ppn));
        }
    }

    /// True for a unit of the journal itself, and not of the checkpoint.
    #[inline]
    pub fn is_of_journal(&self, lpn: Lpn) -> bool {
        self.journal.as_ref().is_some_and(|journal| journal.is_of_ring(lpn))
    }

    fn begin_hold(&mut self, holds: Holds) {
        if let Some(ppn) = holds.begins {
            self.blocks.get_mut(self.geometry.block_of(ppn)).add_reads(1);
        }
    }

    /// The program of a unit is done. Returns a page of a block that is held for it no more.
    #[inline]
    pub fn entry_is_safe(&mut self, lpn: Lpn, ppn: Ppn) -> Option<Ppn> {
        let journal = self.journal.as_mut()?;
        if self.mapping.is_valid(ppn) {
            journal.is_durable(lpn);
        }
        let holds = journal.undone.ends(lpn, ppn);
        self.begin_hold(holds);
        holds.ends
    }

    /// A unit is nowhere any more. Returns a page of a block that is held for it no more.
    pub fn entry_is_gone(&mut self, lpn: Lpn) -> Option<Ppn> {
        let journal = self.journal.as_mut()?;
        journal.changed(lpn, None);
        journal.undone.forget(lpn).ends
    }

    /// The victim of a job waits until units that moved out of it are on flash: programs that wait for more of them do not.
    pub fn hurry_moved_out_of(&mut self, victim: BlockId, out: &mut Outbox) {
        let Some(Journal { undone, .. }) = self.journal.as_deref() else { return };
        let head_of = |ppn| self.blocks.grouping().head_of(self.geometry.block_of(ppn));
        let holds = |lpn| undone.safe_copy(lpn).is_some_and(|safe| head_of(safe) == victim);
        let groups = self.packing.groups_with(|unit| unit.owner == Owner::Nobody && holds(unit.lpn));
        for group in groups {
            self.pad(group, out);
        }
    }
}

impl Ftl {
    /// Writes units of the journal that are full, and pieces of the checkpoint with them.
    #[inline]
    pub(super) fn journal_goes_on(&mut self, step: &mut Step<'_>) -> Result<(), SimError> {
        match &self.pages.journal {
            Some(journal) if journal.is_due() => self.write_full_units(step),
            _ => Ok(()),
        }
    }

    #[inline(never)]
    fn write_full_units(&mut self, step: &mut Step<'_>) -> Result<(), SimError> {
        while self.pages.journal.as_ref().is_some_and(|journal| journal.is_due()) {
            self.write_journal_unit(Owner::Nobody, step)?;
        }
        Ok(())
    }

    /// Writes the unit of the journal that is being filled, for somebody; false where it is empty.
    fn write_journal_unit(&mut self, owner: Owner, step: &mut Step<'_>) -> Result<bool, SimError> {
        let Some(journal) = &mut self.pages.journal else { return Ok(false) };
        let Some(unit) = journal.take_unit() else { return Ok(false) };
        self.write_map_unit(unit, owner, step)?;
        while let Some(piece) = self.pages.journal.as_mut().and_then(|journal| journal.take_piece()) {
            self.write_map_unit(piece, Owner::Nobody, step)?;
        }
        Ok(true)
    }

    fn write_map_unit(&mut self, lpn: Lpn, owner: Owner, step: &mut Step<'_>) -> Result<(), SimError> {
        let op = PageOp { owner, ..PageOp::unowned(lpn, self.pages.format.full_page, Writer::default()) };
        if let Some(shadow) = &mut self.pages.shadow {
            shadow.accept(lpn, op.sectors);
            shadow.at_hand.delivered(lpn, op.sectors, self.pages.mapping.get(lpn).is_none());
        }
        self.place(op, step)
    }

    /// [`Ftl::journal_goes_on`] without time.
    #[inline]
    pub(super) fn journal_goes_on_untimed(&mut self, nand: &mut Nand) -> Result<(), SimError> {
        while self.pages.journal.as_ref().is_some_and(|journal| journal.is_due()) {
            let mut next = self.pages.journal.as_mut().and_then(|journal| journal.take_unit());
            while let Some(lpn) = next {
                self.write_untimed(WrittenPage::from(lpn), nand)?;
                next = self.pages.journal.as_mut().and_then(|journal| journal.take_piece());
            }
            if let Some(journal) = &mut self.pages.journal {
                journal.all_is_durable();
            }
        }
        Ok(())
    }

    /// When the unit that is being filled has waited long enough, if an event is wanted for that.
    #[inline(always)]
    pub fn journal_alarm(&mut self, now: Ns) -> Option<Ns> {
        match &mut self.pages.journal {
            Some(journal) if journal.timeout > 0 && journal.alarm.is_none() && !journal.open.is_empty() => {
                journal.alarm = Some(journal.written);
                Some(now + journal.timeout)
            }
            _ => None,
        }
    }

    /// The event of [`Ftl::journal_alarm`]: the unit is written, unless it was full before.
    ///
    /// # Errors
    /// See [`Ftl::submit`].
    pub fn journal_rings(&mut self, step: &mut Step<'_>) -> Result<(), SimError> {
        let Some(journal) = &mut self.pages.journal else { return Ok(()) };
        let is_old = journal.alarm.take() == Some(journal.written);
        if is_old {
            self.write_journal_unit(Owner::Nobody, step)?;
        }
        Ok(())
    }

    /// No event comes that the journal waits for.
    pub fn forget_journal_alarm(&mut self) {
        if let Some(journal) = &mut self.pages.journal {
            journal.alarm = None;
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
