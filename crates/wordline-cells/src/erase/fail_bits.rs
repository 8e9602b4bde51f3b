//! Fail bits: what the verify step of an erase counts.
//!
//! The number of bitlines with a cell that is not erased falls by delta with each 0.5-ms pulse, stands
//! at gamma, much less than delta, with one such pulse to go, and saturates where much is left to do
//! (AERO, Section 5.2, Fig. 7). Delta is not quite the same in each erase: it varies upwards from its
//! lowest value, so blocks of one fail-bit range may need less than the range's pulses, never more
//! (Fig. 8).

use super::constants::EraseConstants;

/// Pulses to go up to which the fail bits fall linearly.
const LINEAR_PULSES: f64 = 8.0;

/// The constants of the fail-bit count, prepared.
#[derive(Clone, Debug, PartialEq)]
pub struct FailBitModel {
    pass: f64,
    gamma: f64,
    delta: f64,
    spread: f64,
    saturation: f64,
}

impl FailBitModel {
    pub(super) fn new(constants: &EraseConstants) -> FailBitModel {
        FailBitModel {
            pass: constants.fail_bits_pass,
            gamma: constants.fail_bits_gamma,
            delta: constants.fail_bits_delta,
            spread: constants.fail_bits_spread,
            saturation: constants.fail_bits_saturation,
        }
    }

    /// F_PASS, bitlines.
    #[must_use]
    pub fn pass(&self) -> u32 {
        self.pass as u32
    }

    /// Fail bits with `to_go` pulses of 0.5 ms to go. `draw` in 0 to 1 is this erase's own delta.
    #[must_use]
    pub fn count(&self, to_go: f64, draw: f64) -> u32 {
        let delta = self.delta * (1.0 + self.spread * draw);
        let bits = if to_go <= 0.0 {
            self.pass * (1.0 + to_go.max(-1.0))
        } else if to_go <= 1.0 {
            // At least one above F_PASS: an erase is over exactly when nothing is to go.
            (self.pass + (self.gamma - self.pass) * to_go).max(self.pass + 1.0)
        } else if to_go <= 2.0 {
            self.gamma + (delta - self.gamma) * (to_go - 1.0)
        } else if to_go <= LINEAR_PULSES {
            delta * (to_go - 1.0)
        } else {
            let linear = delta * (LINEAR_PULSES - 1.0);
            let room = (self.saturation - linear).max(0.0);
            let beyond = (to_go - LINEAR_PULSES) * delta;
            // Leaves the straight line with its slope and bends towards the number of bitlines.
            if room > 0.0 { linear + room * beyond / (beyond + room) } else { linear }
        };
        bits as u32
    }
}
