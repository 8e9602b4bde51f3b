//! Decoding results of chunks with the same number of errors: counts, so that parts can be added in any order.

use super::channel::ErrorSource;
use super::codeword::{syndrome_of_errors, weight};
use super::decode::Decoder;
use super::soft::{SoftChannel, SoftSenses};

/// Iterations after which the decoder of the tables gives up; the tables also give the results of a lower limit.
pub const ITERATIONS_MAX: usize = 20;

/// Counts of chunks with one number of errors.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Errors in each chunk, parity included.
    pub errors: u16,
    /// All chunks, decoded or not.
    pub chunks: u64,
    /// Decoded chunks whose result is not the written codeword.
    pub miscorrected: u64,
    /// Sum of the syndrome weights.
    pub syndrome_sum: u64,
    /// Sum of the squares of the syndrome weights.
    pub syndrome_squares: u64,
    /// Chunks decoded after exactly 0, 1, … iterations.
    pub decoded: [u64; ITERATIONS_MAX + 1],
}

impl Tally {
    /// An empty tally.
    #[must_use]
    pub fn new(errors: u16) -> Self {
        Self { errors, ..Self::default() }
    }

    /// Decodes `chunks` chunks with errors from `source`, which were read with `soft` senses beside the references.
    pub fn run(
        errors: u16,
        soft: Option<SoftSenses>,
        chunks: u64,
        source: &mut ErrorSource,
        decoder: &mut Decoder,
    ) -> Self {
        let mut tally = Self::new(errors);
        let mut channel = soft.map(|senses| SoftChannel::new(senses, errors));
        let mut places = Vec::with_capacity(errors.into());
        for _ in 0..chunks {
            places.clear();
            places.extend_from_slice(source.exactly(errors.into()));
            let weight = u64::from(weight(&syndrome_of_errors(&places)));
            let doubts = channel.as_mut().map_or(&[][..], |channel| channel.draw(&places, source));
            let (decoded, right) = decoder.decode_doubted_errors(&places, doubts);
            tally.chunks += 1;
            tally.syndrome_sum += weight;
            tally.syndrome_squares += weight * weight;
            if decoded.ok {
                tally.decoded[usize::from(decoded.iterations)] += 1;
                tally.miscorrected += u64::from(!right);
            }
        }
        tally
    }

    /// Adds the counts of other chunks with the same number of errors.
    pub fn add(&mut self, other: &Self) {
        debug_assert_eq!(self.errors, other.errors);
        self.chunks += other.chunks;
        self.miscorrected += other.miscorrected;
        self.syndrome_sum += other.syndrome_sum;
        self.syndrome_squares += other.syndrome_squares;
        for (sum, count) in self.decoded.iter_mut().zip(other.decoded) {
            *sum += count;
        }
    }

    /// Chunks not decoded within `iterations`.
    #[must_use]
    pub fn undecoded(&self, iterations: usize) -> u64 {
        self.chunks - self.decoded[..=iterations].iter().sum::<u64>()
    }

    /// Mean syndrome weight.
    #[must_use]
    pub fn syndrome_mean(&self) -> f64 {
        self.syndrome_sum as f64 / self.chunks as f64
    }

    /// Standard deviation of the syndrome weight.
    #[must_use]
    pub fn syndrome_deviation(&self) -> f64 {
        let n = u128::from(self.chunks);
        // n^2 times the variance, exact.
        let scaled = n * u128::from(self.syndrome_squares) - u128::from(self.syndrome_sum).pow(2);
        (scaled as f64).sqrt() / n as f64
    }
}
