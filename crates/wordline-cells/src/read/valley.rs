//! The valley between two threshold-voltage states: how errors grow beside the best read voltages.
//!
//! Two states lie `margin` standard deviations on either side of the best voltage. A read voltage that is misplaced by
//! a fraction `k` of half the valley misreads
//!
//! ```text
//! errors = A · (Q(margin · (1 - k)) + Q(margin · (1 + k)))      Q: upper tail of a normal distribution
//! ```
//!
//! bits of a codeword, where A is the cells next to a reference that the page senses. At k = 0 that is
//! the floor, which therefore fixes the margin: a worn page has both more errors and wider states. The simulator takes
//! the climb of the mean page when it is fresh, and lets it grow with the root of the errors of the condition
//! (`page.rs`): pages differ in their floors by outliers, not by how wide their states are.
//!
//! ```text
//! k(d) = misfit · (1 - exp(-(d / reach)²)) + step · d           d: steps from the best voltages
//! ```
//!
//! The first term is a guess, which the papers imply but do not state. PR2/AR2, Fig. 4b, shows that one step is beyond
//! the ECC on every page; also, 20 steps are within a plausible shift of the voltages. Both cannot hold if neighbouring
//! entries of the table differ by one shift of all references. So we assume that neighbouring entries also treat the
//! states differently: any entry except the best one misplaces some reference by about half a valley.

use super::constants::ValleyConstants;

/// Bits of the codeword in which errors are counted: 1 KiB.
pub const CODEWORD_BITS: f64 = 8192.0;

/// The valley of a kind of chip.
#[derive(Clone, Debug)]
pub struct Valley {
    constants: ValleyConstants,
    /// Cells of a codeword on one side of the references that a page senses.
    cells: f64,
}

/// Upper tail of the normal distribution.
#[must_use]
pub fn tail(deviations: f64) -> f64 {
    0.5 * libm::erfc(deviations * core::f64::consts::FRAC_1_SQRT_2)
}

impl Valley {
    /// Builds the valley of a chip with `bits` bits per cell, for a page that senses the mean number of references.
    #[must_use]
    pub fn new(constants: &ValleyConstants, bits: u32) -> Valley {
        let states = f64::from(1u32 << bits);
        let references = (states - 1.0) / f64::from(bits);
        Valley { constants: constants.clone(), cells: CODEWORD_BITS * references / states }
    }

    /// Misplacement of the read voltages `distance_steps` from the best ones, in half widths of the valley.
    #[must_use]
    pub fn misplacement(&self, distance_steps: f64) -> f64 {
        let ValleyConstants { misfit, reach_steps, step, .. } = self.constants;
        let reached = distance_steps / reach_steps;
        // At 1, half of the cells of a state are misread. The model does not go on into the next state.
        (misfit * -libm::expm1(-reached * reached) + step * distance_steps).min(1.0)
    }

    /// Standard deviations from the best voltage to either state that give `floor_bits` errors.
    #[must_use]
    pub fn margin(&self, floor_bits: f64) -> f64 {
        let share = floor_bits / (2.0 * self.cells);
        let (mut low, mut high) = (0.0, 8.0);
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if tail(middle) > share { low = middle } else { high = middle }
        }
        0.5 * (low + high)
    }

    /// Cells that are misread across a reference that is misplaced by `k` half widths of the valley towards them; away
    /// from them, `k` is negative.
    #[must_use]
    pub fn misread(&self, margin: f64, k: f64) -> f64 {
        self.cells * tail(margin * (1.0 - k))
    }

    /// Errors of a page with `floor_bits` at its best voltages when read `distance_steps` beside them.
    #[must_use]
    pub fn errors(&self, floor_bits: f64, distance_steps: f64) -> f64 {
        self.errors_at(self.margin(floor_bits), distance_steps)
    }

    /// The same, of a page whose [`Valley::margin`] is known.
    pub(super) fn errors_at(&self, margin: f64, distance_steps: f64) -> f64 {
        let k = self.misplacement(distance_steps.abs());
        self.misread(margin, k) + self.misread(margin, -k)
    }

    /// Half the width of the valley, volts.
    #[must_use]
    pub fn half_width_volts(&self) -> f64 {
        self.constants.half_width_volts
    }

    /// Shift of the voltages per step, averaged over the references, volts.
    #[must_use]
    pub fn step_volts(&self) -> f64 {
        self.constants.step * self.constants.half_width_volts
    }
}
