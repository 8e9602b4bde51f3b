//! The Monte Carlo study behind the decoder's table: selects the chunks to decode, in rounds.
//!
//! Chunks are grouped by their number of errors. The study simulates how often a number of errors is uncorrectable, for
//! each number on a grid. How often that number occurs at a raw bit error rate follows from the binomial distribution,
//! without simulation. So chunks with more errors than usual, many of which fail, give frame error rates far below one
//! over the number of chunks.
//!
//! The work is split into batches with a seed each. Their counts are added, so the table has the same bytes for any
//! number of workers and any order. Only counts decide which numbers of errors go on to the next round.

use super::channel::ErrorSource;
use super::decode::Decoder;
use super::tally::{ITERATIONS_MAX, Tally};

/// Chunks of a batch.
pub const BATCH_CHUNKS: u64 = 1000;
/// Batches after each round: the total for a number of errors that goes on.
const ROUNDS: [u32; 3] = [2, 8, 32];
/// The rounds of a quick study.
const QUICK_ROUNDS: [u32; 1] = [1];
const QUICK_STEP: u16 = 20;
const QUICK_MAX: u16 = 400;
/// Failures that are enough for a number of errors: they give an accuracy of 10 %.
const FAILURES_ENOUGH: u64 = 100;
/// How far below the smallest number of errors with a failure to continue.
const LOOK_BELOW: u16 = 4;
/// Well below the waterfall: simulated up to the last round, to detect an error floor.
const FLOOR_PROBE: u16 = 240;

/// Part of a study: `batch` of the chunks with `errors` errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Batch {
    /// Errors in each chunk.
    pub errors: u16,
    /// Index of the batch for this number of errors.
    pub index: u32,
}

impl Batch {
    /// Decodes the batch. The decoder must have the limit [`ITERATIONS_MAX`]; it only serves as working memory.
    #[must_use]
    pub fn run(self, seed: u64, decoder: &mut Decoder) -> Tally {
        let stream = u64::from(self.errors) << 32 | u64::from(self.index);
        Tally::run(self.errors, BATCH_CHUNKS, &mut ErrorSource::new(seed, stream), decoder)
    }
}

/// Returns a decoder for [`Batch::run`].
#[must_use]
pub fn decoder() -> Decoder {
    Decoder::new(ITERATIONS_MAX as u8)
}

/// A study under way.
#[derive(Clone, Debug)]
pub struct Study {
    tallies: Vec<Tally>,
    rounds: &'static [u32],
    round: usize,
}

impl Study {
    /// The whole study, or with `quick` one batch for each of a few numbers of errors.
    #[must_use]
    pub fn new(quick: bool) -> Self {
        let chosen =
            grid().filter(|&errors| !quick || errors <= QUICK_MAX && errors.is_multiple_of(QUICK_STEP));
        let tallies = chosen.map(Tally::new).collect();
        Self { tallies, rounds: if quick { &QUICK_ROUNDS } else { &ROUNDS }, round: 0 }
    }

    /// Returns the batches of the next round; none when the study is done.
    #[must_use]
    pub fn next_round(&mut self) -> Vec<Batch> {
        let Some(&batches) = self.rounds.get(self.round) else { return Vec::new() };
        let before = if self.round == 0 { 0 } else { self.rounds[self.round - 1] };
        let failing = self.tallies.iter().find(|tally| tally.chunks > 0 && failures(tally) > 0);
        let lowest = failing.map_or(u16::MAX, |tally| tally.errors.saturating_sub(LOOK_BELOW));
        let goes_on = |tally: &&Tally| {
            self.round == 0
                || tally.errors == FLOOR_PROBE
                || (tally.errors >= lowest && failures(tally) < FAILURES_ENOUGH)
        };
        // The costliest first, so that no core is left with a long batch at the end.
        let chosen: Vec<u16> = self.tallies.iter().filter(goes_on).map(|tally| tally.errors).rev().collect();
        self.round += 1;
        chosen
            .into_iter()
            .flat_map(|errors| (before..batches).map(move |index| Batch { errors, index }))
            .collect()
    }

    /// Adds a batch's counts.
    pub fn add(&mut self, tally: &Tally) {
        if let Some(sum) = self.tallies.iter_mut().find(|sum| sum.errors == tally.errors) {
            sum.add(tally);
        }
    }

    /// The counts by number of errors, ascending.
    #[must_use]
    pub fn tallies(&self) -> &[Tally] {
        &self.tallies
    }
}

fn failures(tally: &Tally) -> u64 {
    tally.undecoded(ITERATIONS_MAX)
}

/// The simulated numbers of errors: dense in the waterfall, and at small numbers.
fn grid() -> impl Iterator<Item = u16> {
    let steps = [(0, 4, 1), (4, 20, 4), (20, 240, 20), (240, 400, 4), (400, 721, 20)];
    steps.into_iter().flat_map(|(from, to, step)| (from..to).step_by(step))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failing_from(errors: u16, batch: Batch) -> Tally {
        let mut tally = Tally { chunks: BATCH_CHUNKS, ..Tally::new(batch.errors) };
        tally.decoded[3] = if batch.errors < errors { BATCH_CHUNKS } else { BATCH_CHUNKS / 2 };
        tally
    }

    #[test]
    fn rounds_go_on_where_failures_are_rare() {
        let mut study = Study::new(false);
        let first = study.next_round();
        assert_eq!(first.len(), 2 * grid().count());
        first.iter().for_each(|&batch| study.add(&failing_from(300, batch)));
        let mut second: Vec<u16> = study.next_round().iter().map(|batch| batch.errors).collect();
        second.dedup();
        // 300 and more fail often enough; the study continues just below, and at the probe.
        assert_eq!(second, [296, FLOOR_PROBE]);
        for _ in 0..ROUNDS.len() - 2 {
            assert!(!study.next_round().is_empty());
        }
        assert!(study.next_round().is_empty());
        assert_eq!(Study::new(true).next_round().len(), 21);
    }
}
