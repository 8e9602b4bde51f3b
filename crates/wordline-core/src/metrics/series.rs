//! Throughput over time, in a bounded number of samples.

use crate::engine::Ns;

/// What completed within one interval, reads and writes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sample {
    /// Requests.
    pub requests: [u64; 2],
    /// Bytes.
    pub bytes: [u64; 2],
    /// Sum of latencies, ns.
    pub latency: [u64; 2],
}

/// Samples of equal width. Without a width of its own, a series doubles it whenever it gets longer
/// than [`SAMPLES_MAX`].
#[derive(Clone, Debug)]
pub struct Series {
    /// Width of a sample, ns.
    pub width: Ns,
    /// From time 0 on; the last one is still without what is in `newest`.
    samples: Vec<Sample>,
    newest: Sample,
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
            newest: Sample::default(),
            end: 0,
            fixed: width > 0,
        }
    }

    /// A request completed. `kind` is 0 for a read, 1 for a write.
    #[inline]
    pub fn add(&mut self, now: Ns, kind: usize, bytes: u64, latency: Ns) {
        // Completions come in order of time: nearly all fall into the newest sample.
        if now >= self.end {
            self.begin_sample(now);
        }
        self.newest.requests[kind] += 1;
        self.newest.bytes[kind] += bytes;
        self.newest.latency[kind] += latency;
    }

    /// All samples, from time 0 on.
    #[must_use]
    pub fn samples(&self) -> Vec<Sample> {
        let mut samples = self.samples.clone();
        if let Some(last) = samples.last_mut() {
            *last = add(*last, &self.newest);
        }
        samples
    }

    #[inline(never)]
    fn begin_sample(&mut self, now: Ns) {
        if let Some(last) = self.samples.last_mut() {
            *last = add(*last, &std::mem::take(&mut self.newest));
        }
        let index = self.grow(now);
        self.end = (index as u64 + 1) * self.width;
    }

    fn grow(&mut self, now: Ns) -> usize {
        if self.fixed {
            let index = ((now / self.width) as usize).min(SAMPLES_MAX_FIXED - 1);
            self.samples.resize(self.samples.len().max(index + 1), Sample::default());
            return index;
        }
        while (now / self.width) as usize >= SAMPLES_MAX {
            self.width *= 2;
            self.samples =
                self.samples.chunks(2).map(|pair| pair.iter().fold(Sample::default(), add)).collect();
        }
        let index = (now / self.width) as usize;
        self.samples.resize(self.samples.len().max(index + 1), Sample::default());
        index
    }
}

fn add(mut sum: Sample, sample: &Sample) -> Sample {
    for kind in 0..2 {
        sum.requests[kind] += sample.requests[kind];
        sum.bytes[kind] += sample.bytes[kind];
        sum.latency[kind] += sample.latency[kind];
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_every_request_while_it_coarsens() {
        let mut series = Series::new(0);
        for i in 0..10_000u64 {
            series.add(i * 1_000_000, (i % 2) as usize, 10, 3);
        }
        assert!(series.samples().len() <= SAMPLES_MAX);
        let sum = series.samples().iter().fold(Sample::default(), add);
        assert_eq!((sum.requests, sum.bytes, sum.latency), ([5000; 2], [50_000; 2], [15_000; 2]));
    }
}
