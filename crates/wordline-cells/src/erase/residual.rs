//! Errors after an incomplete erase: some cells stay above the erased state and are misread later.
//!
//! Errors grow with the fail bits left. They grow most in a block that needs only one loop and gets a part of it: its
//! cells have never seen a full loop (AERO, Section 5.4, Fig. 10b, 13 and the text about Fig. 17). In such a block the
//! errors also grow with the omitted share of the loop. A complete erase leaves no errors.

use super::constants::EraseConstants;

/// The prepared errors, by remaining fail bits and loops that the block needs.
#[derive(Clone, Debug, PartialEq)]
pub struct ResidualModel {
    pass: f64,
    gamma: f64,
    delta: f64,
    at_gamma: Vec<f64>,
    at_delta: Vec<f64>,
    per_loop: f64,
}

impl ResidualModel {
    pub(super) fn new(constants: &EraseConstants) -> ResidualModel {
        ResidualModel {
            pass: constants.fail_bits_pass,
            gamma: constants.fail_bits_gamma,
            delta: constants.fail_bits_delta,
            at_gamma: constants.residual_gamma_bits.clone(),
            at_delta: constants.residual_delta_bits.clone(),
            per_loop: f64::from(constants.pulses_per_loop),
        }
    }

    /// Bit errors in the worst 1-KiB codeword of the block, in addition to those after a complete erase. `loops`
    /// and `required_pulses` are the numbers that the block needs under ISPE.
    #[must_use]
    pub fn errors(&self, fail_bits: u32, loops: u8, required_pulses: f64) -> f64 {
        let bits = f64::from(fail_bits);
        if bits <= self.pass {
            return 0.0;
        }
        let row = usize::from(loops.max(1) - 1).min(self.at_gamma.len() - 1);
        let (low, high) = (self.at_gamma[row], self.at_delta[row]);
        // No block needs less than half a loop.
        let share = self.per_loop / required_pulses.clamp(0.5 * self.per_loop, self.per_loop);
        let after_a_loop = if bits <= self.gamma {
            low * (bits - self.pass) / (self.gamma - self.pass)
        } else {
            low + (high - low) * (bits - self.gamma) / (self.delta - self.gamma)
        };
        after_a_loop * share
    }
}
