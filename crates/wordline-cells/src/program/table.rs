//! The program model for the simulator, from tables that are computed once.

use super::constants::ProgramConstants;
use super::model::{CellCondition, Model, fixed_reads};
use super::retention;

/// Program steps of the tables, over the nominal one: 0.5 to 3 in eighths.
const FACTOR_MIN: f64 = 0.5;
const FACTOR_MAX: f64 = 3.0;
const FACTOR_STEP: f64 = 0.125;
const FACTORS: usize = 21;
/// P/E cycles of the tables, over the rated ones.
const CYCLES: [f64; 13] = [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.85, 1.0, 1.25, 1.5, 2.0];
/// Ages of the tables: shares of mu_d, 0 to 1.2 (a hundred years).
const AGES: usize = 13;
const REACHED_MAX: f64 = 1.2;
/// A retention below one minute counts as 0.
const DAYS_MIN: f64 = 1.0 / 1440.0;
/// Error rates below this are rounding error.
const RBER_MIN: f64 = 1e-12;

/// Retention, program time and error rate by program speed, for one kind of chip.
///
/// The `dvpp_factor`, the step of the program voltage over the nominal one, identifies a speed. Values below 0.5 count
/// as 0.5, values above 3 as 3.
#[derive(Clone, Debug, PartialEq)]
pub struct ProgramCells {
    constants: ProgramConstants,
    rber_limit: f64,
    /// ln(days) by factor.
    ln_days: [f64; FACTORS],
    /// ln(RBER) by factor, cycles and age.
    ln_rber: Vec<f64>,
}

impl ProgramCells {
    /// Computes the tables: about 30 ms, with tracked read voltages half a second.
    #[must_use]
    pub fn new(constants: &ProgramConstants) -> ProgramCells {
        let model = Model::new(constants);
        let rber_limit = retention::limit(&model);
        let nominal = model.disturbed(1.0);
        let mut ln_days = [0.0; FACTORS];
        let mut ln_rber = Vec::with_capacity(FACTORS * CYCLES.len() * AGES);
        for (index, ln_days) in ln_days.iter_mut().enumerate() {
            let disturbed = model.disturbed(FACTOR_MIN + index as f64 * FACTOR_STEP);
            let reads = fixed_reads(&model, &disturbed, &nominal);
            let rated = CellCondition::new(&model, &disturbed, reads.clone(), constants.rated_cycles);
            *ln_days = libm::log(retention::days(&model, &rated, rber_limit).max(DAYS_MIN));
            for share in CYCLES {
                let cycles = share * constants.rated_cycles;
                let condition = CellCondition::new(&model, &disturbed, reads.clone(), cycles);
                for age in 0..AGES {
                    let reached = REACHED_MAX * age as f64 / (AGES - 1) as f64;
                    ln_rber.push(libm::log(condition.rber(&model, reached).max(RBER_MIN)));
                }
            }
        }
        ProgramCells { constants: constants.clone(), rber_limit, ln_days, ln_rber }
    }

    /// The chip's constants.
    #[must_use]
    pub fn constants(&self) -> &ProgramConstants {
        &self.constants
    }

    /// Raw bit error rate at which data count as lost: that of the nominal speed at the anchor age (10 years) and the
    /// rated cycles.
    #[must_use]
    pub fn rber_limit(&self) -> f64 {
        self.rber_limit
    }

    /// Days until data written with this step reach the limit, at the rated cycles; 0 if they exceed it at once. At
    /// most ten times the anchor age.
    #[must_use]
    pub fn retention_days(&self, dvpp_factor: f64) -> f64 {
        let (index, part) = factor_place(dvpp_factor);
        let (a, b) = (self.ln_days[index], self.ln_days[index + 1]);
        let ln_min = libm::log(DAYS_MIN);
        // No interpolation between a step that keeps data and one that does not.
        if (a <= ln_min && part < 1.0) || (b <= ln_min && part > 0.0) {
            return 0.0;
        }
        libm::exp(a + part * (b - a))
    }

    /// Program time with this step, us: larger steps cover the same range in fewer pulses (OFWAR, Section 3.1.1).
    #[must_use]
    pub fn program_us(&self, dvpp_factor: f64) -> f64 {
        self.constants.nominal_us / dvpp_factor.clamp(FACTOR_MIN, FACTOR_MAX)
    }

    /// The step with this program time; the inverse of [`ProgramCells::program_us`].
    #[must_use]
    pub fn dvpp_factor(&self, program_us: f64) -> f64 {
        (self.constants.nominal_us / program_us).clamp(FACTOR_MIN, FACTOR_MAX)
    }

    /// Raw bit error rate, accurate to a tenth, of data of this age, written with this step on a block of this many P/E
    /// cycles. Beyond twice the rated cycles and a hundred years it stays constant.
    #[must_use]
    pub fn rber(&self, age_days: f64, cycles: f64, dvpp_factor: f64) -> f64 {
        let (f, f_part) = factor_place(dvpp_factor);
        let (c, c_part) = cycles_place(cycles / self.constants.rated_cycles.max(1.0));
        let reached = self.constants.reached(age_days.max(0.0)) / REACHED_MAX;
        let (a, a_part) = place(reached * (AGES - 1) as f64, AGES);
        let at = |f: usize, c: usize| {
            let row = &self.ln_rber[(f * CYCLES.len() + c) * AGES..][..AGES];
            row[a] + a_part * (row[a + 1] - row[a])
        };
        let over_cycles = |f: usize| at(f, c) + c_part * (at(f, c + 1) - at(f, c));
        let (low, high) = (over_cycles(f), over_cycles(f + 1));
        libm::exp(low + f_part * (high - low))
    }
}

/// The point below, and the fraction of the way to the next.
fn place(position: f64, points: usize) -> (usize, f64) {
    let position = position.clamp(0.0, (points - 1) as f64);
    let index = (position as usize).min(points - 2);
    (index, position - index as f64)
}

fn factor_place(factor: f64) -> (usize, f64) {
    place((factor - FACTOR_MIN) / FACTOR_STEP, FACTORS)
}

fn cycles_place(share: f64) -> (usize, f64) {
    let index = CYCLES.iter().rposition(|&c| c <= share).unwrap_or(0).min(CYCLES.len() - 2);
    let part = (share - CYCLES[index]) / (CYCLES[index + 1] - CYCLES[index]);
    (index, part.clamp(0.0, 1.0))
}
