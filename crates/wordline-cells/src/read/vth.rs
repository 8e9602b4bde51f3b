//! Threshold voltages of the states, from the same constants as drift and errors.
//!
//! States are a valley's width apart. Retention and wear lower them; higher states fall more, because they hold more
//! charge. The mean over the references is one `step` of the valley per step of drift. Their widths follow from the
//! errors: the tails of two states overlap by the floor.

use super::codeword::mean_bits;
use super::constants::ReadConstants;
use super::drift::Drift;
use super::floor::Floor;
use super::references::References;
use super::valley::{CODEWORD_BITS, Valley};
use crate::Cell;

/// Threshold voltages of a state: a normal distribution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StateVoltages {
    /// Mean, volts.
    pub mean_volts: f64,
    /// Standard deviation, volts.
    pub sigma_volts: f64,
}

/// Probabilities that a cell of a state reads as its lower and as its upper neighbour, if a page senses the reference
/// between them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Misreads {
    /// The share that is read as the state below.
    pub lower: f64,
    /// The share that is read as the state above.
    pub upper: f64,
}

/// The states of a kind of chip.
#[derive(Clone, Debug)]
pub struct States {
    constants: ReadConstants,
    states: usize,
    drift: Drift,
    floor: Floor,
    valley: Valley,
}

/// Voltage of the lowest reference in a fresh page, volts; cells below it are erased.
const LOWEST_REFERENCE_VOLTS: f64 = 0.0;

/// Errors of the mean page at its best voltages relative to the worst.
pub(super) fn mean_page(constants: &ReadConstants) -> f64 {
    let shares = &constants.floor.shares;
    let better = 0.5 * (shares.chip + shares.block + shares.layer) + 2.0 / 3.0 * shares.page;
    (1.0 - better) * References::new(constants).mean_floor()
}

impl States {
    /// The states of a kind of chip.
    #[must_use]
    pub fn new(constants: &ReadConstants, cell: Cell) -> States {
        States {
            states: 1 << cell.bits(),
            drift: Drift::new(&constants.drift),
            floor: Floor::new(&constants.floor),
            valley: Valley::new(&constants.valley, cell.bits()),
            constants: constants.clone(),
        }
    }

    /// Shift of a state per step of drift, volts downwards.
    #[must_use]
    pub fn shift_volts(&self, state: usize) -> f64 {
        // 0 for the erased state, 2 for a state above the highest: 1 on average over the programmed ones.
        self.valley.step_volts() * 2.0 * state as f64 / self.states as f64
    }

    /// Voltages of the states in the mean page, the erased one first.
    #[must_use]
    pub fn voltages(&self, stress: f64, months: f64, temperature_c: f64) -> Vec<StateVoltages> {
        let steps = self.drift.mean_steps(stress, months);
        let floor = self.floor.worst_bits(stress, months, temperature_c) * mean_page(&self.constants);
        let half = self.valley.half_width_volts();
        let sigma = half / self.valley.margin(mean_bits(floor));
        let erased = self.constants.valley.erased_width;
        (0..self.states)
            .map(|state| {
                let (width, above) =
                    if state == 0 { (erased, -erased * half) } else { (1.0, (2 * state - 1) as f64 * half) };
                StateVoltages {
                    mean_volts: LOWEST_REFERENCE_VOLTS + above - steps * self.shift_volts(state),
                    sigma_volts: sigma * width,
                }
            })
            .collect()
    }

    /// References of an entry of the retry table, lowest first, volts.
    #[must_use]
    pub fn references(&self, step: f64) -> Vec<f64> {
        let half = self.valley.half_width_volts();
        (1..self.states)
            .map(|reference| {
                let shift = 0.5 * (self.shift_volts(reference - 1) + self.shift_volts(reference));
                LOWEST_REFERENCE_VOLTS + 2.0 * (reference - 1) as f64 * half - step * shift
            })
            .collect()
    }

    /// Share of each reference in the errors of a page of a type (0 = LSB), lowest first.
    #[must_use]
    pub fn reference_shares(&self, page_type: usize) -> Vec<f64> {
        let sensed = &self.constants.references[page_type];
        let weight = |reference: usize| {
            let senses = sensed.contains(&(reference as u8));
            if senses { self.constants.valley.reference_weights[reference - 1] } else { 0.0 }
        };
        let sum: f64 = (1..self.states).map(weight).sum();
        (1..self.states).map(|reference| weight(reference) / sum).collect()
    }

    /// Probabilities that cells of each state are misread, in a page of a type that has `floor_bits` errors at its best
    /// voltages. The page is read `behind_steps` short of them (the drift exceeds the entry).
    #[must_use]
    pub fn misreads(&self, page_type: usize, floor_bits: f64, behind_steps: f64) -> Vec<Misreads> {
        let margin = self.valley.margin(floor_bits);
        let k = self.valley.misplacement(behind_steps.abs()).copysign(behind_steps);
        // References that are too high cut into the state above them.
        let (from_above, from_below) = (self.valley.misread(margin, k), self.valley.misread(margin, -k));
        let cells = CODEWORD_BITS / self.states as f64;
        let shares = self.reference_shares(page_type);
        (0..self.states)
            .map(|state| Misreads {
                lower: if state == 0 { 0.0 } else { shares[state - 1] * from_above / cells },
                upper: shares.get(state).map_or(0.0, |share| share * from_below / cells),
            })
            .collect()
    }

    /// Errors of a codeword whose cells have the states in these `shares` (they add up to 1), bits. A randomizer makes
    /// all shares equal; all-zero data without one puts every cell into one state.
    #[must_use]
    pub fn errors_of_data(&self, misreads: &[Misreads], shares: &[f64]) -> f64 {
        let wrong =
            misreads.iter().zip(shares).map(|(misread, share)| (misread.lower + misread.upper) * share);
        CODEWORD_BITS * wrong.sum::<f64>()
    }
}
