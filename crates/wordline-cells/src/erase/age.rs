//! Erase age: how hard a block has become to erase, in P/E cycles under ISPE.
//!
//! It is not stress. Errors follow stress, which spares a gentle scheme what it spares the cells. How long an erase takes
//! follows erase age, and a part of its growth in a cycle does not depend on the pulses: in the data of AERO's authors,
//! blocks that are hardly pulsed become slow to erase nearly as soon as others, more so late in life. That part rises with
//! the age, to `OLDEST_PEC`. The form is a guess, and its two shares are fitted to the distributions of those data.

use super::constants::EraseConstants;
use super::pulse::PulseModel;

/// The age from which the part that does not depend on pulses no longer rises, P/E cycles (chosen).
const OLDEST_PEC: f64 = 4000.0;

/// The growth of erase age.
#[derive(Clone, Debug, PartialEq)]
pub struct AgeModel {
    early: f64,
    late: f64,
    /// By loops: ISPE's erase damage.
    ispe: Vec<f64>,
}

impl AgeModel {
    pub(super) fn new(constants: &EraseConstants, pulse: &PulseModel) -> AgeModel {
        let [early, late] = constants.ageing_without_pulses;
        let ispe = (0..=constants.max_loops).map(|loops| pulse.ispe_damage(loops.max(1)));
        AgeModel { early, late, ispe: ispe.collect() }
    }

    /// Erase age that a P/E cycle adds, whose pulses would have done this damage at their loops' full voltages, to a block
    /// of this age that needs `loops` loops under ISPE. ISPE adds 1, and so does DPES.
    #[must_use]
    pub fn of_cycle(&self, ageing: f64, age_pec: f64, loops: u8) -> f64 {
        let apart = self.early + (self.late - self.early) * (age_pec / OLDEST_PEC).clamp(0.0, 1.0);
        apart + (1.0 - apart) * ageing / self.ispe[usize::from(loops)]
    }
}
