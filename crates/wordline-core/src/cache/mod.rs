//! The DRAM data cache: a write buffer, a read cache, or both.
//!
//! Page operations of the host pass through [`Cache::access`]; what the cache cannot serve comes out
//! again for the FTL. Dirty pages leave by page operations of their own, owned by their slot.

mod dram;
mod lines;
mod out;
mod sound;
mod waiting;

use std::collections::{BTreeMap, VecDeque};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::config::{CacheConfig, CacheMode, Config};
use crate::engine::{BitTable, Ns, state};
use crate::flash::{Notice, Owner, PageOp, PageOpKind, Priority, SectorMask, Writer, full_page};
use crate::host::SECTOR_BYTES;
use crate::nand::Lpn;
use crate::policy::Counted;
use crate::policy::flush::{CacheView, Flush, Leaves};
pub use dram::{Dram, Transfer};
use lines::{Line, Lines};
pub use out::{CacheOut, Moved};
use waiting::Waiting;

/// What the cache did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(extend("x-unit" = "count"))]
pub struct CacheCounters {
    /// Page reads served from DRAM.
    pub read_hits: u64,
    /// Page reads that went on to flash, at least in part.
    pub read_misses: u64,
    /// Page writes to pages that were there.
    pub write_hits: u64,
    /// Page writes to pages that were not.
    pub write_misses: u64,
    /// Pages flushed.
    pub flushes: u64,
}

/// Why somebody waits for pages to leave the cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum WaitsFor {
    /// A flush request of the host, for all that the cache holds.
    Flush,
    /// A write with FUA, for its page.
    ForcedWrite,
    /// A request to close open groups, for what is to go to them. No program waits less for more units on its account.
    Close,
}

/// A request that waits for pages to leave, with the number of flushes of each: the pages that were dirty when it came. It does not
/// wait for later writes.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct FlushRequest {
    owner: Owner,
    left: BTreeMap<Lpn, u8>,
    waits_for: WaitsFor,
}

/// The cache.
#[derive(Debug)]
pub struct Cache {
    lines: Lines,
    capacity: usize,
    full_page: SectorMask,
    reads: bool,
    writes: bool,
    write_back: bool,
    /// Power that goes takes what is here: a write with FUA waits until its data are on flash.
    is_volatile: bool,
    /// Sectors on their way to flash at most, in a buffer of their own; 0: they keep their lines.
    buffer_sectors: u64,
    /// Sectors on their way to flash, and pages.
    flushing: (u64, usize),
    flush: Flush,
    /// Pages that the run has read and nobody has written, where their data do not stay.
    unwritten: Option<BitTable<Lpn>>,
    /// When pages that were clean and have been written are due, in order, and these pages; none for those that left at once.
    partial: VecDeque<(Ns, Lpn)>,
    /// There will be an event for the first of them.
    is_alarm_set: bool,
    /// Writes that wait for a line.
    waiting: Waiting,
    /// The page of the first of them is known not to be here.
    first_misses: bool,
    /// Flush requests of the host that are not served.
    flush_requests: Vec<FlushRequest>,
    /// What the pages are in.
    pub dram: Dram,
    /// What happened, for the results.
    pub counters: CacheCounters,
}

state! {
    Cache {
        parts: flush, dram, unwritten;
        values: lines, waiting, flush_requests, flushing, partial, is_alarm_set, counters;
        derived: first_misses, capacity, full_page, reads, writes, write_back, is_volatile, buffer_sectors;
    }
}

impl Cache {
    /// What its policy has counted of its own.
    #[must_use]
    pub fn counted(&self) -> Counted {
        self.flush.counted()
    }

    /// A cache as configured, or none.
    #[must_use]
    pub fn new(config: &Config) -> Option<Cache> {
        let CacheConfig { mode, capacity_bytes, write_back, flush, flush_buffer_bytes, .. } = config.cache;
        if mode == CacheMode::Off {
            return None;
        }
        let capacity = ((capacity_bytes / u64::from(config.unit_bytes())) as usize).max(1);
        Some(Cache {
            lines: Lines::default(),
            capacity,
            full_page: full_page(config.sectors_per_unit()),
            reads: matches!(mode, CacheMode::Read | CacheMode::ReadWrite),
            writes: matches!(mode, CacheMode::Write | CacheMode::ReadWrite),
            write_back,
            is_volatile: !config.power.protected,
            buffer_sectors: flush_buffer_bytes.div_ceil(SECTOR_BYTES),
            flushing: (0, 0),
            unwritten: (!config.cache.keeps_unwritten)
                .then(|| BitTable::zeroed(config.host_units() as usize)),
            flush: Flush::new(flush, &config.cache.policies, &config.device_view()),
            partial: VecDeque::new(),
            is_alarm_set: false,
            waiting: Waiting::default(),
            first_misses: false,
            flush_requests: Vec::new(),
            dram: Dram::new(&config.dram),
            counters: CacheCounters::default(),
        })
    }

