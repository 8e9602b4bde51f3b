//! Whether overwrites have brought a drive to the equilibrium of its workload.
//!
//! Overwrites go on in rounds of a tenth of the host's pages until two things are true.
//!
//! - **The drive's state is that of the workload.** What is seldom written loses its units slowly, and until GC must take
//!   such groups the rest of the drive has spare room that is not its own: write amplification is low, and even. So a drive
//!   is not there yet while groups that were full when a third of the overwrites was done still hold much of the data and
//!   lose units. Data that are never written lose none, and do not count.
//! - **Write amplification is flat.** Four windows differ by little, and so do the two halves that they make. They grow with
//!   all that was overwritten, and cover two thirds of it: where few pages get nearly all writes, hot and cold data part for tens
//!   of drive writes, and in shorter windows that looks even. SNIA's test (PTS, steady state: a spread of 20 % and a slope of 10 %) would end amid a swing.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ftl::FullGroup;

/// Rounds of which the host's pages are written once.
const ROUNDS_PER_DRIVE: u64 = 10;
/// A round has this number of blocks at least, so that chance does not move it by more than what is flat.
const BLOCKS_PER_ROUND: u64 = 200;
/// Windows that are compared: two with two before them.
const WINDOWS: usize = 4;
/// Rounds of a window, at least.
const WINDOW_ROUNDS: usize = 3;
/// All rounds over those of a window, where these are more.
const ROUNDS_PER_WINDOW: usize = 6;
/// The same for rounds that take time: what time changes, it changes soon.
const TIMED_ROUNDS_PER_WINDOW: usize = 12;
/// Largest spread of these windows, as a share of their mean.
const SPREAD_MAX: f64 = 0.03;
/// Largest change from the first half of them to the second.
const CHANGE_MAX: f64 = 0.01;
/// Groups that were full when one over so many of the rounds were over are old.
const OLD: usize = 3;
/// From one look that is kept to the next, as a multiple of the rounds.
const ROUNDS_BETWEEN_LOOKS: f64 = 1.25;
/// Largest share of the host's data in old groups that lose units.
const OLD_SHARE_MAX: f64 = 0.05;
/// Rounds at most on a small drive, where a round is more than a tenth.
const ROUNDS_MAX: u64 = 40;
/// The same for rounds that take time, which cost ten times as much.
const TIMED_ROUNDS_PER_DRIVE: u64 = 50;
const BLOCKS_PER_TIMED_ROUND: u64 = 100;
/// Rounds that take time, at least. In the first one the drive gets used to it, and chance is judged from the others.
const TIMED_ROUNDS_MIN: usize = 5;
/// Write amplification with time may differ by so much from that without.
const AGREE_MAX: f64 = 0.03;
/// In a level drive GC frees as many blocks as are programmed, but for this share.
const FREED_MAX: f64 = 0.05;

/// How overwrites until the drive is at equilibrium have ended.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "FlatAmplification", extend("x-unit" = "ratio"))]
pub struct Steady {
    /// Whether the drive was at equilibrium before the run: write amplification was flat, and GC had taken all groups that lose units.
    pub is_flat: bool,
    /// How often the host's pages were overwritten until then.
    pub drive_writes: f64,
    /// Bytes programmed over bytes written in the last rounds of these overwrites; null where the workload writes nothing.
    pub write_amplification: Option<f64>,
    /// The largest less the smallest of four windows, the last half of which are these rounds, over their mean; 3 % is flat.
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
    /// Share of the host's data in groups that GC has yet to take, although they lose units and were full when a third of the
    /// overwrites was done; 5 % is equilibrium.
    #[serde(default)]
    #[schemars(extend("x-unit" = "share"))]
    pub old_share: f64,
    /// Drive writes after which GC takes these groups at the pace at which they lose units now; null where there is none.
    #[serde(default)]
    pub drive_writes_left: Option<f64>,
    /// What the workload with its times, caches and schedule did to the drive then; null where that was not tried.
    #[serde(default)]
    pub timed: Option<TimedAging>,
}

