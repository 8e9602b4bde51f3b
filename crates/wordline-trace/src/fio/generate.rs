//! Generates the requests of a job one by one.
//!
//! A job makes passes over its region. A pass ends where no request fits any more and, where the engine queues requests,
//! with the bytes of one. What follows it depends on `loops`, `io_size` and `time_based`, and whether it is the same pass
//! again on `randrepeat`. All rules were compared with the logs of fio 3.33.

use std::iter::FusedIterator;

use wordline_core::host::{HostRequest, Op, SECTOR_BYTES};

use super::choices::{Choices, skewed};
use super::direction::Direction;
use super::free_map::FreeMap;
use super::job::{FioJob, Mix};
use super::pace::Pace;
use super::zbd::{Step, Walk};
use crate::synthetic::random::{AGAIN, Random, hash};

/// The requests of a job; they arrive at its rate, in order of time.
#[derive(Clone, Debug)]
pub struct FioRequests {
    job: FioJob,
    choices: Choices,
    /// The choices as they were before the first pass.
    first_choices: Choices,
    skewed: Random,
    directions: [Direction; 3],
    free: Option<FreeMap>,
    /// Bytes of a block of the map.
    block_bytes: u64,
    pace: Pace,
    /// Passes that `loops` still asks for.
    passes_left: u32,
    /// Bytes asked for in this pass.
    pass_bytes: u64,
    /// Bytes asked for in all passes, and those of them that count towards the job's size: a trim before a write of the
    /// same place does not (fio).
    all_bytes: u64,
    sized_bytes: u64,
    /// Reads, writes and trims.
    issued: [u64; 3],
    /// Those of this pass.
    pass_issued: [u64; 3],
    /// The direction of a mix at present, and its number of requests up to which it stays.
    favoured: Op,
    favoured_until: u64,
    was_flush: bool,
    owes_flush: bool,
    until_random: u32,
    is_over: bool,
    /// Where a job is on zones.
    walk: Option<Walk>,
}

impl FioRequests {
    /// The same job with other requests: places are as often written.
    #[must_use]
    pub fn with_other_choices(mut self, seed: u64, number: u64) -> Self {
        self.choices = Choices::new(&self.job, hash(seed, AGAIN), number);
        self.first_choices = self.choices.clone();
        self
    }

    /// Builds the requests of a job; the run's seed and the job's number determine all random choices.
    #[must_use]
    pub fn new(job: FioJob, seed: u64, number: u64) -> Self {
        let mut skewed = skewed(&job, seed, number);
        let directions = [0, 1, 2].map(|op| Direction::new(&job, op, &mut skewed));
        let choices = Choices::new(&job, seed, number);
        let block_bytes =
            directions.iter().map(|direction| direction.sizes.least()).min().unwrap_or(SECTOR_BYTES);
        let has_map = job.random && !job.repeats;
        Self {
            first_choices: choices.clone(),
            choices,
            skewed,
            free: has_map.then(|| FreeMap::new(job.region_bytes / block_bytes)),
            block_bytes,
            pace: Pace::default(),
            passes_left: job.loops.saturating_sub(1),
            pass_bytes: 0,
            all_bytes: 0,
            sized_bytes: 0,
            issued: [0; 3],
            pass_issued: [0; 3],
            favoured: Op::Read,
            favoured_until: 0,
            was_flush: false,
            owes_flush: false,
            until_random: 1,
            is_over: false,
            walk: job.zbd.as_ref().map(|zbd| Walk::new(zbd, job.offset_bytes, job.region_bytes)),
            directions,
            job,
        }
    }

    fn request(&mut self) -> Option<HostRequest> {
        loop {
            if let Some(request) = self.in_pass() {
                return Some(request);
            }
            if std::mem::take(&mut self.owes_flush) && self.job.flush_at_end {
                return Some(self.flush());
            }
            if !self.next_pass() {
                return None;
            }
        }
    }

