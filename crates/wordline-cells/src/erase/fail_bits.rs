//! Fail bits, the count of an erase's verify step.
//!
//! The number of bitlines with a cell that is not erased falls by delta with each 0.5-ms pulse. With one such pulse to
//! go it is gamma, much less than delta. Far from the end it saturates (AERO, Section 5.2, Fig. 7). Delta differs
//! between erases: it varies upwards from its lowest value, so blocks of one fail-bit range need at most the range's
//! pulses, and sometimes fewer (Fig. 8).

use super::constants::EraseConstants;

/// Up to this many pulses to go, the fail bits fall linearly.
const LINEAR_PULSES: f64 = 8.0;

/// The prepared constants of the fail-bit count.
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

    /// Fail bits with `to_go` pulses of 0.5 ms to go. `draw`, 0 to 1, sets delta for this erase.
    #[must_use]
    pub fn count(&self, to_go: f64, draw: f64) -> u32 {
        let delta = self.delta * (1.0 + self.spread * draw);
        let bits = if to_go <= 0.0 {
            self.pass * (1.0 + to_go.max(-1.0))
        } else if to_go <= 1.0 {
            // At least one above F_PASS: an erase ends exactly when no pulse is left to go.
            (self.pass + (self.gamma - self.pass) * to_go).max(self.pass + 1.0)
        } else if to_go <= 2.0 {
            self.gamma + (delta - self.gamma) * (to_go - 1.0)
        } else if to_go <= LINEAR_PULSES {
            delta * (to_go - 1.0)
        } else {
            let linear = delta * (LINEAR_PULSES - 1.0);
            let room = (self.saturation - linear).max(0.0);
            let beyond = (to_go - LINEAR_PULSES) * delta;
            // Continues the straight line with its slope and bends towards the number of bitlines.
            if room > 0.0 { linear + room * beyond / (beyond + room) } else { linear }
        };
        bits as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fail_bits_fall_to_the_end_without_a_jump() {
        let constants = crate::Chip::built_in("tlc-48l").unwrap().unwrap().erase.unwrap();
        let model = FailBitModel::new(&constants);
        for draw in [0.0, 0.5, 1.0] {
            let steepest =
                (constants.fail_bits_delta * (1.0 + constants.fail_bits_spread * draw) * 0.01) as u32;
            for hundredths in 2..1500u32 {
                let [before, after] =
                    [hundredths - 1, hundredths].map(|at| model.count(f64::from(at) / 100.0, draw));
                assert!((before..=before + steepest + 1).contains(&after), "{hundredths}: {before}, {after}");
            }
        }
    }
}
