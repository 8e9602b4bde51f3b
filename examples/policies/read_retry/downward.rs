//! `downward`: a read starts at the step of the retry table at which a word line of the same layer of its die decoded
//! last, walks down from there, and then up. PSO starts below that step, on the safe side, and walks up.

use std::io;

use super::{DeviceView, Hints, NoParameters, PageView, Policy, Source, regular};
use crate::engine::{LoadError, Loader, Saver};
use wordline_cells::read::{ReadAt, ReadModel};

/// The table, downwards from where a similar word line decoded last.
#[derive(Clone, Debug)]
pub struct Downward {
    /// By die and layer.
    last: Vec<u8>,
    layers: u32,
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
    fn new(_: &NoParameters, device: &DeviceView<'_>, _: &ReadModel) -> Downward {
        let layers = device.layers();
        Downward { last: vec![0; (device.geometry.dies() * layers) as usize], layers }
    }

    fn hints(&self, page: &PageView<'_>) -> Hints {
        let group = page.die * self.layers + page.layer;
        Hints { group, start: self.last[group as usize], ..Hints::default() }
    }

    /// Each step of the table once.
    fn position(&self, attempt: u8, hints: &Hints, table_steps: u8) -> Option<ReadAt> {
        if attempt <= hints.start {
            return Some(ReadAt::Entry(hints.start - attempt));
        }
        regular::position(attempt, table_steps)
    }

    fn learn(&mut self, hints: &Hints, step: u8) {
        self.last[hints.group as usize] = step;
    }
}