    /// The next request of this pass; `None` at its end.
    fn in_pass(&mut self) -> Option<HostRequest> {
        if self.has_enough() {
            return None;
        }
        let writes = self.issued[Op::Write as usize];
        let is_due = |every: u32| every > 0 && writes > 0 && writes.is_multiple_of(u64::from(every));
        if !self.was_flush && self.job.flush_every.into_iter().any(is_due) {
            self.was_flush = true;
            return Some(self.flush());
        }
        if self.walk.is_some() {
            return self.step();
        }
        let op = self.op();
        let (start, bytes) = self.extent(op)?;
        if op != Op::Trim || self.job.mix == Mix::Trim {
            self.sized_bytes += bytes;
        }
        let arrival_ns = self.pace.arrival_ns(&self.job, bytes, &mut self.choices.gaps);
        self.pass_bytes += bytes;
        self.all_bytes += bytes;
        self.issued[op as usize] += 1;
        self.pass_issued[op as usize] += 1;
        self.was_flush = false;
        self.owes_flush |= op == Op::Write;
        let sector = (self.job.offset_bytes + start) / SECTOR_BYTES;
        let request = HostRequest::new(arrival_ns, op, sector, (bytes / SECTOR_BYTES) as u32);
        Some(HostRequest { fua: self.job.fua && op == Op::Write, ..request })
    }

    /// The next step of a job on zones; `None` at the end of a pass.
    fn step(&mut self) -> Option<HostRequest> {
        let waiting = self.walk.as_mut().and_then(Walk::next_step);
        let (op, at, bytes) = match waiting {
            Some(step) => step,
            None => self.next_in_zones()?,
        };
        let arrival_ns = self.pace.arrival_ns(&self.job, bytes, &mut self.choices.gaps);
        self.was_flush = false;
        if let Some(issued) = self.issued.get_mut(op as usize) {
            *issued += 1;
            self.pass_issued[op as usize] += 1;
            self.pass_bytes += bytes;
            self.all_bytes += bytes;
            self.sized_bytes += bytes;
        }
        self.owes_flush |= op == Op::Write;
        let request = HostRequest::new(arrival_ns, op, at / SECTOR_BYTES, (bytes / SECTOR_BYTES) as u32);
        Some(HostRequest { fua: self.job.fua && op == Op::Write, ..request })
    }

    /// The first step of the next read or write.
    fn next_in_zones(&mut self) -> Option<Step> {
        let op = self.op();
        let bytes = self.directions[op as usize].sizes.least();
        let walk = self.walk.as_mut()?;
        let random = if self.job.random { Some(&mut self.choices.places) } else { None };
        let is_there = if op == Op::Read { walk.read(bytes, random) } else { walk.write(bytes, random) };
        if is_there { walk.next_step() } else { None }
    }

    fn flush(&mut self) -> HostRequest {
        HostRequest::new(self.pace.now_ns(&self.job), Op::Flush, 0, 0)
    }

    /// The pass has asked for all bytes that it may, or the job for all.
    fn has_enough(&self) -> bool {
        let job = &self.job;
        if job.time_based {
            return false;
        }
        let loops = u64::from(job.loops);
        let io_size = if job.io_size_bytes > 0 { job.io_size_bytes } else { job.size_bytes };
        let pass = match job.mix {
            _ if !job.queues => u64::MAX,
            Mix::TrimWrite => job.size_bytes.saturating_add(io_size.saturating_mul(loops)),
            Mix::ReadPercent(percent) if percent < 100 && job.random && job.repeats => {
                job.size_bytes.max(job.io_size_bytes)
            }
            _ => job.size_bytes,
        };
        self.pass_bytes >= pass
            || self.sized_bytes >= io_size.saturating_mul(loops)
            || self.has_enough_requests()
    }

    fn has_enough_requests(&self) -> bool {
        // Trims before writes do not count, for which fio takes half of all.
        let each = if self.job.mix == Mix::TrimWrite { 2 } else { 1 };
        let most = self.job.requests_max.saturating_mul(u64::from(self.job.loops) * each);
        most > 0 && self.issued.iter().sum::<u64>() >= most
    }

    /// Another pass begins, if one is due; one without a request ends the job.
    fn next_pass(&mut self) -> bool {
        if self.pass_bytes == 0 {
            return false;
        }
        self.pass_bytes = 0;
        self.was_flush = false;
        self.pass_issued = [0; 3];
        self.favoured = Op::Read;
        self.favoured_until = 0;
        for direction in &mut self.directions {
            direction.restart();
        }
        self.walk.iter_mut().for_each(Walk::restart);
        if let Some(free) = &mut self.free {
            free.clear();
        }
        if self.job.time_based {
            return true;
        }
        if self.job.same_choices {
            self.choices = self.first_choices.clone();
        }
        if self.passes_left > 0 {
            self.passes_left -= 1;
            return true;
        }
        let largest = self.directions.iter().map(|direction| direction.sizes.largest()).max().unwrap_or(0);
        !self.has_enough_requests() && self.all_bytes + largest <= self.job.io_size_bytes
    }

