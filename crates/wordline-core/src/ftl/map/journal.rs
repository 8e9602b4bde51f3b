//! The journal of the mapping table and its checkpoints: which units of the flash they take, and when. `journal_writes.rs`
//! writes them.
//!
//! Each change of an entry (a write of the host, a move, a trim) adds one to the page of the journal that is being filled: a
//! mapping unit of entries. It is written when it is full. The journal is a ring of such units. While it goes round once,
//! every piece of the table, a mapping unit of its entries, that has changed is written once, a few pieces with each unit of
//! the journal: the checkpoint. So a unit of the journal is no longer needed when its place in the ring is written again, and what
//! has to be read when power is back is never more than the ring and the pieces. Drives whose tables are too large to be
//! written at once do so piece by piece (a snapshot and a journal of updates: US patent 12,086,062).
//!
//! Both are logical units above the host's, in a stream of their own. They take the ordinary path of writes, are collected
//! by GC, and nobody waits for them but a flush (`journal.on_flush`).
//!
//! Assumed: where they are themselves is in a few pages that cost nothing; an entry is as large for a run of pages as for
//! one; bringing the table up to date takes the controller no time. What they hold is not simulated, but counted: the table of the
//! simulator is always right, and `power.rs` says what of it a loss of power undoes.

use std::collections::BTreeMap;

use super::undone::{FallBack, Undone};
use crate::config::{Config, JournalLoad};
use crate::engine::{BitTable, Ns, state};
use crate::nand::{Lpn, Pun};
use wordline_cells::ids::PieceId;
use wordline_cells::ns_from_us;

/// What is written of the changes of the mapping table.
#[derive(Debug)]
pub(in crate::ftl) struct Journal {
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
    open: Vec<Pun>,
    /// One of them is a change by the host.
    is_by_host: bool,
    /// The same of units whose programs are not done.
    on_their_way: BTreeMap<Lpn, Vec<Pun>>,
    /// Units written so far.
    written: u64,
    /// The piece that comes next.
    next_piece: u32,
    /// The last piece that comes with the unit that was written last.
    end_piece: u32,
    /// The event that writes the unit which is being filled: its number, once that is wanted.
    alarm: Option<u64>,
    /// It is wanted again when a unit that waits for room has got its place.
    waits_for_room: bool,
    /// What a loss of power undoes.
    pub undone: Undone,
    /// Full units are being written. What their writes change in turn is written behind them, and not within: a call within a call
    /// for each unit would take a stack without bound.
    pub is_writing: bool,
    /// Backup power: it undoes nothing.
    pub is_protected: bool,
}

state! {
    Journal {
        parts: changed;
        values: open, is_by_host, on_their_way, written, next_piece, end_piece, alarm, waits_for_room, undone;
        derived: host_end, ring, pieces, entry_bytes, entries_per_unit, entries_per_piece, timeout, load, on_flush, is_protected, is_writing;
    }
}

/// The place of what has none.
pub(in crate::ftl) const NOWHERE: Pun = Pun::NONE;

