//! `pso`, process similarity: a read starts near the V_REF at which similar word lines, those of the same
//! horizontal layer, decoded last (Shim et al., MICRO 2019, through PR2/AR2, Sections 3.1 and 7.3).
//!
//! The controller keeps, for each die (or block) and layer and for data of about the same age, the lowest
//! and highest step of the retry table that worked lately. A read begins `read.pso_min_steps` steps below
//! the lowest, or `read.pso_drift_share` of its steps where that is more (what has drifted far differs more
//! among similar word lines), and walks up the table from there. So no read takes more steps than the
//! regular retry, whose walk it shortens. A page whose V_REF is not below what is remembered takes at
//! least as many. The paper has at least three steps for every read of an aged SSD (sections 1 and 3.1:
//! "in an aged SSD", "under a 1-year retention age at 2K P/E cycles"); there a quarter of the drift is
//! three steps or more, and elsewhere one step is the least. It names no mechanism for the three; a start on
//! the safe side of the last V_REF is ours, since a walk that starts past the right step misses it.
//! Where that happens the steps below follow once those that worked lately are used up.
//!
//! The lowest step of a few reads says little about the next one. So until similar word lines have been read
//! `read.pso_alone_after` times, what worked anywhere on their die for data of that age counts too, and while the die
//! has had as few reads, what worked anywhere on the SSD. Only the SSD's first reads find nothing to begin at. What is
//! remembered is of the last `read.pso_window` reads at least. Both numbers are ours: the smallest power of two with
//! which no read in six million took fewer than three steps at 2,000 cycles and 12 months. Of 256 reads one in six
//! million did. A longer memory begins lower: 66.8 % of the steps are avoided with 1,024 reads, 67.3 % with 512.

use std::io;

use serde::{Deserialize, Serialize};

use super::{ChipView, DeviceView, PageView, Policy, Source};
use crate::engine::{LoadError, Loader, Saver};
use crate::parameter::{choices, section};
use crate::policy::{Counter, counters};
use wordline_cells::read::ReadAt;

choices! {
    /// Which word lines of a horizontal layer count as similar.
    pub enum PsoScope {
        /// Those of a die
        Die = "die",
        /// Those of a block
        Block = "block",
    }
}

section! {
    /// The keys of `pso`.
    #[derive(Copy)]
    pub struct Keys {
        /// Steps below the lowest V_REF that worked lately at which `pso` begins.
        pso_min_steps: u8 = 1,
            whole(0, 100).unit("steps").source("assumed: three steps follow where PR2/AR2 section 3.1 has them, on an aged SSD").when("read.retry", &["pso"]);
        /// Share of that lowest V_REF's steps: `pso` begins so far below it where that is more.
        pso_drift_share: f64 = 0.25,
            fraction().source("assumed: far drift varies more").when("read.retry", &["pso"]);
        /// Where `pso` looks for word lines of the same layer.
        pso_scope: PsoScope = PsoScope::Die, word(PsoScope::CHOICES).when("read.retry", &["pso"]);
        /// Reads of similar word lines that `pso` remembers at least, and at most twice as many.
        pso_window: u16 = 512,
            whole(1, 65_535).unit("reads").source("assumed: with it PR2/AR2's section 3.1 holds").when("read.retry", &["pso"]);
        /// Reads after which similar word lines count alone for `pso` (0: at once); before, what worked elsewhere on the die
        /// counts too, and elsewhere on the SSD while the die has had as few.
        pso_alone_after: u16 = 512,
            whole(0, 65_535).unit("reads").source("assumed: few reads do not show the lowest V_REF").when("read.retry", &["pso"]);
    }
}

counters! {
    /// What `pso` counts.
    struct Counts {
        /// Page reads that began near where word lines of the same layer decoded lately.
        similar_starts,
        /// Page reads that began at what worked elsewhere on the die or the SSD, since such word lines had few reads.
        wider_starts,
        /// Page reads that found nothing to begin at, and walked the whole table.
        blind_starts,
    }
}

/// Where the read of a page begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Start {
    /// The group of word lines that the page belongs to.
    group: u32,
    /// Step of the retry table to begin with.
    step: u8,
    /// Last step above it that is worth trying before those below.
    ceiling: u8,
}

