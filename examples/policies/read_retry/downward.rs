//! `downward`: a read starts at the step of the retry table at which a word line of the same layer of its die decoded
//! last, walks down from there, and then up. PSO starts below that step, on the safe side, and walks up.

use super::{Hints, NoParameters, PageView, Policy, Source, regular};
use crate::config::Config;
use crate::nand::Nand;

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
}

impl Source for Downward {
    fn new(config: &Config, _: &Nand) -> Downward {
        let geometry = config.geometry();
        let of_chip = config.device.chip.as_ref().map_or(0, |chip| chip.geometry.layers);
        let layers = of_chip.max(geometry.pages_per_block);
        Downward { last: vec![0; (geometry.dies() * layers) as usize], layers }
    }

    fn hints(&self, page: &PageView<'_>) -> Hints {
        let group = page.die * self.layers + page.layer;
        Hints { group, start: self.last[group as usize], ..Hints::default() }
    }

    /// Each step of the table once.
    fn position(&self, attempt: u8, hints: &Hints, table_steps: u8) -> Option<f32> {
        if attempt <= hints.start {
            return Some(f32::from(hints.start - attempt));
        }
        regular::position(attempt, table_steps)
    }

    fn learn(&mut self, hints: &Hints, step: u8) {
        self.last[hints.group as usize] = step;
    }
}