    /// When the next page that was written in part is due, ns, if no event has been asked for yet.
    pub fn alarm(&mut self, now: Ns) -> Option<Ns> {
        if self.is_alarm_set {
            return None;
        }
        let &(due, _) = self.partial.front()?;
        self.is_alarm_set = true;
        Some(due.max(now))
    }

    /// A new run begins, without any event of the one before.
    pub fn forget_alarm(&mut self) {
        self.is_alarm_set = false;
    }

    /// The event of an alarm: pages written in part leave that are due.
    pub fn rings(&mut self, now: Ns, out: &mut CacheOut) {
        self.is_alarm_set = false;
        while let Some(&(due, lpn)) = self.partial.front()
            && due <= now
        {
            self.partial.pop_front();
            // It may have left and been written anew.
            if lpn != Lpn::NONE
                && let Some(place) = self.lines.find(lpn)
                && self.lines.line(place).due == due
            {
                self.start_flush(place, out);
            }
        }
    }

    /// A page operation of the host.
    pub fn access(&mut self, op: PageOp, now: Ns, out: &mut CacheOut) {
        match op.kind {
            PageOpKind::Read => self.read(op, out),
            PageOpKind::Write => self.write(op, now, out),
            PageOpKind::Trim => self.trim(op, out),
        }
    }

    /// Sectors of a page that only the cache holds and no flush is bringing to flash.
    #[must_use]
    pub fn dirty_sectors(&self, lpn: Lpn) -> SectorMask {
        self.lines.peek(lpn).map_or(0, |line| line.dirty)
    }

    /// Pages with sectors that only the cache holds, and these.
    pub fn dirty(&self) -> impl Iterator<Item = (Lpn, SectorMask)> {
        self.lines
            .pages_from_oldest()
            .map(|(lpn, line)| (lpn, line.dirty))
            .filter(|&(_, sectors)| sectors != 0)
    }

    /// True where a write is acknowledged before it is on its way to flash.
    #[must_use]
    pub fn holds_writes(&self) -> bool {
        self.writes && self.write_back
    }

    /// The power is gone, and with it all that is here. Returns what only the cache held, as writes of its pages in order.
    pub fn power_cut(&mut self) -> Vec<PageOp> {
        let of_line = |(lpn, line): (Lpn, Line)| (lpn, PageOp::unowned(lpn, line.dirty, line.writer));
        let mut lost: BTreeMap<Lpn, PageOp> = self.lines.pages_from_oldest().map(of_line).collect();
        for PageOp { lpn, sectors, writer, .. } in self.waiting.take() {
            let write = lost.entry(lpn).or_insert(PageOp::unowned(lpn, 0, writer));
            *write = PageOp::unowned(lpn, write.sectors | sectors, writer);
        }
        self.lines = Lines::default();
        self.first_misses = false;
        self.partial.clear();
        self.is_alarm_set = false;
        self.flush_requests.clear();
        self.flushing = (0, 0);
        lost.into_values().filter(|write| write.sectors != 0).collect()
    }

    fn read(&mut self, op: PageOp, out: &mut CacheOut) {
        let present = self.lines.get_mut(op.lpn).map_or(0, |line| line.present);
        // A write of the page that waits for a line is newer than the flash, and in DRAM too.
        let queued = self.waiting.sectors(op.lpn);
        let missing = op.sectors & !present & !queued;
        let at_hand = op.sectors & !missing;
        if at_hand != 0 {
            out.moved(op.owner, at_hand, missing == 0);
        }
        if missing == 0 {
            self.counters.read_hits += 1;
        } else {
            self.counters.read_misses += 1;
            out.ops.push(PageOp { sectors: missing, ..op });
        }
    }

