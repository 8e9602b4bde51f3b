//! Places that the run has written: the targets of reads that are not cold.

use super::random::Random;

/// Number of samples: enough that a device's write buffer does not hold all of them; 128 KiB of memory.
const SAMPLES: usize = 16_384;

/// A uniform sample of all writes so far (reservoir sampling), in constant memory.
#[derive(Clone, Debug)]
pub(super) struct Written {
    sectors: Vec<u64>,
    writes: u64,
}

impl Written {
    /// An empty sample.
    pub fn new() -> Self {
        Self { sectors: Vec::with_capacity(SAMPLES), writes: 0 }
    }

    /// Records the first sector of a write.
    #[inline]
    pub fn note(&mut self, random: &mut Random, sector: u64) {
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

    /// The first sector of one of the writes so far; none before the first write.
    #[inline]
    pub fn pick(&self, random: &mut Random) -> Option<u64> {
        match self.sectors.len() {
            0 => None,
            n => Some(self.sectors[random.below(n as u64) as usize]),
        }
    }
}
