//! A log-structured host: it puts random writes in order, on a drive of zones or on a plain one, and collects garbage itself.
//!
//! - Its own map says where each unit is. A write goes behind the last one, in the open segment: a zone, or as much of a plain drive.
//! - Where few segments are free, it empties the one with the fewest live units: reads, writes elsewhere, and a reset, or on a plain drive a
//!   trim. All of these are jobs of the drive like any others.
//! - A segment is cleared when the new places of all its units are written; on a drive whose cache a loss of power takes, when they are
//!   flushed, too. Flushes of the user cross to the drive, and a write with FUA is followed by one there.
//! - What it moves goes to a segment of its own. A write of the user leaves the last free segment to that.
//!
//! What the user wrote, and what the log wrote for it, gives its write amplification; the drive has its own on top.

#[cfg(test)]
mod cuts;
mod driven;
mod segments;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;

use wordline_core::config::{CacheMode, Config};
use wordline_core::engine::Ns;
use wordline_core::flash::Status;
use wordline_core::host::{HostRequest, Op, SECTOR_BYTES};
use wordline_core::metrics::Latency;

pub use driven::{LogRun, LogSettings, drive_log};

use super::{Done, Host, Jobs, PlacedOp};
use crate::{DriveOp, RunError};
use segments::{Segments, Stream};

/// Units of a read or write of the log's own at most.
const MOVED_TOGETHER: u32 = 32;

/// How a log uses its drive.
#[derive(Clone, Copy, Debug)]
pub struct LogShape {
    /// Bytes of a unit of its map.
    pub unit_bytes: u64,
    /// Segments, and bytes from one to the next.
    pub segments: u32,
    /// Bytes from a segment to the next.
    pub stride_bytes: u64,
    /// Units of a segment.
    pub units: u32,
    /// Segments are zones: they are reset instead of trimmed.
    pub zoned: bool,
    /// Share of the segments that is spare.
    pub spare: f64,
    /// It collects while fewer segments are free.
    pub free_segments: u32,
    /// A loss of power takes from the drive what it has acknowledged and not flushed.
    pub volatile: bool,
}

impl LogShape {
    /// The log on a drive: zones are its segments, or pieces of a plain drive of so many bytes.
    ///
    /// # Errors
    /// [`RunError::Workload`] where the drive has too few segments for it.
    pub fn of(
        config: &Config,
        spare: f64,
        segment_bytes: u64,
        free_segments: u32,
    ) -> Result<LogShape, RunError> {
        let unit_bytes = u64::from(config.unit_bytes());
        let volatile = is_volatile(config);
        let shape = match config.zone_shape() {
            Some(zones) => LogShape {
                unit_bytes,
                segments: zones.count - zones.offline - zones.read_only,
                stride_bytes: zones.size * SECTOR_BYTES,
                units: (zones.capacity * SECTOR_BYTES / unit_bytes) as u32,
                zoned: true,
                spare,
                free_segments,
                volatile,
            },
            None => LogShape {
                unit_bytes,
                segments: (config.host_sectors() * SECTOR_BYTES / segment_bytes.max(1)) as u32,
                stride_bytes: segment_bytes,
                units: (segment_bytes / unit_bytes) as u32,
                zoned: false,
                spare,
                free_segments,
                volatile,
            },
        };
        let wrong = |what: String| Err(RunError::Workload(what));
        if shape.units == 0 || !shape.stride_bytes.is_multiple_of(unit_bytes) {
            return wrong(format!(
                "a segment of the log has whole units of {unit_bytes} bytes: take a multiple"
            ));
        }
        // Two are open: the user's, and that of what moves.
        let kept = u64::from(shape.segments.saturating_sub(2 + free_segments)) * u64::from(shape.units);
        if shape.logical_units() == 0 || shape.logical_units() > kept {
            return wrong(format!(
                "a log of {} segments with a spare share of {spare} has no room: two are open and {free_segments} are free; raise the \
                 spare share, or take a larger drive",
                shape.segments
            ));
        }
        Ok(shape)
    }

    /// Units that the user sees.
    #[must_use]
    pub fn logical_units(&self) -> u64 {
        (f64::from(self.segments) * f64::from(self.units) * (1.0 - self.spare)) as u64
    }
}