    /// As in fio, a mix stays with a direction for its share of those of the other.
    fn op(&mut self) -> Op {
        let percent = match self.job.mix {
            Mix::Trim => return Op::Trim,
            // A trim, then writes until one begins where it did.
            Mix::TrimWrite => {
                let [_, write, trim] = &self.directions;
                return if write.last_start() == trim.last_start() { Op::Trim } else { Op::Write };
            }
            Mix::ReadPercent(100) => return Op::Read,
            Mix::ReadPercent(0) => return Op::Write,
            Mix::ReadPercent(percent) => u64::from(percent),
        };
        let issued = self.pass_issued[self.favoured as usize];
        if issued >= self.favoured_until {
            let next = if self.choices.ops.below(100) < percent { Op::Read } else { Op::Write };
            if next != self.favoured {
                let other = if self.favoured == Op::Read { 100 - percent } else { percent };
                self.favoured_until = issued * other / 100;
            }
            self.favoured = next;
        }
        self.favoured
    }

    /// Start and length of a request, bytes from the start of the region.
    fn extent(&mut self, op: Op) -> Option<(u64, u64)> {
        if self.job.random && self.job.mix == Mix::TrimWrite && op == Op::Write {
            let (start, bytes) = self.directions[Op::Trim as usize].last()?;
            self.directions[op as usize].asked(start, bytes);
            return Some((start, bytes));
        }
        let (start, is_drawn) =
            if self.job.random { self.random_start(op)? } else { (self.next_start(op)?, false) };
        let (offset, file) = (self.job.offset_bytes, self.job.file_bytes);
        let room = self.job.region_bytes.checked_sub(start).filter(|&room| room > 0)?;
        let direction = &mut self.directions[op as usize];
        let mut bytes = direction.sizes.draw(&mut self.choices.sizes[op as usize], room)?;
        if offset.checked_add(start)?.checked_add(bytes)? > file {
            return None;
        }
        if let Some(free) = self.free.as_mut().filter(|_| is_drawn) {
            // A request ends before the next block that was already touched.
            let blocks = free.take(start / self.block_bytes, bytes.div_ceil(self.block_bytes));
            bytes = bytes.min(blocks * self.block_bytes);
        }
        let is_again = direction.last_start() == Some(start);
        direction.asked(start, bytes);
        if is_again && op == Op::Trim {
            // The same place again: its write is due nevertheless.
            self.directions[Op::Write as usize].forget();
        }
        (bytes > 0).then_some((start, bytes))
    }

    fn next_start(&self, op: Op) -> Option<u64> {
        self.directions[op as usize].next_start(&self.job)
    }

    /// A place, and whether it was drawn.
    fn random_start(&mut self, op: Op) -> Option<(u64, bool)> {
        let direction = &self.directions[op as usize];
        self.until_random -= 1;
        if self.until_random > 0 {
            if self.job.identical {
                return Some((direction.last_start().unwrap_or(0), false));
            }
            return self.next_or_drawn(op);
        }
        self.until_random = self.job.every;
        let percent = self.job.streams[op as usize].random_percent;
        if percent < 100 && self.choices.shares[op as usize].below(100) >= u64::from(percent) {
            return self.next_or_drawn(op);
        }
        self.drawn(op)
    }

    fn next_or_drawn(&mut self, op: Op) -> Option<(u64, bool)> {
        match self.next_start(op) {
            Some(start) => Some((start, false)),
            None => self.drawn(op),
        }
    }

    fn drawn(&mut self, op: Op) -> Option<(u64, bool)> {
        let start = self.directions[op as usize].places.draw(&mut self.choices.places, &mut self.skewed)
            * self.job.streams[op as usize].align_bytes;
        let Some(free) = &self.free else { return Some((start, true)) };
        // If the block was already touched, take the next free one.
        let block = free.next_free(start / self.block_bytes)?;
        Some((block * self.block_bytes, true))
    }
}

impl Iterator for FioRequests {
    type Item = HostRequest;

    fn next(&mut self) -> Option<HostRequest> {
        if self.is_over {
            return None;
        }
        let request = self.request();
        self.is_over = request.is_none();
        request
    }
}

impl FusedIterator for FioRequests {}
