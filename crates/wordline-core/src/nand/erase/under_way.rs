//! An erase of one block under way: its cells and its policy, side by side. What a command carries for
//! each of its planes.

use serde::{Deserialize, Serialize};

use wordline_cells::erase::{BlockErase, EraseCells, EraseOutcome};
use wordline_cells::variation::{Purpose, unit};

use super::WornBlock;
use crate::policy::erase::{
    NextPulse, PlaneProgress, PlaneView, PulseKind, PulseOrder, Scheme, SchemeParams,
};

/// The erase of one block, between its pulses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PlaneErase {
    /// The cells.
    pub cells: BlockErase,
    /// The policy.
    pub progress: PlaneProgress,
    block: WornBlock,
    is_done: bool,
}

impl PlaneErase {
    /// Begins to erase a block.
    #[must_use]
    pub fn new(cells: &EraseCells, seed: u64, block: WornBlock) -> PlaneErase {
        let draw = erase_draw(seed, &block, 0, Purpose::EraseFailBits);
        PlaneErase {
            cells: cells.begin(block.age_pec, block.hardness, draw, block.undone_pulses),
            progress: PlaneProgress::new(block.note),
            block,
            is_done: false,
        }
    }

    /// The next pulse, applied to the cells; none when the block needs no more.
    pub fn next_pulse(
        &mut self,
        cells: &EraseCells,
        scheme: Scheme,
        params: &SchemeParams,
        seed: u64,
    ) -> Option<PulseOrder> {
        let fell_short = !params.keys.lengthens_mispredicted() && self.is_mispredicted(params, seed);
        if fell_short {
            self.cells.fall_short();
        }
        let mut order = self.next_pulse_as_predicted(cells, scheme, params, fell_short)?;
        if params.keys.lengthens_mispredicted() && self.is_mispredicted(params, seed) {
            cells.apply(&mut self.cells, order.level, 1, order.voltage_cut);
            self.cells.fall_short();
            self.progress.lengthen();
            order.short_pulses += 1;
        }
        Some(order)
    }

    /// True where the prediction of the last pulse was wrong.
    fn is_mispredicted(&self, params: &SchemeParams, seed: u64) -> bool {
        let draw = || erase_draw(seed, &self.block, self.progress.pulses, Purpose::Misprediction) as f32;
        !self.is_done && self.progress.stage == PulseKind::Predicted && draw() < params.mispredict_rate
    }

    /// As [`PlaneErase::next_pulse`] where the next prediction holds, and the last one but for `fell_short`.
    pub fn next_pulse_as_predicted(
        &mut self,
        cells: &EraseCells,
        scheme: Scheme,
        params: &SchemeParams,
        fell_short: bool,
    ) -> Option<PulseOrder> {
        if self.is_done {
            return None;
        }
        let view = PlaneView { fail_bits: cells.fail_bits(&self.cells), pec: self.block.pec, fell_short };
        let (progress, step) = scheme.step(params, self.progress, &view);
        self.progress = progress;
        match step {
            NextPulse::Pulse(order) => {
                cells.apply(&mut self.cells, order.level, order.short_pulses, order.voltage_cut);
                Some(order)
            }
            NextPulse::Done => {
                self.is_done = true;
                None
            }
        }
    }

    /// What the erase did to the block.
    #[must_use]
    pub fn outcome(&self, cells: &EraseCells, scheme: Scheme, params: &SchemeParams) -> EraseOutcome {
        let mut outcome = cells.finish(&self.cells, self.progress.note);
        outcome.residual_bits += scheme.window_bits(params, self.block.pec);
        outcome
    }
}

/// The draw of one erase, 0 to 1: how its fail bits differ (`nth` 0), or whether its prediction after
/// `nth` pulses fails.
fn erase_draw(seed: u64, block: &WornBlock, nth: u8, purpose: Purpose) -> f64 {
    let erase = u64::from(block.block) << 32 | u64::from(block.pec & 0x00ff_ffff) << 8;
    unit(seed, erase | u64::from(nth), purpose)
}
