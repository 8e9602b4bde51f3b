//! Whether overwrites have brought a drive to the equilibrium of its workload.
//!
//! Write amplification rises from 1 as the spare blocks are used up, overshoots, and settles. Overwrites go on in rounds of
//! a tenth of the host's pages until it is flat: GC has begun, the last five rounds differ by little, and so do their mean
//! and that of the five rounds before. Two halves of a swing may have one mean, and a slow drift has a small spread, so both
//! are asked. SNIA's test (PTS, steady state: a spread of 20 % and a slope of 10 %) would end amid the swing.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Rounds of which the host's pages are written once.
const ROUNDS_PER_DRIVE: u64 = 10;
/// A round has this number of blocks at least, so that chance does not move it by more than what is flat.
const BLOCKS_PER_ROUND: u64 = 200;
/// Rounds that are compared with as many before them.
const ROUNDS: usize = 5;
/// Largest spread of these rounds, as a share of their mean.
const SPREAD_MAX: f64 = 0.03;
/// Largest change of their mean.
const CHANGE_MAX: f64 = 0.01;
/// The whole drive is overwritten so often at most.
const DRIVE_WRITES_MAX: u64 = 20;
/// Rounds at most on a small drive, where a round is more than a tenth.
const ROUNDS_MAX: u64 = 40;

/// How overwrites until write amplification is flat have ended.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "FlatAmplification", extend("x-unit" = "ratio"))]
pub struct Steady {
    /// Whether write amplification was flat before the run.
    pub is_flat: bool,
    /// How often the host's pages were overwritten until then.
    pub drive_writes: f64,
    /// Bytes programmed over bytes written in the last rounds of these overwrites; null where the workload writes nothing.
    pub write_amplification: Option<f64>,
    /// The largest less the smallest of these rounds, over their mean; 3 % is flat.
    #[schemars(extend("x-unit" = "share"))]
    pub spread: Option<f64>,
    /// Change of their mean from that of as many rounds before; 1 % is flat.
    #[schemars(extend("x-unit" = "share"))]
    pub change: Option<f64>,
    /// Rounds that are compared with as many before them.
    #[schemars(extend("x-unit" = "count"))]
    pub rounds: u32,
    /// A round, in writes of the whole drive.
    pub round_drive_writes: f64,
}

/// What was written until a moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Written {
    /// Bytes of the host.
    pub host_bytes: u64,
    /// Pages that were programmed for it.
    pub media_pages: u64,
    /// Blocks erased.
    pub erases: u64,
}

/// Write amplification, round by round.
#[derive(Debug)]
pub(super) struct SteadyTest {
    host_pages: u64,
    page_bytes: u64,
    round_pages: u64,
    rounds_max: u64,
    /// Overwritten pages.
    pages: u64,
    before: Written,
    /// Bytes a byte; none before GC has begun.
    amplification: Vec<Option<f64>>,
}

impl SteadyTest {
    /// For so many pages of the host, in blocks of so many.
    pub fn new(host_pages: u64, pages_per_block: u64, page_bytes: u64) -> SteadyTest {
        let round_pages = (host_pages / ROUNDS_PER_DRIVE).max(BLOCKS_PER_ROUND * pages_per_block);
        let rounds_max = (DRIVE_WRITES_MAX * host_pages / round_pages).max(ROUNDS_MAX);
        let (pages, before, amplification) = (0, Written::default(), Vec::new());
        SteadyTest { host_pages, page_bytes, round_pages, rounds_max, pages, before, amplification }
    }

    /// Pages of the next round.
    pub fn round_pages(&self) -> u64 {
        self.round_pages
    }

    /// What had been written before the first round.
    pub fn begin(&mut self, written: Written) {
        self.before = written;
    }

    /// Ends a round of so many pages; `written` is what has been written until now. Returns how it ended, if it has.
    pub fn end_round(&mut self, pages: u64, written: Written) -> Option<Steady> {
        let host = written.host_bytes - self.before.host_bytes;
        let media = (written.media_pages - self.before.media_pages) * self.page_bytes;
        let has_collected = written.erases > self.before.erases;
        self.amplification.push((has_collected && host > 0).then(|| media as f64 / host as f64));
        self.before = written;
        self.pages += pages;
        let now = self.now();
        // A workload that writes nothing has no other equilibrium.
        let is_over = now.is_flat || pages == 0 || self.amplification.len() as u64 >= self.rounds_max;
        is_over.then_some(now)
    }

