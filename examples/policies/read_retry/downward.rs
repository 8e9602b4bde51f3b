//! `downward`: a read starts at the step of the retry table at which a word line of the same layer of its die decoded
//! last, walks down from there, and then up. PSO starts below that step, on the safe side, and walks up.

use std::io;

use serde::{Deserialize, Serialize};

use super::{ChipView, DeviceView, NoParameters, PageView, Policy, Source, baseline};
use crate::engine::{LoadError, Loader, Saver};
use wordline_cells::read::ReadAt;

/// The table, downwards from where a similar word line decoded last.
#[derive(Clone, Debug)]
pub struct Downward {
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

    fn save(&self, to: &mut Saver<'_>) -> io::Result<()> {
        to.value(&self.last)
    }

    fn load(&mut self, from: &mut Loader<'_>) -> Result<(), LoadError> {
        self.last = from.value()?;
        Ok(())
    }
}

impl Source for Downward {
    type Memory = Memory;

    fn new(_: &NoParameters, device: &DeviceView<'_>, _: &ChipView<'_>) -> Downward {
        let layers = device.layers();
        Downward { last: vec![0; (device.geometry.dies() * layers) as usize], layers }
    }

    fn page(&self, page: &PageView<'_>) -> Memory {
        let place = page.die * self.layers + page.layer;
        Memory { place, start: self.last[place as usize] }
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
