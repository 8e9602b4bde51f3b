//! The Monte Carlo study behind the decoder's table: which chunks to decode, in rounds.
//!
//! Chunks are sorted by how many errors they have. How often a number of errors is uncorrectable is simulated for each
//! number (on a grid); how often it occurs at a raw bit error rate is the binomial distribution, and needs no
//! simulation. So frame error rates far below one over the number of chunks come out of chunks with more errors than
//! usual, of which many fail.
//!
//! Work is cut into batches with a seed each. Their counts are added, so the table has the same bytes whoever works on
//! them, in whatever order; which numbers of errors go on to the next round depends on counts alone.

use super::channel::ErrorSource;
use super::decode::Decoder;
use super::tally::{ITERATIONS_MAX, Tally};

/// Chunks of a batch.
pub const BATCH_CHUNKS: u64 = 1000;
/// Batches after each round: a number of errors that goes on gets as many in all.
const ROUNDS: [u32; 3] = [2, 8, 32];
/// A quick study: its rounds, and the numbers of errors that it looks at.
const QUICK_ROUNDS: [u32; 1] = [1];
const QUICK_STEP: u16 = 20;
const QUICK_MAX: u16 = 400;
/// A number of errors with so many failures is known well enough: to 10 %.
const FAILURES_ENOUGH: u64 = 100;
/// How far below the least number of errors that ever failed to go on looking.
const LOOK_BELOW: u16 = 4;
/// Well below the waterfall: looked at to the last round for a floor of the error rate.
const FLOOR_PROBE: u16 = 240;

/// Part of a study: `batch` of the chunks with `errors` errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Batch {
    /// Errors in each chunk.
    pub errors: u16,
    /// Which of the batches with as many errors.
    pub index: u32,
}

impl Batch {
    /// Decodes the batch. The decoder must have the limit [`ITERATIONS_MAX`]; it is only working memory.
    #[must_use]
    pub fn run(self, seed: u64, decoder: &mut Decoder) -> Tally {
        let stream = u64::from(self.errors) << 32 | u64::from(self.index);
        Tally::run(self.errors, BATCH_CHUNKS, &mut ErrorSource::new(seed, stream), decoder)
    }
}

/// A decoder as [`Batch::run`] takes it.
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

    /// The batches of the next round; none: the study is done.
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

    /// Takes in a batch's counts.
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

/// Numbers of errors that are looked at: closely in the waterfall, and where few errors are few.
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
        // 300 and more fail often enough; just below, and at the probe, it goes on.
        assert_eq!(second, [296, FLOOR_PROBE]);
        for _ in 0..ROUNDS.len() - 2 {
            assert!(!study.next_round().is_empty());
        }
        assert!(study.next_round().is_empty());
        assert_eq!(Study::new(true).next_round().len(), 21);
    }
}