/// Whether a loss of power takes what the drive has acknowledged: without backup power, and with a cache of writes or a journal.
fn is_volatile(config: &Config) -> bool {
    let caches =
        config.cache.write_back && matches!(config.cache.mode, CacheMode::Write | CacheMode::ReadWrite);
    !config.power.protected && (caches || config.has_journal())
}

/// What a log has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LogCounts {
    /// Requests of the user that are done.
    pub requests: u64,
    /// Units that the user wrote.
    pub written: u64,
    /// Units that the log wrote again.
    pub moved: u64,
    /// Segments that it has reset or trimmed.
    pub cleared: u64,
    /// Flushes that it sent: those of the user, and its own before it clears a segment.
    pub flushes: u64,
    /// Jobs of the drive that did not succeed.
    pub failed: u64,
}

/// Response times of the user's requests.
#[derive(Clone, Debug)]
pub struct LogTimes {
    /// Of reads.
    pub read: Latency,
    /// Of writes.
    pub write: Latency,
    /// Of both, trims and flushes.
    pub all: Latency,
}

impl LogTimes {
    fn new(digits: u8) -> LogTimes {
        let none = || Latency::new(digits);
        LogTimes { read: none(), write: none(), all: none() }
    }

    /// Their spreads as JSON, us: `read`, `write`, `all`.
    #[must_use]
    pub fn to_json(&self) -> String {
        let [read, write, all] = [&self.read, &self.write, &self.all].map(Latency::summary);
        serde_json::json!({ "read": read, "write": write, "all": all }).to_string()
    }

    fn record(&mut self, op: Op, ns: Ns) {
        match op {
            Op::Read => self.read.record(ns),
            Op::Write => self.write.record(ns),
            _ => {}
        }
        self.all.record(ns);
    }

    fn clear(&mut self) {
        [&mut self.read, &mut self.write, &mut self.all].into_iter().for_each(Latency::clear);
    }
}

impl LogCounts {
    /// Units written over those that the user wrote; 1 where it wrote none.
    #[must_use]
    pub fn write_amplification(&self) -> f64 {
        if self.written == 0 { 1.0 } else { (self.written + self.moved) as f64 / self.written as f64 }
    }
}

/// What a job of the drive is for.
#[derive(Clone, Debug)]
enum Work {
    /// A read of the user, and the segments that it reads.
    Read { asked: Ns, reads: Vec<u32> },
    /// A write of the user, and the segments that hold what it replaces.
    Write { asked: Ns, replaced: Vec<u32>, then_flush: bool },
    /// A flush of the user, or the end of a write with FUA.
    Flush { asked: Ns, op: Op },
    /// Units of a victim come: so many from a place on.
    MoveRead { from: u64, units: u32 },
    /// They are written elsewhere.
    MoveWrite { replaced: Vec<u32> },
    /// What a victim held is made durable in its new places.
    Secure { segment: u32 },
    /// A victim is cleared.
    Clear { segment: u32 },
}

/// The segment that is being emptied.
#[derive(Clone, Copy, Debug)]
struct Victim {
    segment: u32,
    /// The next unit to look at.
    next: u32,
    /// Moves under way.
    under_way: u32,
    is_clearing: bool,
}

/// A log, and the user whose requests it carries out.
pub struct LogHost<'a> {
    shape: LogShape,
    source: &'a mut dyn Iterator<Item = HostRequest>,
    depth: u32,
    segments: Segments,
    /// Requests that wait for a free segment, with the time when they were asked for.
    waiting: VecDeque<(Ns, HostRequest)>,
    work: BTreeMap<u64, Work>,
    victim: Option<Victim>,
    /// Requests of the user after which counting begins anew.
    warmup: u64,
    asked: u32,
    begun: bool,
    /// What happened since.
    pub counts: LogCounts,
    /// How long the user's requests took since.
    pub times: LogTimes,
}