/// The second stage of aging: the workload as it runs, until write amplification and free blocks are level.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(extend("x-unit" = "ratio"))]
pub struct TimedAging {
    /// Whether they were level in the end.
    pub is_level: bool,
    /// How often the host's pages were written in it.
    pub drive_writes: f64,
    /// Write amplification of the first stage, which takes no time.
    pub untimed_write_amplification: f64,
    /// That of the last rounds of this stage; null where GC did nothing in them.
    pub write_amplification: Option<f64>,
    /// The drive came to rest before the run: its write cache emptied, and GC won room. After so many bytes that the host writes in the
    /// run, at the latest, both are as they were.
    #[serde(default)]
    #[schemars(extend("x-unit" = "bytes"))]
    pub rest_bytes: u64,
}

/// What was written until a moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Written {
    /// Bytes of the host.
    pub host_bytes: u64,
    /// Pages that were programmed for it.
    pub media_pages: u64,
    /// Pages of these that GC moved.
    pub moved_pages: u64,
    /// Blocks erased.
    pub erases: u64,
    /// Blocks that are free.
    pub free_blocks: u64,
}

/// The groups of a drive at the end of a round, in one order; none where a group is not full.
pub(super) type Look = Vec<Option<FullGroup>>;

/// Write amplification and the state of the drive, round by round.
#[derive(Debug)]
pub(super) struct SteadyTest {
    host_pages: u64,
    page_bytes: u64,
    blocks_per_group: u64,
    planes: u64,
    rounds_per_window: usize,
    round_pages: u64,
    rounds_max: u64,
    /// Overwritten pages.
    pages: u64,
    /// At the end of each round, that before the first one too.
    written: Vec<Written>,
    /// Looks at the drive after some rounds, with the numbers of these.
    looks: Vec<(usize, Look)>,
    /// Share of the data in old groups that lose units, and how soon GC takes them.
    old: (f64, Option<f64>),
}

impl SteadyTest {
    /// For so many pages of the host, in blocks of so many, and groups of so many blocks.
    pub fn new(
        host_pages: u64,
        (pages_per_block, blocks_per_group): (u64, u64),
        page_bytes: u64,
        drive_writes_max: f64,
    ) -> SteadyTest {
        let round_pages = (host_pages / ROUNDS_PER_DRIVE).max(BLOCKS_PER_ROUND * pages_per_block);
        let rounds_max = ((drive_writes_max * host_pages as f64 / round_pages as f64) as u64).max(ROUNDS_MAX);
        SteadyTest {
            host_pages,
            page_bytes,
            blocks_per_group,
            planes: 1,
            rounds_per_window: ROUNDS_PER_WINDOW,
            round_pages,
            rounds_max,
            pages: 0,
            written: Vec::new(),
            looks: Vec::new(),
            old: (0.0, None),
        }
    }

    /// The same for a drive of so many planes that was aged without time, whose rounds take time.
    pub fn timed(
        host_pages: u64,
        (pages_per_block, blocks_per_group, planes): (u64, u64, u64),
        page_bytes: u64,
        drive_writes_max: f64,
    ) -> SteadyTest {
        let (share, least) = (host_pages / TIMED_ROUNDS_PER_DRIVE, BLOCKS_PER_TIMED_ROUND * pages_per_block);
        let round_pages = share.max(least);
        let rounds_max = (drive_writes_max * host_pages as f64 / round_pages as f64) as u64;
        let rounds_min = if share < least { ROUNDS_MAX } else { TIMED_ROUNDS_MIN as u64 };
        let test = SteadyTest::new(host_pages, (pages_per_block, blocks_per_group), page_bytes, 0.0);
        let rounds_max = rounds_max.max(rounds_min);
        SteadyTest { planes, rounds_per_window: TIMED_ROUNDS_PER_WINDOW, round_pages, rounds_max, ..test }
    }

    /// Pages of the next round.
    pub fn round_pages(&self) -> u64 {
        self.round_pages
    }

    /// What had been written before the first round, and the drive then.
    pub fn begin(&mut self, written: Written, look: Look) {
        self.written.push(written);
        self.looks.push((0, look));
    }

