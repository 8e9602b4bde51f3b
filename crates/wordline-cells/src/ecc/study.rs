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
use super::soft::SoftSenses;
use super::tally::{ITERATIONS_MAX, Tally};

/// Chunks of a batch.
pub const BATCH_CHUNKS: u64 = 1000;
/// The rounds of a quick study.
const QUICK_ROUNDS: [u32; 1] = [1];
const QUICK_STEP: u16 = 20;
/// Failures that are enough for a number of errors: they give an accuracy of 10 %.
const FAILURES_ENOUGH: u64 = 100;
/// How far below the smallest number of errors with a failure to continue.
const LOOK_BELOW: u16 = 4;

/// The simulated numbers of errors: dense in the waterfall.
struct Grid {
    /// Batches after each round: the total for a number of errors that goes on.
    rounds: &'static [u32],
    /// From, below, step.
    steps: &'static [(u16, u16, u16)],
    /// Well below the waterfall: simulated up to the last round, to detect an error floor.
    floor_probe: u16,
    /// The last number of a quick study.
    quick_max: u16,
}

/// Hard decisions; dense at small numbers too, which most reads have.
const HARD: Grid = Grid {
    rounds: &[2, 8, 32],
    steps: &[(0, 4, 1), (4, 20, 4), (20, 240, 20), (240, 400, 4), (400, 721, 20)],
    floor_probe: 240,
    quick_max: 400,
};
/// Soft decisions: a last resort, which needs no frame error rates as small as the first one's.
const SOFT: Grid = Grid {
    rounds: &[1, 4],
    steps: &[(0, 600, 40), (600, 800, 8), (800, 1001, 40)],
    floor_probe: 480,
    quick_max: 800,
};

impl Grid {
    fn of(soft: Option<SoftSenses>) -> &'static Grid {
        if soft.is_some() { &SOFT } else { &HARD }
    }

    fn errors(&self) -> impl Iterator<Item = u16> {
        self.steps.iter().flat_map(|&(from, to, step)| (from..to).step_by(step.into()))
    }
}

/// Part of a study: `batch` of the chunks with `errors` errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Batch {
    /// How the chunks were read.
    pub soft: Option<SoftSenses>,
    /// Errors in each chunk.
    pub errors: u16,
    /// Index of the batch for this number of errors.
    pub index: u32,
}

impl Batch {
    /// Decodes the batch. The decoder must have the limit [`ITERATIONS_MAX`]; it only serves as working memory.
    #[must_use]
    pub fn run(self, seed: u64, decoder: &mut Decoder) -> Tally {
        let senses = u64::from(self.soft.map_or(0, SoftSenses::count));
        let stream = senses << 48 | u64::from(self.errors) << 32 | u64::from(self.index);
        Tally::run(self.errors, self.soft, BATCH_CHUNKS, &mut ErrorSource::new(seed, stream), decoder)
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
    soft: Option<SoftSenses>,
    tallies: Vec<Tally>,
    rounds: &'static [u32],
    round: usize,
}

impl Study {
    /// The whole study of hard or soft decisions, or with `quick` one batch for each of a few numbers of errors.
    #[must_use]
    pub fn new(soft: Option<SoftSenses>, quick: bool) -> Self {
        let grid = Grid::of(soft);
        let is_quick = |errors: u16| errors <= grid.quick_max && errors.is_multiple_of(QUICK_STEP);
        let tallies = grid.errors().filter(|&errors| !quick || is_quick(errors)).map(Tally::new).collect();
        Self { soft, tallies, rounds: if quick { &QUICK_ROUNDS } else { grid.rounds }, round: 0 }
    }

    /// Returns the batches of the next round; none when the study is done.
    #[must_use]
    pub fn next_round(&mut self) -> Vec<Batch> {
        let Some(&batches) = self.rounds.get(self.round) else { return Vec::new() };
        let before = if self.round == 0 { 0 } else { self.rounds[self.round - 1] };
        let failing = self.tallies.iter().find(|tally| tally.chunks > 0 && failures(tally) > 0);
        let lowest = failing.map_or(u16::MAX, |tally| tally.errors.saturating_sub(LOOK_BELOW));
        let (soft, floor_probe) = (self.soft, Grid::of(self.soft).floor_probe);
        let goes_on = |tally: &&Tally| {
            self.round == 0
                || tally.errors == floor_probe
                || (tally.errors >= lowest && failures(tally) < FAILURES_ENOUGH)
        };
        // The costliest first, so that no core is left with a long batch at the end.
        let chosen: Vec<u16> = self.tallies.iter().filter(goes_on).map(|tally| tally.errors).rev().collect();
        self.round += 1;
        chosen
            .into_iter()
            .flat_map(|errors| (before..batches).map(move |index| Batch { soft, errors, index }))
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
        let mut study = Study::new(None, false);
        let first = study.next_round();
        assert_eq!(first.len(), 2 * HARD.errors().count());
        first.iter().for_each(|&batch| study.add(&failing_from(300, batch)));
        let mut second: Vec<u16> = study.next_round().iter().map(|batch| batch.errors).collect();
        second.dedup();
        // 300 and more fail often enough; the study continues just below, and at the probe.
        assert_eq!(second, [296, HARD.floor_probe]);
        for _ in 0..HARD.rounds.len() - 2 {
            assert!(!study.next_round().is_empty());
        }
        assert!(study.next_round().is_empty());
        assert_eq!(Study::new(None, true).next_round().len(), 21);
    }
}