impl Journal {
    /// An empty one, where the configuration has one.
    pub fn new(config: &Config) -> Option<Box<Journal>> {
        let host_units = config.host_units();
        let pieces = config.table_units() as u32;
        config.has_journal().then(|| {
            Box::new(Journal {
                host_end: Lpn::from_index(host_units as usize),
                ring: config.ring_units(),
                pieces,
                entry_bytes: config.journal.entry_bytes,
                entries_per_unit: (config.unit_bytes() / config.journal.entry_bytes) as usize,
                entries_per_piece: config.unit_bytes() / config.ftl.entry_bytes,
                // Less than a nanosecond is not "never", as 0 is.
                timeout: match config.journal.timeout_ms {
                    0.0 => 0,
                    timeout_ms => ns_from_us(timeout_ms * 1e3).max(1),
                },
                load: config.journal.load,
                on_flush: config.journal.on_flush,
                changed: BitTable::zeroed(pieces as usize),
                open: Vec::new(),
                is_by_host: false,
                on_their_way: BTreeMap::new(),
                written: 0,
                next_piece: 0,
                end_piece: 0,
                alarm: None,
                waits_for_room: false,
                undone: Undone::default(),
                is_writing: false,
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
    pub fn holds(&self) -> impl Iterator<Item = Pun> {
        self.undone.safe_copies()
    }

    /// True for a unit of the journal itself, and not of the checkpoint.
    #[inline]
    pub fn is_of_ring(&self, lpn: Lpn) -> bool {
        (self.host_end..self.host_end + self.ring).contains(&lpn)
    }

    /// The entry of a unit has changed, by the host or as it was moved: it is at this place now, or nowhere.
    #[inline]
    pub fn changed(&mut self, lpn: Lpn, pun: Option<Pun>, is_by_host: bool) {
        if lpn < self.host_end {
            self.is_by_host |= is_by_host;
            self.changed.set(PieceId::from_index(lpn.index() / self.entries_per_piece as usize));
            self.open.push(pun.unwrap_or(NOWHERE));
        } else {
            self.waits_for_room = false;
        }
    }

    /// The unit that is being filled is full, and none is being written.
    #[inline]
    pub fn is_due(&self) -> bool {
        self.open.len() >= self.entries_per_unit && !self.is_writing
    }

    /// The unit that is being filled is to be written, full or not; none where it has no entry.
    pub fn take_unit(&mut self) -> Option<Lpn> {
        let count = self.open.len().min(self.entries_per_unit);
        if count == 0 {
            return None;
        }
        let lpn = self.host_end + (self.written % u64::from(self.ring)) as u32;
        self.on_their_way.entry(lpn).or_default().extend(self.open.drain(..count));
        self.is_by_host &= !self.open.is_empty();
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
    pub fn take_piece(&mut self) -> Option<Lpn> {
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
    pub fn take_any_piece(&mut self) -> Option<Lpn> {
        let piece = self.changed.next_set(PieceId::new(0), PieceId::new(self.pieces))?;
        self.changed.clear(piece);
        Some(self.unit_of(piece))
    }

    /// The program of a unit of the journal is done, and it is the newest of its place.
    pub fn is_durable(&mut self, lpn: Lpn) {
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
    pub fn unwritten(&self) -> impl Iterator<Item = Pun> {
        self.open.iter().chain(self.on_their_way.values().flatten()).copied().filter(|&pun| pun != NOWHERE)
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
    pub fn is_undone(&mut self, is_on_flash: impl Fn(Pun) -> bool) {
        let on_their_way = std::mem::take(&mut self.on_their_way);
        self.waits_for_room = false;
        self.open.extend(on_their_way.into_values().flatten());
        self.open.retain(|&pun| pun == NOWHERE || is_on_flash(pun));
        self.is_by_host = !self.open.is_empty();
    }

    /// How long the unit that is being filled may wait, where an event is wanted for that. Moves alone make none: units that
    /// are hardly filled would take the room that a job wins, and more jobs would follow.
    #[inline(always)]
    pub fn take_alarm(&mut self) -> Option<Ns> {
        if self.timeout == 0 || self.alarm.is_some() || !self.is_by_host || self.waits_for_room {
            return None;
        }
        self.alarm = Some(self.written);
        Some(self.timeout)
    }

    /// The event is there. True where the unit still waits.
    pub fn rings(&mut self) -> bool {
        self.alarm.take() == Some(self.written)
    }

    /// One before it waits for room: the unit that is being filled stays until a unit has got its place. Else a drive without room would
    /// queue many units that are hardly filled, and take each other's places in the ring.
    pub fn waits_for_room(&mut self) {
        self.waits_for_room = true;
    }

    /// No event comes that it waits for.
    pub fn forget_alarm(&mut self) {
        self.alarm = None;
    }
}
