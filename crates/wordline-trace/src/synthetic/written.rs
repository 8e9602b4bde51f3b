//! What the run has written: where reads go that are not cold.

use super::layout::Region;
use super::random::Random;

/// Number of samples: enough that a device's write buffer does not hold all of them; 128 KiB of memory.
const SAMPLES: usize = 16_384;
/// Sectors of a unit that counts as written once a write covers all of it: 4 KiB.
const UNIT: u64 = 8;
/// Written places that are looked at for a read before it takes the best of them.
const PLACES_MAX: u32 = 64;

/// A uniform sample of all writes so far (reservoir sampling), and which units they have covered.
#[derive(Clone, Debug)]
pub(super) struct Written {
    sectors: Vec<u64>,
    writes: u64,
    region: Region,
    /// A bit for each unit of the region, from its first whole one.
    covered: Vec<u64>,
}

impl Written {
    /// Nothing of a region is written.
    pub fn new(region: Region) -> Self {
        let units = (region.end - region.start).div_ceil(UNIT);
        let covered = vec![0; units.div_ceil(64) as usize];
        Self { sectors: Vec::with_capacity(SAMPLES), writes: 0, region, covered }
    }

    /// Records a write.
    #[inline]
    pub fn note(&mut self, random: &mut Random, sector: u64, sectors: u32) {
        let whole = self.unit(sector + UNIT - 1)..self.unit(sector + u64::from(sectors));
        whole.for_each(|unit| self.covered[(unit / 64) as usize] |= 1 << (unit % 64));
        self.writes += 1;
        if self.sectors.len() < SAMPLES {
            self.sectors.push(sector);
            return;
        }
        let index = random.below(self.writes) as usize;
        if index < SAMPLES {
            self.sectors[index] = sector;
        }
    }

    /// The first sector of a read of written data: of `sectors` in a row that are all written, or, where none is found,
    /// of those of which the most are. `fit` moves a place to where such a read may start. None before the first write.
    pub fn pick(&self, random: &mut Random, sectors: u32, fit: impl Fn(u64) -> u64) -> Option<u64> {
        let n = self.sectors.len() as u64;
        let mut best: Option<(u64, u64)> = None;
        for _ in 0..if n == 0 { 0 } else { PLACES_MAX } {
            let place = self.sectors[random.below(n) as usize];
            // As far back as data are written without a gap, so that the read need not begin where a write did.
            let back =
                (1..=u64::from(sectors) / UNIT).take_while(|k| self.is_covered(place.wrapping_sub(k * UNIT)));
            let ahead = (0..u64::from(sectors) / UNIT).take_while(|k| self.is_covered(place + k * UNIT));
            let spare = u64::from(sectors).saturating_sub(ahead.count() as u64 * UNIT);
            let start = fit(place.saturating_sub(spare.min(back.count() as u64 * UNIT)));
            let missing = self.missing(start, sectors);
            if best.is_none_or(|(least, _)| missing < least) {
                best = Some((missing, start));
            }
            if missing == 0 {
                break;
            }
        }
        best.map(|(_, start)| start)
    }

    /// The unit of the region in which a sector lies.
    fn unit(&self, sector: u64) -> u64 {
        (sector - self.region.start) / UNIT
    }

    fn is_covered(&self, sector: u64) -> bool {
        let is_inside = (self.region.start..self.region.end).contains(&sector);
        is_inside && {
            let unit = self.unit(sector);
            self.covered[(unit / 64) as usize] >> (unit % 64) & 1 == 1
        }
    }

    /// Units of a read that are not written.
    fn missing(&self, start: u64, sectors: u32) -> u64 {
        let last = start + u64::from(sectors) - 1;
        let starts = (start..=last).step_by(UNIT as usize);
        starts.filter(|&sector| !self.is_covered(sector)).count() as u64
    }
}
