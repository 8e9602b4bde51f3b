//! The effects of a larger program step: programs take less time, retention is shorter, and reads find wider states.

use super::{ProgramConstants, retention_days, retention_days_by_cycles, written_rber};
use crate::Ns;
use crate::read::{CODEWORD_BITS, Interpolation};

/// The fast programs of an SSD.
#[derive(Clone, Debug, PartialEq)]
pub struct FastProgram {
    /// Time of a fast program over tPROG.
    pub time_share: f64,
    /// Retention of data that were programmed fast, ns; older data count as lost.
    pub retention: Ns,
    /// Reads of such data.
    pub states: WideStates,
}

/// Reads of cells that were programmed with a larger step.
///
/// Cells lose the same charge at either speed, so read voltages drift the same. The differences are the drift that the
/// default voltages tolerate before a page needs a retry, and the errors right after the write, which no read voltage
/// avoids.
#[derive(Clone, Debug, PartialEq)]
pub struct WideStates {
    /// Share of the drift that default voltages bear at the normal step which they no longer bear, 0 to 1, by stress.
    margin_lost: Interpolation,
    /// Errors of a 1-KiB codeword more than at the normal step, by stress.
    added_bits: Interpolation,
}

/// Nanoseconds in a day.
const DAY_NS: f64 = 86_400.0 * 1e9;
/// Points of stress for the added errors, over the rated P/E cycles: up to six times, in halves.
const INTERVALS: usize = 12;
const STRESS_STEP: f64 = 0.5;

impl FastProgram {
    /// Builds the model for a program step of `dvpp_factor` times the normal one: larger steps cover the same range in
    /// fewer pulses (OFWAR, section 3.1.1). Retention is that of cells at their rated P/E cycles (section 4.1.4).
    #[must_use]
    pub fn new(constants: &ProgramConstants, dvpp_factor: f64) -> FastProgram {
        let days = retention_days(constants, dvpp_factor);
        FastProgram {
            time_share: 1.0 / dvpp_factor,
            retention: (days * DAY_NS) as Ns,
            states: WideStates::new(constants, dvpp_factor),
        }
    }
}

impl WideStates {
    /// Follows from the model of the program alone. Retention ends where fixed read voltages bear no more drift, at
    /// either speed: the drift until then, over that at the normal speed after as many cycles, is the margin that is left.
    fn new(constants: &ProgramConstants, dvpp_factor: f64) -> WideStates {
        let step = STRESS_STEP * constants.rated_cycles;
        let cycles: Vec<f64> = (0..=INTERVALS).map(|i| i as f64 * step).collect();
        let [fast, nominal] = [dvpp_factor, 1.0].map(|factor| written_rber(constants, factor, &cycles));
        let end = INTERVALS as f64 * step;
        let [fast_days, nominal_days] =
            [dvpp_factor, 1.0].map(|factor| retention_days_by_cycles(constants, factor, &cycles));
        let left = |at: usize| {
            let [fast, nominal] = [&fast_days, &nominal_days].map(|days| constants.reached(days[at]));
            // Where neither speed leaves a margin there is none to lose.
            if nominal > 0.0 { (fast / nominal).clamp(0.0, 1.0) } else { 1.0 }
        };
        WideStates {
            margin_lost: Interpolation::new(end as f32, INTERVALS, |cycles| {
                1.0 - left((cycles / step + 0.5) as usize)
            }),
            added_bits: Interpolation::new(end as f32, INTERVALS, |cycles| {
                let at = (cycles / step + 0.5) as usize;
                ((fast[at] - nominal[at]) * CODEWORD_BITS).max(0.0)
            }),
        }
    }

    /// Share of the margin that is lost at a stress, in cycles.
    #[inline]
    #[must_use]
    pub fn margin_lost(&self, stress: f32) -> f32 {
        self.margin_lost.at(stress)
    }

    /// Errors that fast programs add at a stress, in cycles, bits per 1-KiB codeword.
    #[inline]
    #[must_use]
    pub fn added_bits(&self, stress: f32) -> f32 {
        self.added_bits.at(stress)
    }
}

impl Default for FastProgram {
    /// Programs at the normal speed.
    fn default() -> Self {
        let states = WideStates {
            margin_lost: Interpolation::new(1.0, 1, |_| 0.0),
            added_bits: Interpolation::new(1.0, 1, |_| 0.0),
        };
        FastProgram { time_share: 1.0, retention: Ns::MAX, states }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chip(name: &str) -> ProgramConstants {
        crate::Chip::built_in(name).unwrap().unwrap().program.unwrap()
    }

    #[test]
    fn a_larger_step_costs_margin_and_adds_errors_and_the_normal_one_neither() {
        for name in ["mlc-ofwar", "tlc-48l"] {
            let constants = chip(name);
            let normal = FastProgram::new(&constants, 1.0);
            assert!(
                normal.states.margin_lost(constants.rated_cycles as f32) < 1e-3 && normal.time_share == 1.0,
                "{name}: {normal:?}"
            );
            assert_eq!(normal.states.added_bits(3000.0), 0.0, "{name}");
            let mut last = normal;
            for factor in [1.5, 2.0, 2.5] {
                let fast = FastProgram::new(&constants, factor);
                let rated = constants.rated_cycles as f32;
                assert!(fast.states.margin_lost(rated) > last.states.margin_lost(rated), "{name} {factor}");
                assert!(
                    fast.retention < last.retention && fast.time_share < last.time_share,
                    "{name} {factor}"
                );
                let bits = |stress| fast.states.added_bits(stress);
                assert!(bits(1000.0) < bits(2000.0) && bits(2000.0) < bits(4000.0), "{name} {factor}");
                assert!(bits(2000.0) > last.states.added_bits(2000.0), "{name} {factor}");
                last = fast;
            }
        }
    }

    /// One step alone gives the claim `ofwar.device.retention`, like the tables.
    #[test]
    fn one_step_costs_what_the_tables_say() {
        let constants = chip("mlc-ofwar");
        let cells = crate::program::ProgramCells::new(&constants);
        let days = retention_days(&constants, 2.0);
        assert!((days / cells.retention_days(2.0) - 1.0).abs() < 1e-6, "{days}");
        let rber = written_rber(&constants, 2.0, &[3000.0])[0];
        assert!((rber / cells.rber(0.0, 3000.0, 2.0) - 1.0).abs() < 1e-6, "{rber}");
    }
}
