//! Request sizes.

use super::job::FioStream;
use crate::synthetic::random::Random;

/// Sizes of one direction.
#[derive(Clone, Debug)]
pub(super) struct Sizes {
    /// Sizes, bytes, with the cumulative percents.
    steps: Vec<(u64, u64)>,
    up_to_bytes: u64,
    least: u64,
}

impl Sizes {
    /// Builds the sizes of a stream, whose percents add up to 100.
    pub fn new(stream: &FioStream) -> Self {
        let mut sum = 0;
        let steps = stream
            .sizes
            .iter()
            .map(|&(bytes, percent)| {
                sum += u64::from(percent);
                (bytes, sum)
            })
            .collect();
        let least = stream.sizes.iter().map(|size| size.0).min().unwrap_or(4096);
        Self { steps, up_to_bytes: stream.up_to_bytes, least }
    }

    /// The smallest size, bytes.
    pub fn least(&self) -> u64 {
        self.least
    }

    /// The largest size, bytes.
    pub fn largest(&self) -> u64 {
        self.steps.iter().map(|step| step.0).max().unwrap_or(self.least).max(self.up_to_bytes)
    }

    /// Draws a size of at most `room` bytes; `None` if even the smallest does not fit. Where there is only one size, fio
    /// does not look at the room: such a request may end behind the region, if the file goes on.
    pub fn draw(&self, random: &mut Random, room: u64) -> Option<u64> {
        if let [(only, _)] = self.steps[..]
            && self.up_to_bytes == 0
        {
            return Some(only);
        }
        if self.least > room {
            return None;
        }
        // fio also draws again until the size fits.
        loop {
            let bytes = self.any(random);
            if bytes <= room {
                return Some(bytes);
            }
        }
    }

    fn any(&self, random: &mut Random) -> u64 {
        if self.up_to_bytes > 0 {
            // fio's own formula: whole multiples of the smallest size; the largest size has another probability.
            let drawn = self.least + (self.up_to_bytes as f64 * random.fraction()) as u64;
            return (drawn - drawn % self.least).min(self.up_to_bytes);
        }
        let percent = random.below(100);
        self.steps.iter().find(|step| percent < step.1).map_or(self.least, |step| step.0)
    }
}
