//! The segments of a log: which unit lies where, which segments are free, open and full.

use std::collections::VecDeque;
use std::ops::Range;

/// No place, and no unit.
const NONE: u32 = u32::MAX;

/// Whose units a segment takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stream {
    /// The user's.
    User,
    /// Those that move.
    Moved,
}

/// A run of units on the drive: its first place, and how many they are.
pub(super) type Run = (u64, u32);

/// Where units were put.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Put {
    /// Their places.
    pub runs: Vec<Run>,
    /// The segments that hold what they replace, once for each unit. Until the write is done, that is all that a loss of power leaves
    /// of them: these segments are not cleared before [`Segments::end_replacing`].
    pub replaced: Vec<u32>,
}

/// All segments, and the map.
#[derive(Debug)]
pub(super) struct Segments {
    units: u32,
    /// The place of each logical unit, and the logical unit at each place.
    places: Vec<u32>,
    owners: Vec<u32>,
    /// Live units, and reads under way, by segment.
    live: Vec<u32>,
    reads: Vec<u32>,
    /// Units of a segment whose new places are being written.
    replacing: Vec<u32>,
    is_full: Vec<bool>,
    free: VecDeque<u32>,
    /// The open segment of each stream, and its next unit.
    open: [Option<(u32, u32)>; 2],
}

impl Segments {
    /// All free.
    pub fn new(count: u32, units: u32, logical: usize) -> Segments {
        Segments {
            units,
            places: vec![NONE; logical],
            owners: vec![NONE; (count * units) as usize],
            live: vec![0; count as usize],
            reads: vec![0; count as usize],
            replacing: vec![0; count as usize],
            is_full: vec![false; count as usize],
            free: (0..count).collect(),
            open: [None; 2],
        }
    }

    /// Free segments.
    pub fn free(&self) -> u32 {
        self.free.len() as u32
    }

    /// Whether a stream has room for so many units. The user leaves the last free segment.
    pub fn has_room(&self, stream: Stream, units: u32) -> bool {
        let left = self.open[stream as usize].map_or(0, |(_, next)| self.units - next);
        let kept = u32::from(stream == Stream::User);
        units <= left + self.free().saturating_sub(kept) * self.units
    }

    /// A logical unit holds nothing any more. Returns the segment that held it.
    pub fn forget(&mut self, unit: usize) -> Option<u32> {
        let place = std::mem::replace(&mut self.places[unit], NONE);
        if place == NONE {
            return None;
        }
        let segment = place / self.units;
        self.owners[place as usize] = NONE;
        self.live[segment as usize] -= 1;
        Some(segment)
    }

    /// Gives logical units their places, in order.
    pub fn put(&mut self, stream: Stream, units: impl Iterator<Item = usize>) -> Put {
        let mut replaced = Vec::new();
        let mut places = Vec::new();
        for unit in units {
            if let Some(segment) = self.forget(unit) {
                self.replacing[segment as usize] += 1;
                replaced.push(segment);
            }
            places.push(self.put_one(stream, unit));
        }
        Put { runs: self.runs_of(places.into_iter()), replaced }
    }

    /// The write that replaced units of these segments is done.
    pub fn end_replacing(&mut self, replaced: &[u32]) {
        replaced.iter().for_each(|&segment| self.replacing[segment as usize] -= 1);
    }

    fn put_one(&mut self, stream: Stream, unit: usize) -> u64 {
        let open = &mut self.open[stream as usize];
        let (segment, next) = match open.take() {
            Some(open) => open,
            None => (self.free.pop_front().expect("whoever writes has asked for room"), 0),
        };
        let place = segment * self.units + next;
        (self.places[unit], self.owners[place as usize]) = (place, unit as u32);
        self.live[segment as usize] += 1;
        match next + 1 == self.units {
            true => self.is_full[segment as usize] = true,
            false => *open = Some((segment, next + 1)),
        }
        u64::from(place)
    }

    /// Where logical units are that hold something.
    pub fn runs(&self, units: Range<usize>) -> Vec<Run> {
        self.runs_of(self.places[units].iter().filter(|&&place| place != NONE).map(|&place| place.into()))
    }

    /// The full segment with the fewest live units, the one that was filled first among equals; none where nothing could be won.
    pub fn fewest_live(&self) -> Option<u32> {
        let full = (0..).zip(&self.live).filter(|&(segment, _)| self.is_full[segment as usize]);
        full.min_by_key(|&(_, &live)| live)
            .filter(|&(_, &live)| live < self.units)
            .map(|(segment, _)| segment)
    }

    /// The next run of live units of a segment, up to so many, from `next` on.
    pub fn next_live(&self, segment: u32, next: &mut u32, most: u32) -> Option<Run> {
        let of_segment = |at: u32| self.owners[(segment * self.units + at) as usize] != NONE;
        let first = (*next..self.units).find(|&at| of_segment(at))?;
        let end = (first..self.units.min(first + most)).find(|&at| !of_segment(at));
        let end = end.unwrap_or(self.units.min(first + most));
        *next = end;
        Some((u64::from(segment * self.units + first), end - first))
    }

    /// The logical units that are live in a run.
    pub fn live_in(&self, from: u64, units: u32) -> Vec<usize> {
        let owners = &self.owners[from as usize..from as usize + units as usize];
        owners.iter().filter(|&&owner| owner != NONE).map(|&owner| owner as usize).collect()
    }

    /// Reads of runs begin.
    pub fn begin_reads(&mut self, runs: &[Run]) -> Vec<u32> {
        let segments: Vec<u32> =
            runs.iter().map(|&(place, _)| (place / u64::from(self.units)) as u32).collect();
        segments.iter().for_each(|&segment| self.reads[segment as usize] += 1);
        segments
    }

    /// Reads of segments are done.
    pub fn end_reads(&mut self, segments: &[u32]) {
        segments.iter().for_each(|&segment| self.reads[segment as usize] -= 1);
    }

    /// The logical unit that is live at a place.
    #[cfg(test)]
    pub fn owner(&self, place: u64) -> Option<usize> {
        let owner = self.owners[place as usize];
        (owner != NONE).then_some(owner as usize)
    }

    /// Whether nothing of a segment is live or being replaced, and nobody reads it.
    pub fn is_idle(&self, segment: u32) -> bool {
        [&self.live, &self.reads, &self.replacing].iter().all(|counts| counts[segment as usize] == 0)
    }

    /// Places that follow each other, as runs; a run does not leave its segment.
    fn runs_of(&self, places: impl Iterator<Item = u64>) -> Vec<Run> {
        let mut runs: Vec<Run> = Vec::new();
        for place in places {
            let begins = place.is_multiple_of(u64::from(self.units));
            match runs.last_mut() {
                Some((first, units)) if *first + u64::from(*units) == place && !begins => *units += 1,
                _ => runs.push((place, 1)),
            }
        }
        runs
    }

    /// A segment is free again.
    pub fn cleared(&mut self, segment: u32) {
        debug_assert_eq!(self.live[segment as usize], 0, "a segment is cleared when nothing of it is live");
        self.is_full[segment as usize] = false;
        self.free.push_back(segment);
    }
}