/// The table, from where similar word lines decoded last.
#[derive(Clone, Debug)]
pub struct Pso {
    tracker: VrefTracker,
    counts: Counts,
    scope: PsoScope,
    /// Layers of a block, at most.
    layers: u32,
    table_steps: u8,
}

impl Policy for Pso {
    const NAME: &'static str = "pso";
    const HELP: &'static str =
        "the table, from near where similar word lines decoded lately (process similarity)";
    type Parameters = Keys;
    const COUNTERS: &'static [Counter] = Counts::ALL;

    fn counts(&self) -> Vec<u64> {
        self.counts.values()
    }

    fn save(&self, to: &mut Saver<'_>) -> io::Result<()> {
        to.value(&self.tracker.groups)?;
        to.value(&self.tracker.wider)?;
        to.value(&self.counts)
    }

    fn load(&mut self, from: &mut Loader<'_>) -> Result<(), LoadError> {
        self.tracker.groups = from.value()?;
        self.tracker.wider = from.value()?;
        self.counts = from.value()?;
        Ok(())
    }
}

impl Source for Pso {
    type Memory = Start;

    fn new(keys: &Keys, device: &DeviceView<'_>, chip: &ChipView<'_>) -> Pso {
        let layers = device.layers();
        let places_per_die = match keys.pso_scope {
            PsoScope::Die => layers,
            PsoScope::Block => device.geometry.blocks() / device.geometry.dies() * layers,
        };
        Pso {
            tracker: VrefTracker::new(device.geometry.dies(), places_per_die, keys),
            counts: Counts::default(),
            scope: keys.pso_scope,
            layers,
            table_steps: chip.table_steps(),
        }
    }

    fn page(&mut self, page: &PageView<'_>) -> Start {
        let place = match self.scope {
            PsoScope::Die => page.die,
            PsoScope::Block => page.block.number(),
        };
        let group = self.tracker.group(place * self.layers + page.layer, page.months());
        let range = self.tracker.range(group);
        match range {
            (u8::MAX, _) => self.counts.blind_starts += 1,
            _ if self.tracker.is_known(group) => self.counts.similar_starts += 1,
            _ => self.counts.wider_starts += 1,
        }
        self.tracker.start(group, range, self.table_steps)
    }

    fn position(&self, attempt: u8, memory: &Start, table_steps: u8) -> Option<ReadAt> {
        position(attempt, memory, table_steps)
    }

    fn learn(&mut self, memory: &Start, step: u8) {
        self.tracker.learn(memory.group, step);
    }
}

/// Steps above the highest that worked lately that are tried before those below the start.
const SLACK: u8 = 2;

fn position(attempt: u8, memory: &Start, table_steps: u8) -> Option<ReadAt> {
    let (start, ceiling) = (memory.step, memory.ceiling.min(table_steps));
    let above = ceiling - start.min(ceiling) + 1;
    let step = if attempt < above {
        start.min(ceiling) + attempt
    } else if attempt < above + start.min(ceiling) {
        start.min(ceiling) - 1 - (attempt - above)
    } else {
        attempt
    };
    (step <= table_steps).then_some(ReadAt::Entry(step))
}

/// Bounds of the classes of data age, months: what differs by more than a class drifts differently.
const AGES_MONTHS: [f32; 7] = [0.01, 0.1, 0.5, 1.5, 3.5, 7.0, 13.0];
const AGES: u32 = AGES_MONTHS.len() as u32 + 1;

/// Steps that worked for a group of word lines: in this window and in the one before.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Tracked {
    lowest: [u8; 2],
    highest: [u8; 2],
    reads: u16,
}

impl Default for Tracked {
    fn default() -> Self {
        Tracked { lowest: [u8::MAX; 2], highest: [0; 2], reads: 0 }
    }
}

impl Tracked {
    /// A page decoded at a step. After a window of reads, those of the window before are forgotten.
    #[inline]
    fn learn(&mut self, step: u8, window: u16) {
        if self.reads == window {
            *self = Tracked { lowest: [u8::MAX, self.lowest[0]], highest: [0, self.highest[0]], reads: 0 };
        }
        self.reads += 1;
        self.lowest[0] = self.lowest[0].min(step);
        self.highest[0] = self.highest[0].max(step);
    }