    fn write(&mut self, op: PageOp, now: Ns, out: &mut CacheOut) {
        if let Some(unwritten) = &mut self.unwritten {
            unwritten.clear(op.lpn);
        }
        if !self.writes || !self.write_back {
            // Through to flash; what the cache holds of the page stays right.
            if let Some(line) = self.lines.get_mut(op.lpn) {
                line.present |= op.sectors;
                self.counters.write_hits += 1;
            } else {
                self.counters.write_misses += 1;
            }
            out.ops.push(op);
            return;
        }
        if self.waiting.has(op.lpn) || self.buffer_is_full() {
            return self.waiting.push(op);
        }
        match self.lines.find(op.lpn) {
            None if !self.make_room(out) => {
                self.first_misses |= self.waiting.is_empty();
                self.waiting.push(op);
            }
            place => self.write_to(place, &op, now, out),
        }
    }

    /// True while no further page may leave.
    fn buffer_is_full(&self) -> bool {
        self.buffer_sectors > 0 && self.flushing.0 >= self.buffer_sectors
    }

    /// Takes in writes that have waited, as long as there is room for them.
    fn admit_waiting(&mut self, now: Ns, out: &mut CacheOut) {
        while !self.buffer_is_full()
            && let Some(op) = self.waiting.first()
        {
            let place = if self.first_misses { None } else { self.lines.find(op.lpn) };
            self.first_misses = place.is_none();
            if self.first_misses && !self.make_room(out) {
                return;
            }
            self.write_to(place, &op, now, out);
            self.waiting.pop();
            self.first_misses = false;
        }
    }

    /// Takes in a write: at the place of its page, or on a line that is free.
    fn write_to(&mut self, place: Option<u32>, op: &PageOp, now: Ns, out: &mut CacheOut) {
        let place = match place {
            Some(place) => {
                self.counters.write_hits += 1;
                place
            }
            None => {
                self.counters.write_misses += 1;
                self.lines.insert(op.lpn, Line::default())
            }
        };
        let was_clean = self.lines.write(place, op.sectors);
        let line = self.lines.line_mut(place);
        line.writer = op.writer;
        let due = self.flush.fill_wait().filter(|_| was_clean).map(|wait| now + wait);
        line.due = due.unwrap_or(line.due);
        if let (Some(notes), Owner::Request(request)) = (&mut out.notes, op.owner) {
            notes.push(Notice::Cached { request, lpn: op.lpn, sectors: op.sectors });
        }
        let waits_for_flash = op.writer.fua && self.is_volatile;
        out.moved(op.owner, op.sectors, !waits_for_flash);
        if waits_for_flash {
            self.flush_page(place, op.owner, out);
        }
        self.flush_after(op, place, now, out);
        if let Some(due) = due {
            self.note_due(due, place);
        }
    }

    /// A page is due that was clean. Of those that have left at once, nothing is kept but the time; but where reads are cached, too,
    /// such a page is then used once more, in the order in which lines are given up.
    fn note_due(&mut self, due: Ns, place: u32) {
        let is_here = self.reads || self.lines.line(place).dirty != 0;
        let entry = (due, if is_here { self.lines.lpn(place) } else { Lpn::NONE });
        if is_here || self.partial.back() != Some(&entry) {
            self.partial.push_back(entry);
        }
    }

    /// The owner of a write with FUA waits until its page is on flash.
    fn flush_page(&mut self, place: u32, owner: Owner, out: &mut CacheOut) {
        let left = BTreeMap::from([(self.lines.lpn(place), self.lines.line(place).flushes())]);
        self.flush_requests.push(FlushRequest { owner, left, waits_for: WaitsFor::ForcedWrite });
        self.start_flush(place, out);
    }

    /// Pages that take up a line.
    fn lines_in_use(&self) -> usize {
        self.lines.len() - if self.buffer_sectors > 0 { self.flushing.1 } else { 0 }
    }

