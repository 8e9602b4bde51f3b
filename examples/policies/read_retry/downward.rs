//! `downward`: a read starts at the step of the retry table at which a word line of the same layer of its die decoded
//! last, walks down from there, and then up. PSO starts below that step, on the safe side, and walks up.

use std::io;

use serde::{Deserialize, Serialize};

use super::{ChipView, DeviceView, NoParameters, PageView, Policy, Source, baseline};
use crate::engine::{LoadError, Loader, Saver};
use crate::policy::{Counter, counters};
use wordline_cells::read::ReadAt;

counters! {
    /// What `downward` counts.
    struct Counts {
        /// Page reads that began at another step than the first.
        remembered_starts,
    }
}

/// The table, downwards from where a similar word line decoded last.
#[derive(Clone, Debug)]
pub struct Downward {
    counts: Counts,
    /// By die and layer.
    last: Vec<u8>,
    layers: u32,
}

/// What it knows of a page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Memory {
    /// Its die and layer.
    place: u32,
    /// Step of the table at which one of the same layer decoded last.
    start: u8,
}

impl Policy for Downward {
    const NAME: &'static str = "downward";
    const HELP: &'static str = "the table, downwards from where a similar word line decoded last";
    type Parameters = NoParameters;
    const COUNTERS: &'static [Counter] = Counts::ALL;

    fn counts(&self) -> Vec<u64> {
        self.counts.values()
    }

    fn save(&self, to: &mut Saver<'_>) -> io::Result<()> {
        to.value(&(&self.last, self.counts))
    }

    fn load(&mut self, from: &mut Loader<'_>) -> Result<(), LoadError> {
        (self.last, self.counts) = from.value()?;
        Ok(())
    }
}

impl Source for Downward {
    type Memory = Memory;

    fn new(_: &NoParameters, device: &DeviceView<'_>, _: &ChipView<'_>) -> Downward {
        let layers = device.layers();
        let last = vec![0; (device.geometry.dies() * layers) as usize];
        Downward { counts: Counts::default(), last, layers }
    }

    fn page(&mut self, page: &PageView<'_>) -> Memory {
        let place = page.die * self.layers + page.layer;
        let start = self.last[place as usize];
        self.counts.remembered_starts += u64::from(start > 0);
        Memory { place, start }
    }

    /// Each step of the table once.
    fn position(&self, attempt: u8, memory: &Memory, table_steps: u8) -> Option<ReadAt> {
        if attempt <= memory.start {
            return Some(ReadAt::Entry(memory.start - attempt));
        }
        baseline::position(attempt, table_steps)
    }

    fn learn(&mut self, memory: &Memory, step: u8) {
        self.last[memory.place as usize] = step;
    }
}