    /// Ends a round of so many pages; `written` is what has been written until now. Returns how it ended, if it has.
    pub fn end_round(&mut self, pages: u64, written: Written, look: Look) -> Option<Steady> {
        self.written.push(written);
        self.pages += pages;
        self.look_at(look);
        let now = self.now();
        // A workload that writes nothing has no other equilibrium.
        let is_over = now.is_flat || pages == 0 || self.rounds() as u64 >= self.rounds_max;
        is_over.then_some(now)
    }

    /// Ends a round of a drive that was aged without time as `untimed` says; returns how it ended, if it has. Where time changes
    /// nothing, that is after a few rounds, and the number that is known better stays.
    pub fn end_timed_round(
        &mut self,
        pages: u64,
        written: Written,
        look: Look,
        untimed: Steady,
    ) -> Option<Steady> {
        let over = self.end_round(pages, written, look);
        let before = untimed.write_amplification?;
        let agrees = self.agrees_with(before);
        let is_flat =
            over.is_some_and(|over| over.is_flat) && self.keeps_free_blocks(self.rounds().div_ceil(2));
        if !agrees && !is_flat && (self.rounds() as u64) < self.rounds_max {
            return None;
        }
        let last = over.and_then(|over| over.write_amplification);
        let timed = TimedAging {
            is_level: agrees || is_flat,
            drive_writes: self.pages as f64 / self.host_pages as f64,
            untimed_write_amplification: before,
            write_amplification: last.or_else(|| self.amplification(1, self.rounds())),
            rest_bytes: 0,
        };
        Some(match over {
            Some(over) if !agrees => {
                let drive_writes = untimed.drive_writes + timed.drive_writes;
                let write_amplification = timed.write_amplification;
                Steady { is_flat, drive_writes, write_amplification, timed: Some(timed), ..over }
            }
            _ => Steady { timed: Some(timed), ..untimed },
        })
    }

    /// Whether write amplification with time, but for the first round, is what it was before: so near that chance would not hide a
    /// difference that counts.
    fn agrees_with(&self, before: f64) -> bool {
        let rounds = self.rounds();
        let each: Option<Vec<f64>> = (1..rounds).map(|from| self.amplification(from, from + 1)).collect();
        let (Some(each), Some(mean)) = (each, self.amplification(1, rounds.max(1))) else { return false };
        let count = each.len() as f64;
        let squares: f64 = each.iter().map(|value| (value - mean) * (value - mean)).sum();
        let error = (squares / (count - 1.0).max(1.0) / count).sqrt();
        rounds >= TIMED_ROUNDS_MIN
            && (mean - before).abs() + 2.0 * error <= AGREE_MAX * before
            && self.keeps_free_blocks(1)
    }

    /// Whether GC has freed what was programmed since the end of a round. By chance the planes differ by a block or so.
    fn keeps_free_blocks(&self, from: usize) -> bool {
        let (from, to) = (self.written[from], self.written[self.rounds()]);
        let by_chance = 2.0 * (self.planes as f64).sqrt();
        let most = (FREED_MAX * (to.erases - from.erases) as f64).max(by_chance);
        to.free_blocks.abs_diff(from.free_blocks) as f64 <= most
    }

    /// How far it may have come, 0 to 1: of the rounds after which it may be over at the earliest; then all but one that may follow.
    pub fn fraction(&self) -> f64 {
        let is_timed = self.rounds_per_window == TIMED_ROUNDS_PER_WINDOW;
        let least = if is_timed { TIMED_ROUNDS_MIN } else { WINDOWS * WINDOW_ROUNDS };
        self.rounds() as f64 / least.max(self.rounds() + 1) as f64
    }

    fn rounds(&self) -> usize {
        self.written.len() - 1
    }