    /// Makes sure that a line is free; false when one must first be flushed.
    fn make_room(&mut self, out: &mut CacheOut) -> bool {
        if self.lines_in_use() < self.capacity {
            return true;
        }
        if self.buffer_sectors > 0 {
            let is_here = |place: &u32| self.lines.line(*place).flushing == 0;
            let oldest = self.lines.places_from_oldest().find(is_here);
            let Some(oldest) = oldest else { return false };
            if self.lines.line(oldest).dirty == 0 {
                self.lines.remove(oldest);
            } else {
                self.start_flush(oldest, out);
            }
            return true;
        }
        // A page that is being flushed counts as just used, so the oldest is flushing only if all are.
        let Some(oldest) = self.lines.oldest() else { return false };
        let line = self.lines.line(oldest);
        if line.flushing != 0 {
            return false;
        }
        if line.dirty == 0 {
            self.lines.remove(oldest);
            return true;
        }
        self.start_flush(oldest, out);
        false
    }

    /// A page leaves that is in DRAM. Somebody may wait for that, whoever wrote it.
    fn start_flush(&mut self, place: u32, out: &mut CacheOut) {
        let op = self.flush_op(place, Priority::Urgent, out);
        out.leaving.extend(op);
    }

    /// The write of a page to flash, where it is dirty.
    fn flush_op(&mut self, place: u32, priority: Priority, out: &mut CacheOut) -> Option<PageOp> {
        // Also where it is on its way: it cannot leave a second time, so others must be the oldest.
        self.lines.touch(place);
        let (lpn, &Line { dirty: sectors, flushing, writer, .. }) =
            (self.lines.lpn(place), self.lines.line(place));
        if flushing != 0 || sectors == 0 {
            return None;
        }
        self.lines.start_flush(place);
        self.flushing.0 += u64::from(sectors.count_ones());
        self.flushing.1 += 1;
        self.counters.flushes += 1;
        if let Some(notes) = &mut out.notes {
            notes.push(Notice::Flushed { lpn });
        }
        let is_forced = self
            .flush_requests
            .iter()
            .any(|request| request.waits_for != WaitsFor::Close && request.left.contains_key(&lpn));
        let writer = Writer { fua: is_forced, ..writer };
        Some(PageOp { kind: PageOpKind::Write, lpn, sectors, owner: Owner::Slot(lpn), writer, priority })
    }

    /// A page was written: flushes the pages that the policy names.
    fn flush_after(&mut self, op: &PageOp, place: u32, now: Ns, out: &mut CacheOut) {
        loop {
            let (dirty, capacity) = (self.lines.dirty_pages(), self.capacity);
            let is_whole = self.lines.line(place).dirty == self.full_page;
            let view = CacheView { dirty, capacity, written: op.lpn, is_whole, now };
            match self.flush.written(&view) {
                Leaves::Nothing => return,
                // Its data goes both ways at once.
                Leaves::Written => {
                    let flush = self.flush_op(place, op.priority, out);
                    return out.ops.extend(flush);
                }
                Leaves::Oldest => {
                    let Some(oldest) = self.oldest_dirty() else { return };
                    self.start_flush(oldest, out);
                }
            }
        }
    }

    fn oldest_dirty(&self) -> Option<u32> {
        self.lines.dirty_from_oldest().find(|&place| self.lines.line(place).flushing == 0)
    }

    /// A flush is done: the page is clean, unless it was written meanwhile.
    pub fn flushed(&mut self, lpn: Lpn, now: Ns, out: &mut CacheOut) {
        out.seal();
        if let Some(place) = self.lines.find(lpn) {
            let line = self.lines.line_mut(place);
            debug_assert!(line.flushing != 0);
            self.flushing.0 -= u64::from(line.flushing.count_ones());
            self.flushing.1 -= 1;
            line.flushing = 0;
            let is_dirty = line.dirty != 0;
            let is_due = self.flush.only_passes()
                && (line.dirty == self.full_page || self.flush.fill_wait().is_none() || line.due <= now);
            let is_waited_for = self.note_flushed(lpn, out);
            if is_dirty && (is_due || is_waited_for) {
                self.start_flush(place, out);
            } else if !is_dirty && (self.flush.drops_clean() || !self.waiting.is_empty()) {
                // No page stays, or a write waits for a line and this one is clean.
                self.lines.remove(place);
            }
        }
        self.admit_waiting(now, out);
    }

    /// A page has reached flash: serves the flush requests that waited for nothing else. True when
    /// another waits for what was written to the page meanwhile.
    fn note_flushed(&mut self, lpn: Lpn, out: &mut CacheOut) -> bool {
        if self.flush_requests.is_empty() {
            return false;
        }
        let mut is_waited_for = false;
        self.flush_requests.retain_mut(|request| {
            if let Some(left) = request.left.get_mut(&lpn) {
                *left -= 1;
                if *left == 0 {
                    request.left.remove(&lpn);
                } else {
                    is_waited_for = true;
                }
            }
            if request.left.is_empty() {
                out.served.push(request.owner);
            }
            !request.left.is_empty()
        });
        is_waited_for
    }

