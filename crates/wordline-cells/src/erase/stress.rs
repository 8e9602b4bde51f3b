//! Stress: the accumulated wear of a block, in P/E cycles of an average block under plain ISPE.
//!
//! Under ISPE a cycle of a block of hardness h adds `program_share + (1 - program_share) r`. Here r is the block's
//! erase damage over that of the average block at the same age, raised to `hardness_spread`. A hard block has barriers
//! that let less current through, so the same pulses damage it less than in proportion. Any other erase counts by its
//! damage relative to ISPE on the same block at the same age. So n cycles under ISPE are stress n on average, and
//! programs always are 20 % of it (AERO, Section 3.1, after Hong et al., FAST '22).

use super::constants::EraseConstants;
use super::pulse::PulseModel;
use super::work::WorkTable;

/// P/E cycles between two rows of the table.
const STEP_PEC: f64 = 25.0;

/// Hardness columns of the table.
const COLUMNS: usize = 128;

/// Stress of P/E cycles, by hardness and erase age.
#[derive(Clone, Debug, PartialEq)]
pub struct StressMap {
    rows: usize,
    /// By column, then by row.
    stress: Vec<f64>,
    /// By row: mean over the blocks of ISPE's erase damage, raised to the spread.
    mean: Vec<f64>,
    /// By loops: ISPE's erase damage raised to one minus the spread.
    own: Vec<f64>,
    program_share: f64,
    per_loop: f64,
    max_loops: u8,
}

impl StressMap {
    pub(super) fn new(constants: &EraseConstants, pulse: &PulseModel, work: &WorkTable) -> StressMap {
        let rows = (work.last_pec().max(8000.0) / STEP_PEC) as usize + 2;
        let per_loop = f64::from(constants.pulses_per_loop);
        let raised = |exponent: f64| -> Vec<f64> {
            (0..=constants.max_loops)
                .map(|loops| libm::pow(pulse.ispe_damage(loops.max(1)), exponent))
                .collect()
        };
        let spread = raised(constants.hardness_spread);
        let mut map = StressMap {
            rows,
            stress: vec![0.0; rows * COLUMNS],
            mean: vec![0.0; rows],
            own: raised(1.0 - constants.hardness_spread),
            program_share: constants.program_share,
            per_loop,
            max_loops: constants.max_loops,
        };
        let pulses: Vec<_> = (0..COLUMNS).map(|column| work.pulses_of(middle(column))).collect();
        let mut rate_before = vec![0.0; COLUMNS];
        for row in 0..rows {
            let pec = row as f64 * STEP_PEC;
            let damage: Vec<f64> =
                pulses.iter().map(|pulses| spread[usize::from(map.loops(pulses(pec)))]).collect();
            map.mean[row] = damage.iter().sum::<f64>() / COLUMNS as f64;
            for (column, damage) in damage.iter().enumerate() {
                let rate = constants.program_share + (1.0 - constants.program_share) * damage / map.mean[row];
                if row > 0 {
                    let before = map.stress[column * rows + row - 1];
                    map.stress[column * rows + row] = before + (rate_before[column] + rate) / 2.0 * STEP_PEC;
                }
                rate_before[column] = rate;
            }
        }
        map
    }

    /// Loops of ISPE for this many pulses.
    #[must_use]
    pub fn loops(&self, pulses: f64) -> u8 {
        (libm::ceil(pulses / self.per_loop - 1e-9) as u8).clamp(1, self.max_loops)
    }

    /// Stress of a block after P/E cycles under ISPE.
    #[must_use]
    pub fn stress(&self, pec: f64, hardness: f64) -> f64 {
        let (column, part) = self.column(hardness);
        let row = ((pec / STEP_PEC) as usize).min(self.rows - 2);
        let (low, high) = (self.at(row, column, part), self.at(row + 1, column, part));
        low + (high - low) * (pec / STEP_PEC - row as f64)
    }

    /// Stress of a P/E cycle whose erase did this damage, on a block of this age that needs `loops` loops under ISPE.
    #[must_use]
    pub fn of_cycle(&self, damage: f64, age_pec: f64, loops: u8) -> f64 {
        let at = (age_pec / STEP_PEC).clamp(0.0, (self.rows - 1) as f64);
        let row = (at as usize).min(self.rows - 2);
        let mean = self.mean[row] + (self.mean[row + 1] - self.mean[row]) * (at - row as f64);
        self.program_share + (1.0 - self.program_share) * damage / (self.own[usize::from(loops)] * mean)
    }

    fn at(&self, row: usize, column: usize, part: f64) -> f64 {
        let low = self.stress[column * self.rows + row];
        low + (self.stress[(column + 1) * self.rows + row] - low) * part
    }

    fn column(&self, hardness: f64) -> (usize, f64) {
        let at = (hardness * COLUMNS as f64 - 0.5).clamp(0.0, (COLUMNS - 1) as f64);
        let column = (at as usize).min(COLUMNS - 2);
        (column, at - column as f64)
    }
}

fn middle(column: usize) -> f64 {
    (column as f64 + 0.5) / COLUMNS as f64
}
