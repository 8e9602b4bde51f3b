//! Jobs on zones (`zonemode=zbd`): writes at the write pointers of zones, reads of what is written, resets of zones that are full.
//!
//! As fio's documentation of `zonemode=zbd` has it:
//!
//! - A sequential job fills the zones of its region one after the other. A zone that is full when the job comes to it is reset first.
//! - A random job draws a zone and writes at its pointer. Where as many zones are open as may be, it draws one of these.
//! - What is left of a zone, and too small for a request, is given up: the zone is finished.
//! - A read draws among what is written; without any the job ends.
//! - `zone_reset_threshold` and `zone_reset_frequency` reset zones before writes, once so much of the region is written.

use std::collections::VecDeque;

use serde::Deserialize;
use wordline_core::host::Op;

use crate::synthetic::random::Random;

/// The zones of a job.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Zbd {
    /// Bytes from zone to zone.
    pub zone_bytes: u64,
    /// Bytes of a zone that can be written.
    pub capacity_bytes: u64,
    /// Zones that the job may have open at once; 0: any number.
    pub max_open: u32,
    /// Share of the region that is written, from which on zones are reset now and then.
    pub reset_threshold: f64,
    /// Share of writes before which a zone is reset then.
    pub reset_frequency: f64,
    /// Bytes of each zone of the drive that are written when the job begins.
    #[serde(skip)]
    pub written: Vec<u64>,
}

/// A step of a job: an operation, its first byte on the drive, and its length.
pub(super) type Step = (Op, u64, u64);

/// Where a job is in its zones.
#[derive(Clone, Debug)]
pub(super) struct Walk {
    zone_bytes: u64,
    capacity: u64,
    /// The first zone of the region.
    first: u64,
    /// Write pointers of the region's zones, bytes from their starts.
    pointers: Vec<u64>,
    max_open: usize,
    open: Vec<usize>,
    /// The zone that a sequential job writes, and whether it has just come to it.
    writing: usize,
    is_new: bool,
    /// The zone that a sequential job reads, and how far it is in it.
    reading: (usize, u64),
    threshold: f64,
    /// Writes between two resets, and those that are left; 0: none.
    reset_every: u64,
    until_reset: u64,
    steps: VecDeque<Step>,
}

impl Walk {
    /// The region of a job, which begins and ends with a zone.
    pub fn new(zbd: &Zbd, offset: u64, region: u64) -> Walk {
        let first = offset / zbd.zone_bytes;
        let zones = (region / zbd.zone_bytes) as usize;
        let written = |zone: usize| zbd.written.get(first as usize + zone).copied().unwrap_or(0);
        let reset_every =
            if zbd.reset_frequency > 0.0 { (1.0 / zbd.reset_frequency).round() as u64 } else { 0 };
        Walk {
            zone_bytes: zbd.zone_bytes,
            capacity: zbd.capacity_bytes,
            first,
            pointers: (0..zones).map(written).collect(),
            max_open: if zbd.max_open == 0 { usize::MAX } else { zbd.max_open as usize },
            open: Vec::new(),
            writing: 0,
            is_new: true,
            reading: (0, 0),
            threshold: zbd.reset_threshold,
            reset_every,
            until_reset: reset_every,
            steps: VecDeque::new(),
        }
    }

    /// A step that goes before others.
    pub fn next_step(&mut self) -> Option<Step> {
        self.steps.pop_front()
    }

    /// Another pass begins.
    pub fn restart(&mut self) {
        (self.writing, self.is_new, self.reading) = (0, true, (0, 0));
    }

    fn start_of(&self, zone: usize) -> u64 {
        (self.first + zone as u64) * self.zone_bytes
    }

    /// A write of so many bytes, at random or in order, becomes the last of the steps; false at the end of a pass.
    pub fn write(&mut self, bytes: u64, random: Option<&mut Random>) -> bool {
        let zone = match random {
            Some(random) => Some(self.drawn(random)),
            None => self.in_order(bytes),
        };
        let Some(zone) = zone else { return false };
        if self.pointers[zone] + bytes > self.capacity || self.is_reset_due(zone) {
            self.steps.push_back((Op::ZoneReset, self.start_of(zone), 0));
            self.pointers[zone] = 0;
        }
        if !self.open.contains(&zone) {
            self.open.push(zone);
        }
        self.steps.push_back((Op::Write, self.start_of(zone) + self.pointers[zone], bytes));
        self.pointers[zone] += bytes;
        if self.pointers[zone] + bytes > self.capacity {
            if self.pointers[zone] < self.capacity {
                self.steps.push_back((Op::ZoneFinish, self.start_of(zone), 0));
            }
            self.open.retain(|&open| open != zone);
        }
        true
    }

    /// The zone of a random write.
    fn drawn(&self, random: &mut Random) -> usize {
        match self.open.len() >= self.max_open {
            true => self.open[random.below(self.open.len() as u64) as usize],
            false => random.below(self.pointers.len() as u64) as usize,
        }
    }

    /// The zone of a sequential write: that of the one before, or the next one.
    fn in_order(&mut self, bytes: u64) -> Option<usize> {
        let is_full = self.pointers.get(self.writing)? + bytes > self.capacity;
        if is_full && !self.is_new {
            self.writing += 1;
        }
        self.is_new = false;
        (self.writing < self.pointers.len()).then_some(self.writing)
    }

    /// Whether a zone is reset before a write though it is not full.
    fn is_reset_due(&mut self, zone: usize) -> bool {
        let all = self.capacity * self.pointers.len() as u64;
        let written: u64 = self.pointers.iter().sum();
        if self.reset_every == 0 || (written as f64) < self.threshold * all as f64 {
            return false;
        }
        self.until_reset -= 1;
        if self.until_reset > 0 {
            return false;
        }
        self.until_reset = self.reset_every;
        self.pointers[zone] > 0
    }

