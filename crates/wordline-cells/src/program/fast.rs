//! The effects of a larger program step: programs take less time, retention is shorter, and reads find wider states.

use super::{ProgramConstants, retention_days, retention_days_by_cycles, written_rber};
use crate::Ns;
use crate::read::{CODEWORD_BITS, Interpolation};

/// The fast programs of an SSD.
#[derive(Clone, Debug, PartialEq)]
pub struct FastProgram {
    /// Time of a fast program over tPROG.
    pub time_share: f64,
    /// Retention of data that were programmed fast in blocks at their rated P/E cycles, ns; at least the shortest.
    pub rated_retention: Ns,
    /// Natural logarithm of the retention in days, by stress in cycles.
    log_days: Interpolation,
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
    /// Lost share of the drift that default voltages tolerate at the normal step, 0 to 1, by stress.
    margin_lost: Interpolation,
    /// Additional errors of a 1-KiB codeword compared with the normal step, by stress.
    added_bits: Interpolation,
}

/// Nanoseconds in a day.
const DAY_NS: f64 = 86_400.0 * 1e9;
/// Points of stress for the added errors, over the rated P/E cycles: up to six times, in halves.
const INTERVALS: usize = 12;
const STRESS_STEP: f64 = 0.5;
/// Retention of cells that are too worn for fast programs, days: a second.
const SHORTEST_DAYS: f64 = 1.0 / 86_400.0;

/// The points of stress, P/E cycles.
fn stresses(constants: &ProgramConstants) -> Vec<f64> {
    (0..=INTERVALS).map(|i| i as f64 * STRESS_STEP * constants.rated_cycles).collect()
}

/// Values at the points of stress, with straight lines between them.
fn by_stress(stresses: &[f64], values: impl Iterator<Item = f64>) -> Interpolation {
    let (step, values) = (stresses[1], values.collect::<Vec<_>>());
    Interpolation::new(stresses[INTERVALS] as f32, INTERVALS, |at| values[(at / step + 0.5) as usize])
}

impl FastProgram {
    /// Retention of cells that a fast program leaves no margin, ns. Not 0: an SSD looks for its fast pages many times
    /// in one retention.
    pub const SHORTEST_RETENTION: Ns = (SHORTEST_DAYS * DAY_NS) as Ns;

    /// Builds the model for a program step of `dvpp_factor` times the normal one: larger steps cover the same range in
    /// fewer pulses (OFWAR, section 3.1.1). The paper's retention is that of cells at their rated P/E cycles (section
    /// 4.1.4); by its Eq. 1 to 8 younger cells keep their data longer, older ones for a shorter time.
    #[must_use]
    pub fn new(constants: &ProgramConstants, dvpp_factor: f64) -> FastProgram {
        let stresses = stresses(constants);
        let days = retention_days_by_cycles(constants, dvpp_factor, &stresses);
        let log_days = days.iter().map(|days| libm::log(days.max(SHORTEST_DAYS)));
        FastProgram {
            time_share: 1.0 / dvpp_factor,
            rated_retention: (retention_days(constants, dvpp_factor).max(SHORTEST_DAYS) * DAY_NS) as Ns,
            log_days: by_stress(&stresses, log_days),
            states: WideStates::new(constants, dvpp_factor, &stresses, &days),
        }
    }

    /// Retention of data that were programmed fast at a stress, in cycles, ns; older data count as lost.
    #[must_use]
    pub fn retention_at(&self, stress: f32) -> Ns {
        (libm::exp(f64::from(self.log_days.at(stress))) * DAY_NS) as Ns
    }
}

impl WideStates {
    /// Computes both from the model of programs. At either speed retention ends when fixed read voltages tolerate no more
    /// drift. The remaining margin is the drift until then, relative to that at the normal speed after as many cycles.
    fn new(constants: &ProgramConstants, dvpp_factor: f64, stresses: &[f64], days: &[f64]) -> WideStates {
        let nominal_days = retention_days_by_cycles(constants, 1.0, stresses);
        // If neither speed leaves a margin, none is lost.
        let lost = |(&fast, nominal): (&f64, f64)| match constants.reached(nominal) {
            nominal if nominal > 0.0 => 1.0 - (constants.reached(fast) / nominal).clamp(0.0, 1.0),
            _ => 0.0,
        };
        let [fast, nominal] = [dvpp_factor, 1.0].map(|factor| written_rber(constants, factor, stresses));
        let added = |(fast, nominal): (f64, f64)| ((fast - nominal) * CODEWORD_BITS).max(0.0);
        WideStates {
            margin_lost: by_stress(stresses, days.iter().zip(nominal_days).map(lost)),
            added_bits: by_stress(stresses, fast.into_iter().zip(nominal).map(added)),
        }
    }

    /// Lost share of the margin at a stress, in cycles.
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
        FastProgram {
            time_share: 1.0,
            rated_retention: Ns::MAX,
            log_days: Interpolation::new(1.0, 1, |_| f64::from(f32::MAX)),
            states,
        }
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
                    fast.rated_retention < last.rated_retention && fast.time_share < last.time_share,
                    "{name} {factor}"
                );
                let bits = |stress| fast.states.added_bits(stress);
                assert!(bits(1000.0) < bits(2000.0) && bits(2000.0) < bits(4000.0), "{name} {factor}");
                assert!(bits(2000.0) > last.states.added_bits(2000.0), "{name} {factor}");
                last = fast;
            }
        }
    }

    #[test]
    fn retention_falls_with_wear_and_is_the_papers_at_the_rated_cycles() {
        for name in ["mlc-ofwar", "tlc-48l"] {
            let constants = chip(name);
            let rated = constants.rated_cycles as f32;
            // Steps of 2.5 and more leave no margin at any wear.
            for factor in [1.5, 2.0] {
                let fast = FastProgram::new(&constants, factor);
                let days = [0.0, 0.5, 1.0, 1.5].map(|share| fast.retention_at(share * rated) as f64 / DAY_NS);
                assert!(days.windows(2).all(|pair| pair[0] > pair[1]), "{name} {factor}: {days:?}");
                let of_paper = fast.rated_retention as f64 / DAY_NS;
                assert!(
                    (days[2] / of_paper - 1.0).abs() < 1e-3,
                    "{name} {factor}: {} and {of_paper}",
                    days[2]
                );
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
