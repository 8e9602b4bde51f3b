//! A chip lab for programs: OFWAR's cell model (its Eq. 1-8) as columns in JSON.

use pyo3::prelude::*;
use serde_json::{Value, json};
use wordline_cells::characterize::program::{rber, retention, vth};
use wordline_cells::program::{ProgramCells, ProgramConstants, sensitivity};

use crate::bug;
use crate::config::Configuration;
use crate::errors;

/// A kind of chip on the bench.
#[pyclass(frozen, module = "wordline._core")]
pub struct ProgramBench {
    constants: ProgramConstants,
    cells: ProgramCells,
}

#[pymethods]
impl ProgramBench {
    /// The chip is the configuration's.
    #[new]
    fn new(config: &Configuration) -> PyResult<Self> {
        let chip = config.resolved.config.device.chip.as_ref();
        let constants = chip.and_then(|chip| chip.program.clone()).ok_or_else(|| {
            errors::wrong_value(
                "the chip of `cells.chip` has no `[program]` part; name one that has, such as mlc-ofwar",
            )
        })?;
        Ok(Self { cells: ProgramCells::new(&constants), constants })
    }

    /// What the figures are drawn against: rated cycles, the age that retention is promised for, and the limit.
    fn rated(&self) -> (f64, f64, f64) {
        (self.constants.rated_cycles, self.constants.anchor_days, self.cells.rber_limit())
    }

    /// V_TH densities of all states at each stage, and where they are read.
    fn vth(&self, dvpp_factor: f64, cycles: f64, age_days: f64) -> String {
        let found = vth(&self.constants, dvpp_factor, cycles, age_days);
        let curve = |c: &wordline_cells::characterize::program::VthCurve| json!({ "state": c.state, "stage": c.stage.name(), "volts": c.volts, "density": c.density });
        json!({
            "reads_v": found.reads_v, "rber": found.rber,
            "curves": found.curves.iter().map(curve).collect::<Vec<_>>(),
        })
        .to_string()
    }

    /// Raw bit error rate by program step, P/E cycles and age.
    fn rber(
        &self,
        py: Python<'_>,
        factors: Vec<f64>,
        cycles: Vec<f64>,
        ages_days: Vec<f64>,
    ) -> PyResult<String> {
        let rows = bug::detached(py, || rber(&self.constants, &factors, &cycles, &ages_days))?;
        let document = json!({
            "dvpp_factor": column(&rows, |r| r.dvpp_factor),
            "cycles": column(&rows, |r| r.cycles),
            "age_days": column(&rows, |r| r.age_days),
            "rber": column(&rows, |r| r.rber),
        });
        Ok(document.to_string())
    }

    /// Days of retention and program time, from the nominal step to `factor_max` times it.
    fn retention(&self, factor_max: f64, points: usize) -> String {
        let rows = retention(&self.cells, factor_max, points);
        json!({
            "dvpp_factor": column(&rows, |r| r.dvpp_factor),
            "program_us": column(&rows, |r| r.program_us),
            "days": column(&rows, |r| r.days),
        })
        .to_string()
    }

    /// Days of retention at twice the nominal step against each constant that OFWAR leaves open.
    fn sensitivity(&self, py: Python<'_>) -> PyResult<String> {
        let rows = bug::detached(py, || sensitivity(&self.constants))?;
        let document = json!({
            "parameter": column(&rows, |r| r.parameter),
            "value": column(&rows, |r| r.word.map_or(json!(r.value), Value::from)),
            "rber_limit": column(&rows, |r| r.rber_limit),
            "days": column(&rows, |r| r.days),
        });
        Ok(document.to_string())
    }
}

fn column<T, V: Into<Value>>(rows: &[T], of: impl Fn(&T) -> V) -> Value {
    Value::Array(rows.iter().map(|row| of(row).into()).collect())
}
