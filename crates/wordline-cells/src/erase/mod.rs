//! Erasing: the pulses that a block needs, the count of the verify step, and the damage to the cells.
//!
//! Calibrated to AERO (ASPLOS '24), Sections 3, 5 and 7, for the 48-layer TLC.
//!
//! | question | file |
//! |---|---|
//! | how many pulses does a block need? | `work.rs`; a user's measurements: `measured.rs` |
//! | how much progress does a pulse make, and how much damage? | `pulse.rs` |
//! | what does verify count? | `fail_bits.rs` |
//! | how many errors follow from an incomplete erase? | `residual.rs` |
//! | how much stress do P/E cycles cause? | `stress.rs` |
//! | how much harder to erase do they make a block? | `age.rs` |
//! | how many errors has the worst page of a block? | `m_rber.rs` |
//!
//! The erase scheme chooses the next pulse. It is a policy of an SSD, so `wordline-core` has the schemes and their
//! results: block lifetimes, and wear on the way.

mod age;
mod constants;
mod fail_bits;
mod m_rber;
pub mod measured;
mod pulse;
mod residual;
mod stress;
mod work;

pub use age::AgeModel;
pub use constants::{EraseConstants, WorkKnot};
pub use fail_bits::FailBitModel;
pub use m_rber::BlockFloor;
pub use pulse::{PulseModel, Pulsed};
pub use residual::ResidualModel;
pub use stress::StressMap;
pub use work::WorkTable;

use serde::{Deserialize, Serialize};

use crate::geometry::BlockId;
use crate::variation::{Purpose, unit};

/// Hardness of a block: its rank among all blocks, 0 to 1, in how hard it is to erase; constant for life.
#[must_use]
pub fn hardness(seed: u64, block: BlockId) -> f64 {
    unit(seed, u64::from(block), Purpose::BlockHardness)
}

/// The erase model of a kind of chip, ready for use.
#[derive(Clone, Debug, PartialEq)]
pub struct EraseCells {
    /// The constants.
    pub constants: EraseConstants,
    /// Pulses that blocks need.
    pub work: WorkTable,
    /// Progress and damage of pulses.
    pub pulse: PulseModel,
    /// The fail-bit count of the verify step.
    pub fail_bits: FailBitModel,
    /// Errors after an incomplete erase.
    pub residual: ResidualModel,
    /// Stress of P/E cycles.
    pub stress: StressMap,
    /// Growth of erase age.
    pub age: AgeModel,
}

/// The effect of an erase on a block.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EraseOutcome {
    /// Stress of the erase and of the programs that follow it, in cycles of an average block under ISPE.
    pub stress: f32,
    /// Erase age of the same, in P/E cycles under ISPE.
    pub age_pec: f32,
    /// Errors that it leaves in a 1-KiB codeword.
    pub residual_bits: f32,
    /// Pulses that it left out.
    pub undone_pulses: f32,
    /// A value that the policy stores with the block.
    pub note: u8,
}

impl Default for EraseOutcome {
    /// A complete erase with the average stress and age of ISPE.
    fn default() -> Self {
        EraseOutcome { stress: 1.0, age_pec: 1.0, residual_bits: 0.0, undone_pulses: 0.0, note: 0 }
    }
}

/// An erase of one block in progress: a small value that a command carries for each plane.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BlockErase {
    /// Pulses that the block needs at ISPE's voltages.
    pub required_pulses: f32,
    /// The part of them that the last erase left out.
    pub carried_pulses: f32,
    /// Progress of its cells, in the same pulses.
    pub done_pulses: f32,
    /// Damage so far, in pulses of the first loop.
    pub damage: f32,
    /// What it adds so far to how hard the block is to erase, in the same unit.
    pub ageing: f32,
    /// Position of this erase in the spread of delta, 0 to 1.
    pub draw: f32,
    /// Erase age of the block: P/E cycles under ISPE that would have made it as hard to erase.
    pub age_pec: f32,
}

impl BlockErase {
    /// The last pulse brought the cells one short pulse less far than it should have: a wrong prediction.
    pub fn fall_short(&mut self) {
        self.done_pulses -= 1.0;
    }
}

