//! `pso`, process similarity: a read starts near the V_REF at which similar word lines, those of the same
//! horizontal layer, decoded last (Shim et al., MICRO 2019, through PR2/AR2, Sections 3.1 and 7.3).
//!
//! The controller keeps, for each die (or block) and layer and for data of about the same age, the lowest
//! and highest step of the retry table that worked lately. A read begins `read.pso_min_steps` steps below
//! the lowest, or `read.pso_drift_share` of its steps where that is more (what has drifted far differs more
//! among similar word lines), and walks up the table from there. So no read takes more steps than the
//! regular retry, whose walk it shortens, and pages whose V_REF is not below what is remembered take at
//! least that many: the three that the paper reports for every read of an aged SSD. It names no mechanism
//! for the three; a start on the safe side of the last V_REF is ours, since a walk that starts past the
//! right step misses it.
//! Where that happens the steps below follow once those that worked lately are used up.

use std::io;

use serde::{Deserialize, Serialize};

use super::{DeviceView, Hints, PageView, Policy, Source};
use crate::engine::{LoadError, Loader, Saver};
use crate::parameter::{choices, section};
use wordline_cells::read::{ReadAt, ReadModel};

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
        pso_min_steps: u8 = 3,
            whole(0, 100).unit("steps").source("PR2/AR2 section 3.1").when("read.retry", &["pso"]);
        /// Share of that lowest V_REF's steps: `pso` begins so far below it where that is more.
        pso_drift_share: f64 = 0.25,
            fraction().source("assumed: far drift varies more").when("read.retry", &["pso"]);
        /// Where `pso` looks for word lines of the same layer.
        pso_scope: PsoScope = PsoScope::Die, word(PsoScope::CHOICES).when("read.retry", &["pso"]);
    }
}

/// The table, from where similar word lines decoded last.
#[derive(Clone, Debug)]
pub struct Pso {
    tracker: VrefTracker,
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

    fn save(&self, to: &mut Saver<'_>) -> io::Result<()> {
        to.value(&self.tracker.groups)
    }

    fn load(&mut self, from: &mut Loader<'_>) -> Result<(), LoadError> {
        self.tracker.groups = from.value()?;
        Ok(())
    }
}

impl Source for Pso {
    fn new(keys: &Keys, device: &DeviceView<'_>, reads: &ReadModel) -> Pso {
        let layers = device.layers();
        let places = match keys.pso_scope {
            PsoScope::Die => device.geometry.dies() * layers,
            PsoScope::Block => device.geometry.blocks() * layers,
        };
        Pso {
            tracker: VrefTracker::new(places, keys.pso_min_steps, keys.pso_drift_share),
            scope: keys.pso_scope,
            layers,
            table_steps: reads.table_steps(),
        }
    }

    fn hints(&self, page: &PageView<'_>) -> Hints {
        let place = match self.scope {
            PsoScope::Die => page.die,
            PsoScope::Block => page.block,
        };
        let group = self.tracker.group(place * self.layers + page.layer, page.months());
        self.tracker.hints(group, self.table_steps)
    }

    fn position(&self, attempt: u8, hints: &Hints, table_steps: u8) -> Option<ReadAt> {
        position(attempt, hints, table_steps)
    }

    fn learn(&mut self, hints: &Hints, step: u8) {
        self.tracker.learn(hints.group, step);
    }
}

/// Steps above the highest that worked lately that are tried before those below the start.
const SLACK: u8 = 2;

fn position(attempt: u8, hints: &Hints, table_steps: u8) -> Option<ReadAt> {
    let (start, ceiling) = (hints.start, hints.ceiling.min(table_steps));
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

/// Reads of a group after which older ones are forgotten.
const WINDOW: u8 = 128;

/// Bounds of the classes of data age, months: what differs by more than a class drifts differently.
const AGES_MONTHS: [f32; 7] = [0.01, 0.1, 0.5, 1.5, 3.5, 7.0, 13.0];
const AGES: u32 = AGES_MONTHS.len() as u32 + 1;

/// Steps that worked for a group of word lines: in this window and in the one before.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Tracked {
    lowest: [u8; 2],
    highest: [u8; 2],
    reads: u8,
}

impl Default for Tracked {
    fn default() -> Self {
        Tracked { lowest: [u8::MAX; 2], highest: [0; 2], reads: 0 }
    }
}

/// The V_REF that worked lately, by group of similar word lines.
#[derive(Clone, Debug, Default)]
struct VrefTracker {
    groups: Vec<Tracked>,
    min_steps: u8,
    drift_share: f32,
}

impl VrefTracker {
    /// Nothing is known of any of the places (a die or block times the layers of a block).
    fn new(places: u32, min_steps: u8, drift_share: f64) -> VrefTracker {
        VrefTracker {
            groups: vec![Tracked::default(); (places * AGES) as usize],
            min_steps,
            drift_share: drift_share as f32,
        }
    }

    /// The group of a place and a data age.
    #[inline]
    fn group(&self, place: u32, months: f32) -> u32 {
        place * AGES + AGES_MONTHS.iter().filter(|&&bound| months > bound).count() as u32
    }

    /// Where a read of a group starts and how far it goes up first.
    #[inline]
    fn hints(&self, group: u32, table_steps: u8) -> Hints {
        let tracked = &self.groups[group as usize];
        let lowest = tracked.lowest[0].min(tracked.lowest[1]);
        if lowest == u8::MAX {
            return Hints { group, ceiling: table_steps, ..Hints::default() };
        }
        let highest = tracked.highest[0].max(tracked.highest[1]);
        let margin = self.min_steps.max((f32::from(lowest) * self.drift_share) as u8);
        let start = lowest.saturating_sub(margin);
        Hints { group, start, ceiling: highest + SLACK, ..Hints::default() }
    }

    /// A page of a group decoded at a step.
    #[inline]
    fn learn(&mut self, group: u32, step: u8) {
        let tracked = &mut self.groups[group as usize];
        if tracked.reads == WINDOW {
            *tracked =
                Tracked { lowest: [u8::MAX, tracked.lowest[0]], highest: [0, tracked.highest[0]], reads: 0 };
        }
        tracked.reads += 1;
        tracked.lowest[0] = tracked.lowest[0].min(step);
        tracked.highest[0] = tracked.highest[0].max(step);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_step_of_the_table_is_tried_once() {
        for start in 0..=20 {
            for ceiling in start..=24 {
                let hints = Hints { start, ceiling, ..Hints::default() };
                let mut tried: Vec<_> =
                    (0..).map_while(|attempt| position(attempt, &hints, 20)).map(ReadAt::entry).collect();
                assert_eq!(tried[0], start);
                tried.sort_unstable();
                assert_eq!(tried, (0..=20).collect::<Vec<_>>(), "from {start} to {ceiling}");
            }
        }
    }

    #[test]
    fn a_start_is_below_what_worked_in_the_last_two_windows() {
        let mut tracker = VrefTracker::new(2, 3, 0.25);
        let group = tracker.group(1, 6.0);
        assert_eq!(tracker.hints(group, 30).start, 0);
        tracker.learn(group, 12);
        tracker.learn(group, 15);
        assert_eq!((tracker.hints(group, 30).start, tracker.hints(group, 30).ceiling), (9, 17));
        assert_eq!(tracker.hints(tracker.group(1, 0.0), 30).start, 0, "fresh data is another group");
        for _ in 0..2 * u32::from(WINDOW) {
            tracker.learn(group, 16);
        }
        assert_eq!(
            tracker.hints(group, 30).start,
            12,
            "the 12 is forgotten, and a quarter of 16 is more than three"
        );
    }
}