    /// Looks which groups were full when a third of the rounds was over, or somewhat earlier, and have lost units since.
    fn look_at(&mut self, look: Look) {
        let rounds = self.rounds();
        let long_ago = self.looks.iter().rev().find(|(round, _)| round * OLD <= rounds);
        if let Some((before, then)) = long_ago {
            let (mut live, mut lost, mut groups) = (0, 0, 0);
            for (now, then) in look.iter().zip(then) {
                if let (Some(now), Some(then)) = (now, then)
                    && now.filled == then.filled
                    && now.live < then.live
                {
                    (live, lost) = (live + u64::from(now.live), lost + u64::from(then.live - now.live));
                    groups += 1;
                }
            }
            let left =
                (live as f64 - f64::from(groups) * self.units_of_victim()).max(0.0) / lost.max(1) as f64;
            let of_drive = self.round_pages as f64 / self.host_pages as f64;
            let left = (lost > 0).then_some(left * (rounds - before) as f64 * of_drive);
            self.old = (live as f64 / self.host_pages as f64, left);
        }
        if self.looks.last().is_none_or(|(last, _)| rounds as f64 >= *last as f64 * ROUNDS_BETWEEN_LOOKS) {
            self.looks.push((rounds, look));
        }
    }

    /// Units that a victim of GC held in the last window.
    fn units_of_victim(&self) -> f64 {
        let last = &self.written[self.rounds()];
        let before = &self.written[self.rounds().saturating_sub(WINDOW_ROUNDS)];
        let groups = (last.erases - before.erases) as f64 / self.blocks_per_group as f64;
        if groups > 0.0 { (last.moved_pages - before.moved_pages) as f64 / groups } else { 0.0 }
    }

    /// Bytes programmed over bytes written between the ends of two rounds; none before GC has begun.
    fn amplification(&self, from: usize, to: usize) -> Option<f64> {
        let (from, to) = (self.written[from], self.written[to]);
        let host = to.host_bytes - from.host_bytes;
        let media = (to.media_pages - from.media_pages) * self.page_bytes;
        (to.erases > from.erases && host > 0).then(|| media as f64 / host as f64)
    }

    /// Write amplification of the last windows, of so many rounds each.
    fn windows(&self, length: usize) -> Option<[f64; WINDOWS]> {
        let first = self.rounds().checked_sub(WINDOWS * length)?;
        let mut windows = [0.0; WINDOWS];
        for (number, window) in windows.iter_mut().enumerate() {
            let from = first + number * length;
            *window = self.amplification(from, from + length)?;
        }
        Some(windows)
    }