    /// Pages that leave for flash while writes wait for their lines.
    #[must_use]
    pub fn leaving_for_others(&self) -> usize {
        if self.waiting.is_empty() { 0 } else { self.flushing.1 }
    }

    /// A flush request of the host.
    pub fn flush_all(&mut self, owner: Owner, out: &mut CacheOut) {
        self.flush_for(owner, WaitsFor::Flush, &|_, _| true, out);
    }

    /// A request to close open groups: such pages of such writers leave for them first.
    pub fn flush_before_close(
        &mut self,
        owner: Owner,
        is_such: &dyn Fn(Lpn, &Writer) -> bool,
        out: &mut CacheOut,
    ) {
        self.flush_for(owner, WaitsFor::Close, is_such, out);
    }

    fn flush_for(
        &mut self,
        owner: Owner,
        waits_for: WaitsFor,
        is_such: &dyn Fn(Lpn, &Writer) -> bool,
        out: &mut CacheOut,
    ) {
        let lines = self.lines.pages_from_oldest().filter(|(lpn, line)| is_such(*lpn, &line.writer));
        let left: BTreeMap<Lpn, u8> =
            lines.map(|(lpn, line)| (lpn, line.flushes())).filter(|&(_, flushes)| flushes > 0).collect();
        if left.is_empty() {
            out.served.push(owner);
            return;
        }
        let is_due = |&place: &u32| is_such(self.lines.lpn(place), &self.lines.line(place).writer);
        let dirty: Vec<u32> = self.lines.dirty_from_oldest().filter(is_due).collect();
        self.flush_requests.push(FlushRequest { owner, left, waits_for });
        for place in dirty {
            self.start_flush(place, out);
        }
    }

    /// True while a flush of everything is under way.
    #[must_use]
    pub fn is_flushing(&self) -> bool {
        self.flush_requests.iter().any(|request| request.waits_for == WaitsFor::Flush)
    }

    /// True where the data of reads stays.
    #[inline]
    #[must_use]
    pub fn keeps_reads(&self) -> bool {
        self.reads
    }

    /// A page is read that may have no place yet: nobody has written it then.
    #[inline]
    pub fn note_read(&mut self, lpn: Lpn, has_place: impl FnOnce() -> bool) {
        if let Some(unwritten) = &mut self.unwritten
            && !has_place()
        {
            unwritten.set(lpn);
        }
    }

    /// The data of a read has come from flash, and stays.
    pub fn filled(&mut self, lpn: Lpn, sectors: SectorMask, now: Ns) {
        if self.unwritten.as_ref().is_some_and(|unwritten| unwritten.get(lpn)) {
            return;
        }
        if let Some(line) = self.lines.peek_mut(lpn) {
            // What the line does not have can only be what the flash has.
            line.present |= sectors;
            return;
        }
        if self.lines_in_use() >= self.capacity {
            match self.lines.oldest().map(|oldest| (oldest, self.lines.line(oldest))) {
                Some((oldest, line)) if line.dirty == 0 && line.flushing == 0 => self.lines.remove(oldest),
                _ => return,
            }
        }
        self.lines.insert(lpn, Line { present: sectors, ..Line::default() });
        self.first_misses = false;
        self.dram.occupy(u64::from(sectors.count_ones()) * SECTOR_BYTES, now);
    }

    fn trim(&mut self, op: PageOp, out: &mut CacheOut) {
        let waits = self.waiting.has(op.lpn);
        match self.lines.find(op.lpn) {
            // Part of a page is not forgotten either; the FTL passes over it.
            _ if op.sectors != self.full_page => out.ops.push(op),
            // A page on its way to flash is kept: trims are hints.
            Some(place) if waits || self.lines.line(place).flushing != 0 => out.served.push(op.owner),
            None if waits => out.served.push(op.owner),
            Some(place) => {
                self.lines.remove(place);
                out.ops.push(op);
            }
            None => out.ops.push(op),
        }
    }
}

#[cfg(test)]
mod tests;