impl<'a> LogHost<'a> {
    /// An empty log, whose user keeps so many requests outstanding; the first of them are a warm-up. Its times have so many digits.
    pub fn new(
        shape: LogShape,
        source: &'a mut dyn Iterator<Item = HostRequest>,
        depth: u32,
        warmup: u64,
        digits: u8,
    ) -> LogHost<'a> {
        LogHost {
            shape,
            source,
            depth,
            segments: Segments::new(shape.segments, shape.units, shape.logical_units() as usize),
            waiting: VecDeque::new(),
            work: BTreeMap::new(),
            victim: None,
            warmup,
            asked: 0,
            begun: false,
            counts: LogCounts::default(),
            times: LogTimes::new(digits),
        }
    }

    /// An operation on units of the drive.
    fn on(&self, op: Op, place: u64, units: u32) -> DriveOp {
        let (segment, at) = (place / u64::from(self.shape.units), place % u64::from(self.shape.units));
        let offset = segment * self.shape.stride_bytes + at * self.shape.unit_bytes;
        DriveOp { op, offset, bytes: u64::from(units) * self.shape.unit_bytes, flow: 0, handle: 0 }
    }

    /// The user asks for as much as it may.
    fn ask(&mut self, now: Ns, jobs: &mut Jobs) {
        while self.asked < self.depth {
            let Some(request) = self.source.next() else { return };
            self.asked += 1;
            self.carry_out(now, request, jobs);
        }
    }

    fn carry_out(&mut self, asked: Ns, request: HostRequest, jobs: &mut Jobs) {
        match request.op {
            Op::Read => self.read(asked, &request, jobs),
            Op::Write if self.waiting.is_empty() && self.write(asked, &request, jobs) => {}
            Op::Write => self.waiting.push_back((asked, request)),
            // The map forgets; the drive need not know.
            Op::Trim => {
                for unit in self.units_of(&request) {
                    self.segments.forget(unit);
                }
                self.answer(Op::Trim, asked, asked, jobs);
            }
            Op::Flush => self.flush(Work::Flush { asked, op: Op::Flush }, jobs),
            other => self.answer(other, asked, asked, jobs),
        }
    }

    /// Makes durable what the drive has acknowledged.
    fn flush(&mut self, work: Work, jobs: &mut Jobs) {
        self.counts.flushes += 1;
        let job = jobs.submit_one(DriveOp { op: Op::Flush, offset: 0, bytes: 0, flow: 0, handle: 0 });
        self.work.insert(job, work);
    }

    /// Writes runs of units, as one job.
    fn write_runs(&mut self, runs: &[(u64, u32)], work: Work, jobs: &mut Jobs) {
        let ops: Vec<_> = runs.iter().map(|&(place, units)| self.on(Op::Write, place, units)).collect();
        let job = jobs.submit(ops.into_iter().map(|op| PlacedOp { drive: 0, op }));
        self.work.insert(job, work);
    }

    fn units_of(&self, request: &HostRequest) -> Range<usize> {
        let per_unit = self.shape.unit_bytes / SECTOR_BYTES;
        let end = (request.sector + u64::from(request.sectors)).div_ceil(per_unit);
        (request.sector / per_unit) as usize..end.min(self.shape.logical_units()) as usize
    }

    fn read(&mut self, asked: Ns, request: &HostRequest, jobs: &mut Jobs) {
        let runs = self.segments.runs(self.units_of(request));
        if runs.is_empty() {
            return self.answer(Op::Read, asked, asked, jobs);
        }
        let ops: Vec<_> = runs.iter().map(|&(place, units)| self.on(Op::Read, place, units)).collect();
        let job = jobs.submit(ops.into_iter().map(|op| PlacedOp { drive: 0, op }));
        let reads = self.segments.begin_reads(&runs);
        self.work.insert(job, Work::Read { asked, reads });
    }

    /// Writes to the open segment; false where no segment is free for it.
    fn write(&mut self, asked: Ns, request: &HostRequest, jobs: &mut Jobs) -> bool {
        let units = self.units_of(request);
        if !self.segments.has_room(Stream::User, units.len() as u32) {
            return false;
        }
        self.counts.written += units.len() as u64;
        let put = self.segments.put(Stream::User, units);
        let then_flush = request.fua && self.shape.volatile;
        self.write_runs(&put.runs, Work::Write { asked, replaced: put.replaced, then_flush }, jobs);
        true
    }

    /// A request of the user is done; the last one of the warm-up ends that.
    fn answer(&mut self, op: Op, asked: Ns, now: Ns, jobs: &mut Jobs) {
        self.asked -= 1;
        self.counts.requests += 1;
        self.times.record(op, now - asked);
        if self.warmup > 0 && self.counts.requests == self.warmup {
            self.warmup = 0;
            self.counts = LogCounts::default();
            self.times.clear();
            jobs.mark();
        }
    }

    /// Collects where few segments are free, and goes on with what waited for room.
    fn collect(&mut self, jobs: &mut Jobs) {
        if self.victim.is_none() && self.segments.free() < self.shape.free_segments {
            let segment = self.segments.fewest_live();
            self.victim =
                segment.map(|segment| Victim { segment, next: 0, under_way: 0, is_clearing: false });
        }
        self.move_units(jobs);
        while let Some(&(asked, request)) = self.waiting.front() {
            if !self.write(asked, &request, jobs) {
                break;
            }
            self.waiting.pop_front();
        }
    }

    fn move_units(&mut self, jobs: &mut Jobs) {
        let Some(mut victim) = self.victim else { return };
        while victim.under_way < self.depth.max(4)
            && let Some((from, units)) =
                self.segments.next_live(victim.segment, &mut victim.next, MOVED_TOGETHER)
        {
            let job = jobs.submit_one(self.on(Op::Read, from, units));
            self.work.insert(job, Work::MoveRead { from, units });
            victim.under_way += 1;
        }
        if victim.under_way == 0 && !victim.is_clearing && self.segments.is_idle(victim.segment) {
            victim.is_clearing = true;
            match self.shape.volatile {
                true => self.flush(Work::Secure { segment: victim.segment }, jobs),
                false => self.clear(victim.segment, jobs),
            }
        }
        self.victim = Some(victim);
    }

    /// Gives up what a segment holds, which is all elsewhere.
    fn clear(&mut self, segment: u32, jobs: &mut Jobs) {
        let op = if self.shape.zoned { Op::ZoneReset } else { Op::Trim };
        let whole = self.on(op, u64::from(segment) * u64::from(self.shape.units), self.shape.units);
        let bytes = if self.shape.zoned { 0 } else { whole.bytes };
        let job = jobs.submit_one(DriveOp { bytes, ..whole });
        self.work.insert(job, Work::Clear { segment });
    }

    /// Units of a victim are here: those that are still live are written elsewhere.
    fn moved(&mut self, from: u64, units: u32, jobs: &mut Jobs) {
        let live = self.segments.live_in(from, units);
        let Some(victim) = &mut self.victim else { return };
        victim.under_way -= 1;
        if live.is_empty() {
            return;
        }
        victim.under_way += 1;
        self.counts.moved += live.len() as u64;
        let put = self.segments.put(Stream::Moved, live.into_iter());
        self.write_runs(&put.runs, Work::MoveWrite { replaced: put.replaced }, jobs);
    }
}

