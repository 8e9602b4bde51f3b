//! The addresses of requests.

use wordline_core::config::{Pattern, WorkloadConfig};

use super::layout::Region;
use super::random::{Chance, Random};
use super::scatter::Scatter;
use super::zipf::Zipf;

/// Draws the first sector of requests of one kind inside one region.
#[derive(Clone, Debug)]
pub(super) struct Addresses {
    /// First aligned sector, the start of slot 0.
    first: u64,
    /// End of the region, exclusive.
    end: u64,
    align: u64,
    /// Number of places from which the largest request still fits.
    slots: u64,
    shape: Shape,
    continues: Chance,
    /// End of the last request.
    last_end: u64,
}

/// The start places of requests: evenly spaced and equally likely.
#[derive(Clone, Copy, Debug)]
pub(super) struct Places {
    first: u64,
    align: u64,
    slots: u64,
}

impl Places {
    /// Draws the first sector of a request.
    #[inline(always)]
    pub fn draw(&self, random: &mut Random) -> u64 {
        self.first + random.below(self.slots) * self.align
    }
}

#[derive(Clone, Debug)]
enum Shape {
    Random,
    Sequential { cursor: u64 },
    Strided { slot: u64, lane: u64, stride: u64 },
    Zipf { zipf: Zipf, scatter: Scatter },
    HotCold { hot_slots: u64, hot: Chance },
}

impl Addresses {
    /// Builds addresses inside `region`, which holds the largest request (`max_sectors`) at least once at this
    /// alignment.
    pub fn new(config: &WorkloadConfig, region: Region, align: u64, max_sectors: u32, seed: u64) -> Self {
        let first = region.start.next_multiple_of(align);
        let slots = (region.end - first - u64::from(max_sectors)) / align + 1;
        let shape = match config.pattern {
            Pattern::Random => Shape::Random,
            Pattern::Sequential => Shape::Sequential { cursor: first },
            Pattern::Strided => {
                let stride = (config.stride_bytes / 512 / align).clamp(1, slots);
                Shape::Strided { slot: 0, lane: 0, stride }
            }
            Pattern::Zipf => {
                Shape::Zipf { zipf: Zipf::new(slots, config.zipf_theta), scatter: Scatter::new(slots, seed) }
            }
            Pattern::HotCold if slots > 1 => Shape::HotCold {
                hot_slots: ((slots as f64 * config.hot_fraction) as u64).clamp(1, slots - 1),
                hot: Chance::new(config.hot_access_fraction),
            },
            Pattern::HotCold => Shape::Random,
        };
        let continues = Chance::new(config.sequentiality);
        // The first request continues no other: an end outside the region is never continued.
        Self { first, end: region.end, align, slots, shape, continues, last_end: region.end }
    }

    /// Draws the first sector of a request of this many sectors.
    #[inline(always)]
    pub fn draw(&mut self, random: &mut Random, sectors: u32) -> u64 {
        if !self.continues.possible() {
            return self.fresh(random, sectors);
        }
        let next = self.last_end.next_multiple_of(self.align);
        let fits = next + u64::from(sectors) <= self.end;
        let start = if self.continues.hits(random) && fits { next } else { self.fresh(random, sectors) };
        self.last_end = start + u64::from(sectors);
        start
    }

    /// Draws the first sector of a request that continues no other, by the pattern.
    #[inline(always)]
    pub fn fresh(&mut self, random: &mut Random, sectors: u32) -> u64 {
        let slot = match &mut self.shape {
            Shape::Random => random.below(self.slots),
            Shape::Sequential { cursor } => {
                let start = if *cursor + u64::from(sectors) > self.end { self.first } else { *cursor };
                *cursor = (start + u64::from(sectors)).next_multiple_of(self.align);
                return start;
            }
            Shape::Strided { slot, lane, stride } => {
                let this = *slot;
                *slot += *stride;
                if *slot >= self.slots {
                    // Start the next lane, so that every place is visited in the end.
                    *lane = (*lane + 1) % *stride;
                    *slot = *lane;
                }
                this
            }
            Shape::Zipf { zipf, scatter } => scatter.place(zipf.draw(random)),
            Shape::HotCold { hot_slots, hot } => {
                if hot.hits(random) {
                    random.below(*hot_slots)
                } else {
                    *hot_slots + random.below(self.slots - *hot_slots)
                }
            }
        };
        self.first + slot * self.align
    }

    /// The places of requests, if all draws are equal and independent.
    pub fn places(&self) -> Option<Places> {
        let Self { first, align, slots, .. } = *self;
        let is_uniform = matches!(self.shape, Shape::Random) && !self.continues.possible();
        is_uniform.then_some(Places { first, align, slots })
    }

    /// Returns true if each fresh draw is independent of the last one, so that it may be repeated.
    pub fn redraws(&self) -> bool {
        !matches!(self.shape, Shape::Sequential { .. } | Shape::Strided { .. })
    }

    /// The place at or before `sector`, aligned to `align`, from which a request of this many sectors fits.
    #[inline]
    pub fn fit(&self, sector: u64, sectors: u32, align: u64) -> u64 {
        let start = sector.min(self.end - u64::from(sectors));
        (start - start % align).max(self.first.next_multiple_of(align))
    }
}