    /// The lowest and the highest step that worked lately; the lowest is above the highest if none is known.
    #[inline]
    fn range(&self) -> (u8, u8) {
        (self.lowest[0].min(self.lowest[1]), self.highest[0].max(self.highest[1]))
    }

    /// There were so many reads that the lowest step says where further ones may start.
    #[inline]
    fn is_known(&self, reads: u16) -> bool {
        self.reads >= reads || self.lowest[1] != u8::MAX
    }
}

/// The V_REF that worked lately, by group of similar word lines, by die and for the SSD.
#[derive(Clone, Debug, Default)]
struct VrefTracker {
    groups: Vec<Tracked>,
    /// All word lines of each die, by age, then those of the SSD, by age: for groups of few reads.
    wider: Vec<Tracked>,
    groups_per_die: u32,
    min_steps: u8,
    drift_share: f32,
    window: u16,
    alone_after: u16,
}

impl VrefTracker {
    /// Nothing is known of any of the places of the dies (the die or one of its blocks, times the layers of a block).
    fn new(dies: u32, places_per_die: u32, keys: &Keys) -> VrefTracker {
        VrefTracker {
            groups: vec![Tracked::default(); (dies * places_per_die * AGES) as usize],
            wider: vec![Tracked::default(); ((dies + 1) * AGES) as usize],
            groups_per_die: places_per_die * AGES,
            min_steps: keys.pso_min_steps,
            drift_share: keys.pso_drift_share as f32,
            window: keys.pso_window,
            alone_after: keys.pso_alone_after,
        }
    }

    /// The group of a place and a data age.
    #[inline]
    fn group(&self, place: u32, months: f32) -> u32 {
        place * AGES + AGES_MONTHS.iter().filter(|&&bound| months > bound).count() as u32
    }

    /// Where data of a group's age is remembered for its die, and for the SSD.
    #[inline]
    fn wider(&self, group: u32) -> [usize; 2] {
        let (die, age) = (group / self.groups_per_die, (group % AGES) as usize);
        [(die * AGES) as usize + age, self.wider.len() - AGES as usize + age]
    }

    /// So many word lines of a group were read that they count alone.
    #[inline]
    fn is_known(&self, group: u32) -> bool {
        self.groups[group as usize].is_known(self.alone_after)
    }

    /// The lowest and the highest step that count for a group; the lowest is above the highest if none is known.
    #[inline]
    fn range(&self, group: u32) -> (u8, u8) {
        let mut narrower = &self.groups[group as usize];
        let (mut lowest, mut highest) = narrower.range();
        if narrower.is_known(self.alone_after) {
            return (lowest, highest);
        }
        for wider in self.wider(group) {
            // What is wider has had the same reads and others, but forgets them sooner: the group's own still count.
            narrower = &self.wider[wider];
            let (low, high) = narrower.range();
            (lowest, highest) = (lowest.min(low), highest.max(high));
            if narrower.is_known(self.alone_after) {
                break;
            }
        }
        (lowest, highest)
    }

    /// Where a read of a group starts whose steps lie in a range, and how far it goes up first.
    #[inline]
    fn start(&self, group: u32, (lowest, highest): (u8, u8), table_steps: u8) -> Start {
        if lowest == u8::MAX {
            return Start { group, step: 0, ceiling: table_steps };
        }
        let margin = self.min_steps.max((f32::from(lowest) * self.drift_share) as u8);
        let step = lowest.saturating_sub(margin);
        Start { group, step, ceiling: highest + SLACK }
    }