impl Host for LogHost<'_> {
    fn next_turn(&self) -> Option<Ns> {
        (!self.begun).then_some(0)
    }

    fn turn(&mut self, now: Ns, jobs: &mut Jobs) {
        self.begun = true;
        self.ask(now, jobs);
        self.collect(jobs);
    }

    fn hear(&mut self, done: &Done, jobs: &mut Jobs) {
        let Some(work) = self.work.remove(&done.job) else { return };
        self.counts.failed += u64::from(done.status != Status::Success);
        match work {
            Work::Read { asked, reads } => {
                self.segments.end_reads(&reads);
                self.answer(Op::Read, asked, done.done_ns, jobs);
            }
            Work::Write { asked, replaced, then_flush } => {
                self.segments.end_replacing(&replaced);
                match then_flush {
                    true => self.flush(Work::Flush { asked, op: Op::Write }, jobs),
                    false => self.answer(Op::Write, asked, done.done_ns, jobs),
                }
            }
            Work::Flush { asked, op } => self.answer(op, asked, done.done_ns, jobs),
            Work::MoveRead { from, units } => self.moved(from, units, jobs),
            Work::MoveWrite { replaced } => {
                self.segments.end_replacing(&replaced);
                if let Some(victim) = &mut self.victim {
                    victim.under_way -= 1;
                }
            }
            Work::Secure { segment } => self.clear(segment, jobs),
            Work::Clear { segment } => {
                self.segments.cleared(segment);
                self.counts.cleared += 1;
                self.victim = None;
            }
        }
        self.collect(jobs);
        self.ask(done.done_ns, jobs);
        self.collect(jobs);
    }
}
