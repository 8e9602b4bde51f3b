//! Throughput over time, in a bounded number of samples.

use serde::{Deserialize, Serialize};

use crate::engine::Ns;

/// What completed within one interval, reads and writes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sample {
    /// Requests.
    pub requests: [u64; 2],
    /// Bytes.
    pub bytes: [u64; 2],
    /// Sum of latencies, ns.
    pub latency: [u64; 2],
}

impl Sample {
    /// What has completed since.
    #[must_use]
    pub fn since(self, before: Sample) -> Sample {
        each(self, before, u64::wrapping_sub)
    }

    /// Both together.
    #[must_use]
    pub fn and(self, other: Sample) -> Sample {
        each(self, other, u64::wrapping_add)
    }
}

/// Samples of equal width. Without a width of its own, a series doubles it whenever it gets longer
/// than [`SAMPLES_MAX`]. Nothing is added to it as requests complete: when a sample is over, it is what
/// all requests together have grown by.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Series {
    width: Ns,
    /// From time 0 on; the newest still lacks what has completed since it was begun.
    samples: Vec<Sample>,
    /// All that had completed when the newest sample was begun.
    before: Sample,
    /// When the newest sample ends, ns.
    end: Ns,
    fixed: bool,
}

/// Most samples of a series that chooses its own width.
pub const SAMPLES_MAX: usize = 1024;
/// Most samples of a series whose width is given; what comes later falls into the last one.
const SAMPLES_MAX_FIXED: usize = 4_000_000;
const WIDTH_MIN: Ns = 1 << 17;

impl Series {
    /// An empty series; a width of 0 is chosen by itself.
    #[must_use]
    pub fn new(width: Ns) -> Series {
        Series {
            width: if width > 0 { width } else { WIDTH_MIN },
            samples: Vec::new(),
            before: Sample::default(),
            end: 0,
            fixed: width > 0,
        }
    }

    /// An empty series whose width is given or chosen as that of this one is.
    pub fn anew(&self) -> Series {
        Series::new(if self.fixed { self.width } else { 0 })
    }

    /// Width of a sample, ns.
    pub fn width(&self) -> Ns {
        self.width
    }

    /// When the newest sample ends, ns: what completes then or later belongs to another one.
    pub fn end(&self) -> Ns {
        self.end
    }

    /// Begins the sample that `now` belongs to; `totals` is all that completed before.
    pub fn begin_sample(&mut self, now: Ns, totals: Sample) {
        self.close(totals);
        let index = self.grow(now);
        self.end = (index as u64 + 1) * self.width;
    }

    /// All samples from time 0 on, where `totals` is all that has completed.
    pub fn samples(&self, totals: Sample) -> Vec<Sample> {
        let mut series = self.clone();
        series.close(totals);
        series.samples
    }

    /// Adds what has completed since the newest sample was begun.
    fn close(&mut self, totals: Sample) {
        let before = std::mem::replace(&mut self.before, totals);
        if let Some(newest) = self.samples.last_mut() {
            *newest = newest.and(totals.since(before));
        }
    }

    fn grow(&mut self, now: Ns) -> usize {
        if self.fixed {
            let index = ((now / self.width) as usize).min(SAMPLES_MAX_FIXED - 1);
            self.samples.resize(self.samples.len().max(index + 1), Sample::default());
            return index;
        }
        while (now / self.width) as usize >= SAMPLES_MAX {
            self.width *= 2;
            self.samples = self
                .samples
                .chunks(2)
                .map(|pair| pair.iter().fold(Sample::default(), |sum, &each| sum.and(each)))
                .collect();
        }
        let index = (now / self.width) as usize;
        self.samples.resize(self.samples.len().max(index + 1), Sample::default());
        index
    }
}

/// Two samples, number by number.
fn each(a: Sample, b: Sample, of: fn(u64, u64) -> u64) -> Sample {
    let pair = |a: [u64; 2], b: [u64; 2]| [of(a[0], b[0]), of(a[1], b[1])];
    Sample {
        requests: pair(a.requests, b.requests),
        bytes: pair(a.bytes, b.bytes),
        latency: pair(a.latency, b.latency),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_every_request_while_it_coarsens() {
        let (mut series, mut totals) = (Series::new(0), Sample::default());
        for i in 0..10_000u64 {
            let now = i * 1_000_000;
            if now >= series.end() {
                series.begin_sample(now, totals);
            }
            let kind = (i % 2) as usize;
            totals.requests[kind] += 1;
            totals.bytes[kind] += 10;
            totals.latency[kind] += 3;
        }
        let samples = series.samples(totals);
        assert!(samples.len() <= SAMPLES_MAX);
        let last = 9_999 * 1_000_000 / series.width();
        assert_eq!(samples.len() as u64, last + 1);
        assert_eq!(samples[0].requests.iter().sum::<u64>(), series.width().div_ceil(1_000_000));
        let sum = samples.iter().fold(Sample::default(), |sum, &each| sum.and(each));
        assert_eq!((sum.requests, sum.bytes, sum.latency), ([5000; 2], [50_000; 2], [15_000; 2]));
    }
}