    /// A page of a group decoded at a step.
    #[inline]
    fn learn(&mut self, group: u32, step: u8) {
        self.groups[group as usize].learn(step, self.window);
        for wider in self.wider(group) {
            self.wider[wider].learn(step, self.window);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn start(tracker: &VrefTracker, group: u32) -> Start {
        tracker.start(group, tracker.range(group), 30)
    }

    #[test]
    fn every_step_of_the_table_is_tried_once() {
        for start in 0..=20 {
            for ceiling in start..=24 {
                let memory = Start { group: 0, step: start, ceiling };
                let mut tried: Vec<_> =
                    (0..).map_while(|attempt| position(attempt, &memory, 20)).map(ReadAt::entry).collect();
                assert_eq!(tried[0], start);
                tried.sort_unstable();
                assert_eq!(tried, (0..=20).collect::<Vec<_>>(), "from {start} to {ceiling}");
            }
        }
    }

    #[test]
    fn a_start_is_below_what_worked_in_the_last_two_windows() {
        let mut tracker = VrefTracker::new(1, 2, &Keys { pso_alone_after: 0, ..Keys::default() });
        let group = tracker.group(1, 6.0);
        assert_eq!(start(&tracker, group).step, 0);
        tracker.learn(group, 12);
        tracker.learn(group, 15);
        assert_eq!((start(&tracker, group).step, start(&tracker, group).ceiling), (9, 17));
        assert_eq!(start(&tracker, tracker.group(1, 0.0)).step, 0, "fresh data is another group");
        for _ in 0..2 * u32::from(tracker.window) {
            tracker.learn(group, 16);
        }
        assert_eq!(start(&tracker, group).step, 12, "the 12 is forgotten, and a quarter of 16 is four");
    }

    #[test]
    fn a_layer_of_few_reads_starts_below_what_worked_for_its_die_or_the_ssd() {
        // Two dies of two layers.
        let keys = Keys { pso_alone_after: 3, pso_min_steps: 3, pso_drift_share: 0.0, ..Keys::default() };
        let mut tracker = VrefTracker::new(2, 2, &keys);
        let [layer, beside, elsewhere] = [0, 1, 2].map(|place| tracker.group(place, 6.0));
        let range = |tracker: &VrefTracker, group| {
            let start = start(tracker, group);
            (start.step + 3, start.ceiling - SLACK)
        };
        tracker.learn(layer, 10);
        assert_eq!(range(&tracker, beside), (10, 10), "what worked for another layer");
        assert_eq!(range(&tracker, elsewhere), (10, 10), "or on another die");
        let fresh = tracker.group(0, 0.0);
        assert_eq!(start(&tracker, fresh).step, 0, "but not for data of another age");
        for step in [12, 13, 14] {
            tracker.learn(elsewhere, step);
        }
        assert_eq!(range(&tracker, elsewhere), (12, 14), "three reads of its own are enough");
        assert_eq!(range(&tracker, beside), (10, 14), "its die has had one read: the whole SSD counts");
        tracker.learn(beside, 9);
        tracker.learn(beside, 11);
        assert_eq!(range(&tracker, layer), (9, 11), "now its die is enough");
        let other = tracker.group(3, 6.0);
        assert_eq!(range(&tracker, other), (12, 14), "so is the other one");
    }

    #[test]
    fn a_layer_remembers_its_own_reads_longer_than_its_die_does() {
        let keys = Keys { pso_window: 4, pso_alone_after: 100, pso_min_steps: 3, ..Keys::default() };
        let mut tracker = VrefTracker::new(1, 2, &keys);
        let [layer, beside] = [0, 1].map(|place| tracker.group(place, 6.0));
        tracker.learn(layer, 8);
        for _ in 0..8 {
            tracker.learn(beside, 12);
        }
        assert_eq!(start(&tracker, layer).step, 5);
        assert_eq!(start(&tracker, beside).step, 9);
    }

    #[test]
    fn blocks_of_a_die_share_it() {
        // Two dies of three blocks of two layers.
        let mut tracker = VrefTracker::new(2, 3 * 2, &Keys::default());
        tracker.learn(tracker.group(5, 6.0), 10);
        tracker.learn(tracker.group(6, 6.0), 14);
        for (place, die) in [(0, 0), (5, 0), (6, 1), (11, 1)] {
            let [of_die, of_ssd] =
                tracker.wider(tracker.group(place, 6.0)).map(|at| tracker.wider[at].range());
            assert_eq!((of_die, of_ssd), ([(10, 10), (14, 14)][die], (10, 14)), "place {place}");
        }
    }
}