    /// How far it may have come, 0 to 1.
    pub fn fraction(&self) -> f64 {
        let rounds = self.amplification.len() as f64;
        rounds / (rounds + 2.0 * ROUNDS as f64)
    }

    fn now(&self) -> Steady {
        let mean = |rounds: &[Option<f64>]| -> Option<f64> {
            let all: Option<f64> = rounds.iter().copied().sum();
            all.map(|sum| sum / rounds.len() as f64)
        };
        let count = self.amplification.len();
        let last = self.amplification.len().checked_sub(ROUNDS).map(|from| &self.amplification[from..]);
        let earlier = count
            .checked_sub(2 * ROUNDS)
            .map(|from| &self.amplification[from..count - ROUNDS])
            .and_then(mean);
        let write_amplification = last.and_then(mean);
        let spread = last.zip(write_amplification).map(|(rounds, mean)| {
            let values = || rounds.iter().flatten().copied();
            (values().fold(f64::MIN, f64::max) - values().fold(f64::MAX, f64::min)) / mean
        });
        let change = write_amplification.zip(earlier).map(|(now, before)| now / before - 1.0);
        let is_flat = spread
            .zip(change)
            .is_some_and(|(spread, change)| spread <= SPREAD_MAX && change.abs() <= CHANGE_MAX);
        let share = |pages: u64| pages as f64 / self.host_pages as f64;
        Steady {
            is_flat: is_flat || self.pages == 0,
            drive_writes: share(self.pages),
            write_amplification,
            spread,
            change,
            rounds: ROUNDS as u32,
            round_drive_writes: share(self.round_pages),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ends rounds with these amplifications, and says after how many it was over.
    fn rounds(amplification: impl Fn(u32) -> f64, begins: u32) -> (u32, Steady) {
        let mut test = SteadyTest::new(1_000_000, 256, 4096);
        let mut written = Written::default();
        test.begin(written);
        for round in 0.. {
            written.host_bytes += 100_000 * 4096;
            written.media_pages += (100_000.0 * amplification(round)) as u64;
            written.erases += u64::from(round >= begins);
            if let Some(steady) = test.end_round(100_000, written) {
                return (round + 1, steady);
            }
        }
        unreachable!("it ends after 20 drive writes");
    }

    #[test]
    fn an_even_line_is_flat_once_gc_has_run_for_ten_rounds() {
        let (count, steady) = rounds(|_| 4.0, 3);
        assert_eq!((count, steady.is_flat, steady.write_amplification), (13, true, Some(4.0)));
        assert_eq!((steady.drive_writes, steady.spread, steady.change), (1.3, Some(0.0), Some(0.0)));
    }

    #[test]
    fn neither_a_rise_nor_a_swing_is_flat() {
        // 0.4 % a round: the five rounds differ by 1.6 %, their mean moves by 2 %.
        let (count, steady) = rounds(|round| 4.0 + 0.016 * f64::from(round), 0);
        assert!(!steady.is_flat && count == 200 && steady.change.unwrap() > 0.01, "{count} {steady:?}");
        // A swing whose period is ten rounds: at its turning points the means of both halves are equal.
        let (_, steady) =
            rounds(|round| 4.0 + 0.2 * f64::from([0, 1, 2, 3, 2, 1, 0, -1, -2, -1][round as usize % 10]), 0);
        assert!(!steady.is_flat, "{steady:?}");
        // A swing that settles is flat when it has.
        let (count, steady) =
            rounds(|round| 4.0 + f64::from(30_i32.saturating_sub_unsigned(round).max(0)) / 30.0, 0);
        assert!(steady.is_flat && (30..=40).contains(&count), "{count} {steady:?}");
    }

    #[test]
    fn a_workload_that_writes_nothing_is_steady_at_once() {
        let mut test = SteadyTest::new(1_000_000, 256, 4096);
        let steady = test.end_round(0, Written::default()).unwrap();
        assert_eq!((steady.is_flat, steady.write_amplification), (true, None));
    }

    #[test]
    fn rounds_of_a_small_drive_have_blocks_enough() {
        let test = SteadyTest::new(10_000, 64, 4096);
        assert_eq!((test.round_pages(), test.rounds_max), (12_800, 40));
    }
}