    /// A read of so many bytes becomes the last of the steps; false where nothing is written, or at the end of a pass.
    pub fn read(&mut self, bytes: u64, random: Option<&mut Random>) -> bool {
        let place = match random {
            Some(random) => {
                let from = random.below(self.pointers.len() as u64) as usize;
                let zones = (from..self.pointers.len()).chain(0..from);
                let zone = zones.into_iter().find(|&zone| self.pointers[zone] >= bytes);
                zone.map(|zone| (zone, random.below(self.pointers[zone] / bytes) * bytes))
            }
            None => self.next_to_read(bytes),
        };
        let Some((zone, at)) = place else { return false };
        self.steps.push_back((Op::Read, self.start_of(zone) + at, bytes));
        true
    }

    fn next_to_read(&mut self, bytes: u64) -> Option<(usize, u64)> {
        loop {
            let (zone, at) = self.reading;
            if at + bytes <= *self.pointers.get(zone)? {
                self.reading.1 += bytes;
                return Some((zone, at));
            }
            self.reading = (zone + 1, 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Four zones of 16 KiB, 10 KiB of which can be written; the second is full, the third half.
    fn walk(max_open: u32, frequency: f64) -> Walk {
        let zbd = Zbd {
            zone_bytes: 16_384,
            capacity_bytes: 10_240,
            max_open,
            reset_threshold: 0.0,
            reset_frequency: frequency,
            written: vec![0, 0, 10_240, 4096, 0],
        };
        Walk::new(&zbd, 16_384, 65_536)
    }

    fn steps(walk: &mut Walk, writes: usize, mut random: Option<Random>) -> Vec<Step> {
        let mut all = Vec::new();
        for _ in 0..writes {
            if !walk.write(4096, random.as_mut()) {
                break;
            }
            all.extend(std::iter::from_fn(|| walk.next_step()));
        }
        all
    }

    #[test]
    fn a_sequential_job_fills_zones_in_order_and_resets_those_that_are_full() {
        use Op::{Write, ZoneFinish, ZoneReset};
        let mut walk = walk(0, 0.0);
        let expected = [
            (Write, 16_384, 4096),
            (Write, 20_480, 4096),
            (ZoneFinish, 16_384, 0),
            (ZoneReset, 32_768, 0),
            (Write, 32_768, 4096),
            (Write, 36_864, 4096),
            (ZoneFinish, 32_768, 0),
            (Write, 53_248, 4096),
            (ZoneFinish, 49_152, 0),
            (Write, 65_536, 4096),
            (Write, 69_632, 4096),
            (ZoneFinish, 65_536, 0),
        ];
        assert_eq!(steps(&mut walk, 100, None), expected);
        walk.restart();
        assert_eq!(steps(&mut walk, 1, None), [(ZoneReset, 16_384, 0), (Write, 16_384, 4096)]);
    }

    #[test]
    fn a_random_job_writes_at_pointers_and_keeps_to_the_limit_of_open_zones() {
        let mut walk = walk(2, 0.0);
        let mut pointers = [0, 10_240, 4096, 0];
        for (op, at, bytes) in steps(&mut walk, 500, Some(Random::new(7))) {
            let (zone, offset) = ((at / 16_384 - 1) as usize, at % 16_384);
            match op {
                Op::Write => {
                    assert_eq!(offset, pointers[zone]);
                    pointers[zone] += bytes;
                    assert!(pointers[zone] <= 10_240);
                }
                Op::ZoneReset => pointers[zone] = 0,
                _ => assert_eq!((op, pointers[zone]), (Op::ZoneFinish, 8192)),
            }
        }
        assert!(walk.open.len() <= 2);
    }

    #[test]
    fn reads_are_of_what_is_written() {
        let mut walk = walk(0, 0.0);
        let mut random = Random::new(1);
        for _ in 0..200 {
            assert!(walk.read(2048, Some(&mut random)));
            let (_, at, bytes) = walk.next_step().unwrap();
            let (zone, offset) = ((at / 16_384 - 1) as usize, at % 16_384);
            assert!(offset + bytes <= [0, 10_240, 4096, 0][zone]);
        }
        let in_order: Vec<_> =
            std::iter::from_fn(|| walk.read(4096, None).then(|| walk.next_step().unwrap().1)).collect();
        assert_eq!(in_order, [32_768, 36_864, 49_152]);
        let mut empty = Walk::new(&Zbd { written: Vec::new(), ..zbd_of(&walk) }, 0, 65_536);
        assert!(!empty.read(4096, Some(&mut random)) && !empty.read(4096, None));
    }

    #[test]
    fn zones_are_reset_now_and_then_where_that_is_asked_for() {
        let mut walk = walk(0, 0.25);
        let all = steps(&mut walk, 400, Some(Random::new(3)));
        let resets_of_parts = all.windows(2).filter(|pair| pair[0].0 == Op::ZoneReset).count();
        let plain = steps(&mut walk_of_none(), 400, Some(Random::new(3)));
        assert!(resets_of_parts > plain.windows(2).filter(|pair| pair[0].0 == Op::ZoneReset).count());
    }

    fn walk_of_none() -> Walk {
        walk(0, 0.0)
    }

    fn zbd_of(walk: &Walk) -> Zbd {
        Zbd {
            zone_bytes: walk.zone_bytes,
            capacity_bytes: walk.capacity,
            max_open: 0,
            reset_threshold: 0.0,
            reset_frequency: 0.0,
            written: Vec::new(),
        }
    }
}
