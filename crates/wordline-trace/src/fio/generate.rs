//! Generates the requests of a job one by one.

use std::iter::FusedIterator;

use wordline_core::host::{HostRequest, Op, SECTOR_BYTES};

use super::free_map::FreeMap;
use super::job::{FioJob, Mix};
use super::place::Places;
use super::size::Sizes;
use crate::synthetic::random::{Random, hash};

const NS_PER_S: u128 = 1_000_000_000;

/// The requests of a job; they arrive at its rate, in order of time.
#[derive(Clone, Debug)]
pub struct FioRequests {
    job: FioJob,
    random: Random,
    directions: [Direction; 3],
    free: Option<FreeMap>,
    /// Bytes of a block of the map.
    block_bytes: u64,
    asked_bytes: u64,
    /// Those of them that count towards the job's size: a trim before a write of the same place does not (fio).
    sized_bytes: u64,
    asked: u64,
    until_random: u32,
    writes_until_flush: u32,
    /// A trim, followed by a write of the same place.
    trimmed: Option<(u64, u64)>,
    is_over: bool,
}

#[derive(Clone, Debug)]
struct Direction {
    sizes: Sizes,
    places: Places,
    /// End of the job's last request, bytes from the start of the region.
    position: u64,
}

impl FioRequests {
    /// Builds the requests of a job; the run's seed and the job's number determine all random choices.
    #[must_use]
    pub fn new(job: FioJob, seed: u64, number: u64) -> Self {
        let mut random = Random::new(hash(seed, number));
        let region = job.region_bytes;
        let directions = [0, 1, 2].map(|op| Direction {
            sizes: Sizes::new(&job.streams[op]),
            places: Places::new(&job.streams[op], region, &mut random),
            position: if job.step_bytes < 0 { region } else { 0 },
        });
        let block_bytes =
            directions.iter().map(|direction| direction.sizes.least()).min().unwrap_or(SECTOR_BYTES);
        let has_map = job.random && !job.repeats && job.random_percent == 100 && job.every == 1;
        Self {
            random,
            free: has_map.then(|| FreeMap::new(region / block_bytes)),
            block_bytes,
            asked_bytes: 0,
            sized_bytes: 0,
            asked: 0,
            until_random: 1,
            writes_until_flush: job.flush_every,
            trimmed: None,
            is_over: false,
            directions,
            job,
        }
    }

    fn op(&mut self) -> Op {
        match self.job.mix {
            Mix::Trim | Mix::TrimWrite => Op::Trim,
            Mix::ReadPercent(100) => Op::Read,
            Mix::ReadPercent(percent) if self.random.below(100) < u64::from(percent) => Op::Read,
            Mix::ReadPercent(_) => Op::Write,
        }
    }

    /// Start and length of a request, bytes from the start of the region.
    fn extent(&mut self, op: Op) -> Option<(u64, u64)> {
        let start = if self.job.random { self.random_start(op)? } else { self.next_start(op)? };
        let room = self.job.region_bytes.checked_sub(start)?;
        let direction = &mut self.directions[op as usize];
        let mut bytes = direction.sizes.draw(&mut self.random, room)?;
        if let Some(free) = &mut self.free {
            // A request ends before the next block that was already touched.
            let blocks = free.take(start / self.block_bytes, bytes.div_ceil(self.block_bytes));
            bytes = bytes.min(blocks * self.block_bytes);
        }
        direction.position = start + bytes;
        (bytes > 0).then_some((start, bytes))
    }

    fn random_start(&mut self, op: Op) -> Option<u64> {
        self.until_random -= 1;
        if self.until_random > 0 {
            return self.next_start(op);
        }
        self.until_random = self.job.every;
        let percent = self.job.random_percent;
        if percent < 100 && self.random.below(100) >= u64::from(percent) {
            return self.next_start(op);
        }
        let start = self.directions[op as usize].places.draw(&mut self.random)
            * self.job.streams[op as usize].align_bytes;
        let Some(free) = &mut self.free else { return Some(start) };
        // If the block was already touched, take the next free one.
        if let Some(block) = free.next_free(start / self.block_bytes) {
            return Some(block * self.block_bytes);
        }
        free.clear();
        Some(start - start % self.block_bytes)
    }

    /// The end of the direction's last request plus the job's step; beyond the region it starts again.
    fn next_start(&mut self, op: Op) -> Option<u64> {
        let (region, step) = (self.job.region_bytes, self.job.step_bytes);
        let direction = &self.directions[op as usize];
        let least = direction.sizes.least();
        let begun = direction.position != 0 && direction.position != region;
        let start = if step < 0 && !begun {
            region.checked_sub(least)
        } else if begun {
            direction.position.checked_add_signed(step)
        } else {
            Some(direction.position)
        };
        match start {
            Some(start) if start + least <= region => Some(start),
            _ if step < 0 => region.checked_sub(least),
            _ => (least <= region).then_some(0),
        }
    }

    fn arrival_ns(&self) -> u64 {
        if self.job.bytes_per_s > 0 {
            return (u128::from(self.asked_bytes) * NS_PER_S / u128::from(self.job.bytes_per_s)) as u64;
        }
        self.asked.saturating_mul(self.job.gap_ns)
    }

    fn request(&mut self) -> Option<HostRequest> {
        if self.job.flush_every > 0 && self.writes_until_flush == 0 {
            self.writes_until_flush = self.job.flush_every;
            return Some(HostRequest { arrival_ns: self.arrival_ns(), sector: 0, sectors: 0, op: Op::Flush });
        }
        if self.job.total_bytes > 0 && self.sized_bytes >= self.job.total_bytes {
            return None;
        }
        let (op, (start, bytes)) = match self.trimmed.take() {
            Some(extent) => (Op::Write, extent),
            None => {
                let op = self.op();
                (op, self.extent(op)?)
            }
        };
        if op == Op::Trim && self.job.mix == Mix::TrimWrite {
            self.trimmed = Some((start, bytes));
        } else {
            self.sized_bytes += bytes;
        }
        let arrival_ns = self.arrival_ns();
        self.asked += 1;
        self.asked_bytes += bytes;
        if op == Op::Write {
            self.writes_until_flush = self.writes_until_flush.saturating_sub(1);
        }
        let sector = (self.job.offset_bytes + start) / SECTOR_BYTES;
        Some(HostRequest { arrival_ns, sector, sectors: (bytes / SECTOR_BYTES) as u32, op })
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