impl EraseCells {
    /// Builds the model of a chip.
    ///
    /// # Errors
    /// If a constant is invalid; names its key and range.
    pub fn new(constants: &EraseConstants) -> Result<EraseCells, String> {
        EraseCells::with_work(constants, WorkTable::new(constants.work.clone())?)
    }

    /// Builds the model of a chip whose blocks need the pulses that the user measured.
    ///
    /// # Errors
    /// See [`EraseCells::new`].
    pub fn with_work(constants: &EraseConstants, work: WorkTable) -> Result<EraseCells, String> {
        constants.check()?;
        let pulse = PulseModel::new(constants);
        Ok(EraseCells {
            stress: StressMap::new(constants, &pulse, &work),
            age: AgeModel::new(constants, &pulse),
            fail_bits: FailBitModel::new(constants),
            residual: ResidualModel::new(constants),
            constants: constants.clone(),
            work,
            pulse,
        })
    }

    /// Pulses of 0.5 ms that a block of this erase age needs at ISPE's voltages; at most those of all loops.
    #[must_use]
    pub fn required_pulses(&self, age_pec: f64, hardness: f64) -> f64 {
        self.work.pulses(age_pec, hardness).min(self.most_pulses())
    }

    /// Pulses of all loops.
    fn most_pulses(&self) -> f64 {
        f64::from(self.constants.max_loops) * f64::from(self.constants.pulses_per_loop)
    }

    /// N_ISPE: loops that a block needs under ISPE.
    #[must_use]
    pub fn loops(&self, required_pulses: f64) -> u8 {
        self.stress.loops(required_pulses)
    }

    /// Begins to erase a block of this erase age. `draw` in 0 to 1 is a hash of the block and its P/E cycles; `undone_pulses` is what the
    /// last erase left out.
    #[must_use]
    pub fn begin(&self, age_pec: f64, hardness: f64, draw: f64, undone_pulses: f64) -> BlockErase {
        let own = self.required_pulses(age_pec, hardness);
        let carried = self.carried_share(own) * undone_pulses;
        let required = (own + carried).min(self.most_pulses());
        BlockErase {
            required_pulses: required as f32,
            carried_pulses: (required - own) as f32,
            age_pec: age_pec as f32,
            draw: draw as f32,
            ..BlockErase::default()
        }
    }

    /// The share of the pulses left out by the last erase that a block has to add which needs so many itself.
    fn carried_share(&self, own_pulses: f64) -> f64 {
        let [one_loop, more] = self.constants.undone_carried;
        if self.loops(own_pulses) == 1 { one_loop } else { more }
    }

    /// Applies a pulse of `short_pulses` times 0.5 ms at a loop's voltage, reduced by the share `voltage_cut`.
    pub fn apply(&self, erase: &mut BlockErase, level: u8, short_pulses: u8, voltage_cut: f64) {
        let pulsed = self.pulse.pulse(level, short_pulses, voltage_cut, f64::from(erase.done_pulses));
        erase.done_pulses = pulsed.done as f32;
        erase.damage += pulsed.damage as f32;
        erase.ageing += pulsed.ageing as f32;
    }

    /// The current fail-bit count of the verify step.
    #[must_use]
    pub fn fail_bits(&self, erase: &BlockErase) -> u32 {
        self.fail_bits.count(f64::from(erase.required_pulses - erase.done_pulses), f64::from(erase.draw))
    }

    /// Ends an erase: returns its effect on the block, with the errors it leaves.
    #[must_use]
    pub fn finish(&self, erase: &BlockErase, note: u8) -> EraseOutcome {
        let required = f64::from(erase.required_pulses);
        // Stress and age are relative to ISPE, which leaves out no pulses.
        let own = self.loops(f64::from(erase.required_pulses - erase.carried_pulses));
        let bits = self.residual.errors(self.fail_bits(erase), self.loops(required), required);
        let (damage, ageing) = (f64::from(erase.damage), f64::from(erase.ageing));
        let age_pec = f64::from(erase.age_pec);
        EraseOutcome {
            stress: self.stress.of_cycle(damage, age_pec, own) as f32,
            age_pec: self.age.of_cycle(ageing, age_pec, own) as f32,
            residual_bits: bits as f32,
            undone_pulses: (erase.required_pulses - erase.done_pulses).max(0.0),
            note,
        }
    }
}
