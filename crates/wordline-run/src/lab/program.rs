//! A chip lab for programs: OFWAR's cell model (its Eq. 1-8) as columns in JSON.

use serde_json::{Value, json};
use wordline_cells::characterize::program::{VthCurve, rber, retention, vth};
use wordline_cells::program::{ProgramCells, ProgramConstants, sensitivity};
use wordline_core::config::Config;

use super::column;
use crate::WrongValue;

/// A kind of chip under test.
pub struct ProgramBench {
    constants: ProgramConstants,
    cells: ProgramCells,
}

impl ProgramBench {
    /// Builds a bench with the configuration's chip.
    pub fn new(config: &Config) -> Result<Self, WrongValue> {
        let chip = config.device.chip.as_ref();
        let constants = chip.and_then(|chip| chip.program.clone()).ok_or_else(|| {
            WrongValue::new(
                "the chip of `cells.chip` has no `[program]` part; name one that has, such as mlc-ofwar",
            )
        })?;
        Ok(Self { cells: ProgramCells::new(&constants), constants })
    }

    /// The reference values of the figures: rated cycles, the age of the retention guarantee, and the error limit.
    #[must_use]
    pub fn rated(&self) -> (f64, f64, f64) {
        (self.constants.rated_cycles, self.constants.anchor_days, self.cells.rber_limit())
    }

    /// V_TH densities of all states at each stage, and their read voltages.
    #[must_use]
    pub fn vth(&self, dvpp_factor: f64, cycles: f64, age_days: f64) -> Value {
        let found = vth(&self.constants, dvpp_factor, cycles, age_days);
        let curve = |c: &VthCurve| json!({ "state": c.state, "stage": c.stage.name(), "volts": c.volts, "density": c.density });
        json!({
            "reads_v": found.reads_v, "rber": found.rber,
            "curves": found.curves.iter().map(curve).collect::<Vec<_>>(),
        })
    }

    /// Raw bit error rate by program step, P/E cycles and age.
    #[must_use]
    pub fn rber(&self, factors: &[f64], cycles: &[f64], ages_days: &[f64]) -> Value {
        let rows = rber(&self.constants, factors, cycles, ages_days);
        json!({
            "dvpp_factor": column(&rows, |r| r.dvpp_factor),
            "cycles": column(&rows, |r| r.cycles),
            "age_days": column(&rows, |r| r.age_days),
            "rber": column(&rows, |r| r.rber),
        })
    }

    /// Days of retention and program time, from the nominal step to `factor_max` times it.
    #[must_use]
    pub fn retention(&self, factor_max: f64, points: usize) -> Value {
        let rows = retention(&self.cells, factor_max, points);
        json!({
            "dvpp_factor": column(&rows, |r| r.dvpp_factor),
            "program_us": column(&rows, |r| r.program_us),
            "days": column(&rows, |r| r.days),
        })
    }

    /// Days of retention at twice the nominal step, for each constant that OFWAR leaves open.
    #[must_use]
    pub fn sensitivity(&self) -> Value {
        let rows = sensitivity(&self.constants);
        json!({
            "parameter": column(&rows, |r| r.parameter),
            "value": column(&rows, |r| r.word.map_or(json!(r.value), Value::from)),
            "rber_limit": column(&rows, |r| r.rber_limit),
            "days": column(&rows, |r| r.days),
        })
    }
}