    fn now(&self) -> Steady {
        let length = WINDOW_ROUNDS.max(self.rounds() / self.rounds_per_window);
        let half = WINDOWS / 2 * length;
        let last = self.rounds().checked_sub(half);
        let write_amplification = last.and_then(|from| self.amplification(from, self.rounds()));
        let windows = self.windows(length);
        let spread = windows.zip(write_amplification).map(|(windows, mean)| {
            (windows.iter().copied().fold(f64::MIN, f64::max)
                - windows.iter().copied().fold(f64::MAX, f64::min))
                / mean
        });
        let earlier = last.and_then(|to| self.amplification(to.checked_sub(half)?, to));
        let change = write_amplification.zip(earlier).map(|(now, before)| now / before - 1.0);
        let is_flat = spread
            .zip(change)
            .is_some_and(|(spread, change)| spread <= SPREAD_MAX && change.abs() <= CHANGE_MAX);
        let share = |pages: u64| pages as f64 / self.host_pages as f64;
        let (old_share, left) = self.old;
        Steady {
            is_flat: is_flat && old_share <= OLD_SHARE_MAX || self.pages == 0,
            drive_writes: share(self.pages),
            write_amplification,
            spread,
            change,
            rounds: half as u32,
            round_drive_writes: share(self.round_pages),
            old_share,
            drive_writes_left: left.filter(|_| old_share > OLD_SHARE_MAX),
            timed: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ends rounds with these amplifications and groups, and says after how many it was over.
    fn rounds(
        amplification: impl Fn(u32) -> f64,
        groups: impl Fn(u32) -> Vec<Option<FullGroup>>,
        begins: u32,
    ) -> (u32, Steady) {
        let mut test = SteadyTest::new(1_000_000, (256, 1), 4096, 20.0);
        let mut written = Written::default();
        test.begin(written, groups(0));
        for round in 1.. {
            written.host_bytes += 100_000 * 4096;
            written.media_pages += (100_000.0 * amplification(round - 1)) as u64;
            written.erases += u64::from(round > begins);
            if let Some(steady) = test.end_round(100_000, written, groups(round)) {
                return (round, steady);
            }
        }
        unreachable!("it ends after 20 drive writes");
    }

    fn none(_: u32) -> Vec<Option<FullGroup>> {
        Vec::new()
    }

    #[test]
    fn what_is_left_is_the_rounds_until_it_may_be_over() {
        let mut test = SteadyTest::new(1_000_000, (256, 1), 4096, 20.0);
        test.begin(Written::default(), none(0));
        let mut fractions = Vec::new();
        for round in 1..=14 {
            fractions.push(test.fraction());
            test.end_round(
                100_000,
                Written { host_bytes: u64::from(round), ..Written::default() },
                none(round),
            );
        }
        assert_eq!((fractions[0], fractions[6], fractions[11]), (0.0, 0.5, 11.0 / 12.0));
        assert!(fractions.is_sorted() && test.fraction() == 14.0 / 15.0, "{fractions:?}");
    }

    #[test]
    fn an_even_line_is_flat_once_gc_has_run_for_four_windows() {
        let (count, steady) = rounds(|_| 4.0, none, 2);
        assert_eq!((count, steady.is_flat, steady.write_amplification), (12, true, Some(4.0)));
        assert_eq!((steady.drive_writes, steady.spread, steady.change), (1.2, Some(0.0), Some(0.0)));
    }

    #[test]
    fn neither_a_rise_nor_a_swing_is_flat() {
        let (count, steady) = rounds(|round| 4.0 + 0.02 * f64::from(round), none, 0);
        assert!(!steady.is_flat && count == 200 && steady.change.unwrap() > 0.01, "{count} {steady:?}");
        // A swing whose period is ten rounds is none once windows are longer.
        let swing =
            |round: u32| 4.0 + 0.2 * f64::from([0, 1, 2, 3, 2, 1, 0, -1, -2, -1][round as usize % 10]);
        let (count, steady) = rounds(swing, none, 0);
        let mean = steady.write_amplification.unwrap();
        assert!(steady.is_flat && count > 50 && (mean / 4.1 - 1.0).abs() < 0.01, "{count} {steady:?}");
        // Hot and cold data that part slowly, by a thirtieth in each round: shorter windows once were flat at 4.19.
        let (count, steady) = rounds(|round| 4.0 + 0.8 * libm::pow(0.967, f64::from(round)), none, 0);
        let mean = steady.write_amplification.unwrap();
        assert!(steady.is_flat && (mean / 4.0 - 1.0).abs() < 0.01, "{count} {steady:?}");
        // A swing that settles is flat when it has.
        let settles = |round: u32| 4.0 + f64::from(30_i32.saturating_sub_unsigned(round).max(0)) / 30.0;
        let (count, steady) = rounds(settles, none, 0);
        assert!(steady.is_flat && (30..=65).contains(&count), "{count} {steady:?}");
    }

    #[test]
    fn groups_that_lose_units_slowly_are_waited_for() {
        let group = |live| Some(FullGroup { filled: 0, live });
        // All data lie in groups of the fill, which lose one unit of a thousand in a round: 200 rounds do not change that.
        let cold = |round: u32| vec![group(1000 - round); 1000];
        let (count, steady) = rounds(|_| 1.0, cold, 0);
        assert!(
            !steady.is_flat && count == 200 && (steady.old_share - 0.8).abs() < 1e-9,
            "{count} {steady:?}"
        );
        // Another 800 rounds are 80 drive writes until nothing is left of them.
        assert!((steady.drive_writes_left.unwrap() - 80.0).abs() < 1.0, "{steady:?}");
        // Collected after 60 rounds, they are waited for until then.
        let late = |round: u32| if round < 60 { cold(round) } else { vec![None; 1000] };
        let (count, steady) = rounds(|_| 1.0, late, 0);
        assert!(steady.is_flat && count == 60 && steady.old_share == 0.0, "{count} {steady:?}");
        // Data that nobody writes do not count.
        let (count, steady) = rounds(|_| 1.0, |_| vec![group(1000); 1000], 0);
        assert!(steady.is_flat && count == 12 && steady.old_share == 0.0, "{count} {steady:?}");
    }

    #[test]
    fn a_workload_that_writes_nothing_is_steady_at_once() {
        let mut test = SteadyTest::new(1_000_000, (256, 1), 4096, 20.0);
        test.begin(Written::default(), Look::default());
        let steady = test.end_round(0, Written::default(), Look::default()).unwrap();
        assert_eq!((steady.is_flat, steady.write_amplification), (true, None));
    }

    /// Rounds that take time, after overwrites with an amplification of 4; `free` is what it changes by in a round.
    fn timed_rounds(amplification: impl Fn(u32) -> f64, free: impl Fn(u32) -> u64, most: f64) -> Steady {
        let untimed = rounds(|_| 4.0, none, 0).1;
        let mut test = SteadyTest::timed(1_000_000, (200, 1, 16), 4096, most);
        let mut written = Written { free_blocks: 10_000, ..Written::default() };
        test.begin(written, Look::default());
        for round in 0.. {
            written.host_bytes += 20_000 * 4096;
            written.media_pages += (20_000.0 * amplification(round)) as u64;
            written.erases += 100;
            written.free_blocks -= free(round);
            if let Some(steady) = test.end_timed_round(20_000, written, Look::default(), untimed) {
                return steady;
            }
        }
        unreachable!("it ends after so many drive writes");
    }

    #[test]
    fn time_that_changes_nothing_is_looked_at_for_a_few_rounds() {
        // What the first round does does not count.
        let steady = timed_rounds(|round| if round == 0 { 1.0 } else { 4.1 }, |_| 0, 2.0);
        let timed = steady.timed.unwrap();
        assert!(steady.is_flat && timed.is_level && timed.drive_writes < 0.11, "{steady:?}");
        assert_eq!((steady.write_amplification, timed.untimed_write_amplification), (Some(4.0), 4.0));
    }

    #[test]
    fn time_that_changes_something_is_waited_for_until_that_is_level() {
        let falls = |round: u32| if round < 10 { 4.0 - 0.15 * f64::from(round + 1) } else { 2.5 };
        let steady = timed_rounds(falls, |_| 0, 2.0);
        let timed = steady.timed.unwrap();
        assert!(steady.is_flat && timed.is_level && (0.3..1.0).contains(&timed.drive_writes), "{steady:?}");
        assert!((steady.write_amplification.unwrap() / 2.5 - 1.0).abs() < 0.005, "{steady:?}");
        let steady = timed_rounds(|round| 3.5 - 0.03 * f64::from(round), |_| 0, 1.0);
        let timed = steady.timed.unwrap();
        assert!(!steady.is_flat && !timed.is_level && (timed.drive_writes - 1.0).abs() < 0.05, "{steady:?}");
    }

    #[test]
    fn a_drive_that_lives_on_its_free_blocks_is_not_level() {
        // 30 of 100 blocks that it programs in a round, for ten rounds.
        let steady = timed_rounds(|_| 4.0, |round| if round < 10 { 30 } else { 0 }, 2.0);
        let timed = steady.timed.unwrap();
        assert!(timed.is_level && (0.3..0.45).contains(&timed.drive_writes), "{steady:?}");
        let steady = timed_rounds(|_| 4.0, |_| 30, 1.0);
        assert!(!steady.is_flat && !steady.timed.unwrap().is_level, "{steady:?}");
    }

    #[test]
    fn a_swing_is_not_taken_for_what_it_passes_through() {
        // 6 % less in the mean, and by 15 % more or less from round to round: a few of them agree by chance.
        let swing = |round: u32| 3.76 * [1.15, 1.15, 0.9, 0.8][round as usize % 4];
        let steady = timed_rounds(swing, |_| 0, 2.0);
        assert!((steady.write_amplification.unwrap() / 3.76 - 1.0).abs() < 0.01, "{steady:?}");
    }

    #[test]
    fn rounds_of_a_small_drive_have_blocks_enough() {
        let test = SteadyTest::new(10_000, (64, 1), 4096, 20.0);
        assert_eq!((test.round_pages(), test.rounds_max), (12_800, 40));
    }
}
