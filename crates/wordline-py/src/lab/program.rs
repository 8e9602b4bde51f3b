//! A chip under test: the cost of its program speed, by OFWAR's cell model (its Eq. 1-8).

use pyo3::prelude::*;
use serde_json::{Value, json};
use wordline_cells::bench::program::{VthCurve, rber, retention, vth};
use wordline_cells::program::{ProgramCells, ProgramConstants, sensitivity};

use super::{Setup, column, to_python, wrong};
use crate::bug;

/// Density of the standard normal distribution, the same on every machine: Python's own exponential function differs in the
/// last digits between processors.
#[pyfunction]
pub fn normal_density(z: f64) -> f64 {
    wordline_cells::program::normal::density(z)
}

/// The kind of chip that a configuration names (`cells.chip`).
///
/// `dvpp_factor` is a program step over the nominal one.
///
/// Args:
///     config: The configuration.
///
/// Raises:
///     WrongValueError: `cells.chip` names no chip, or one whose programs are unknown.
#[pyclass(frozen, module = "wordline._core")]
pub struct ProgramBench {
    constants: ProgramConstants,
    cells: ProgramCells,
}

#[pymethods]
impl ProgramBench {
    #[new]
    fn new(config: Setup) -> PyResult<Self> {
        let chip = config.config().device.chip.as_ref();
        let constants = chip.and_then(|chip| chip.program.clone()).ok_or_else(|| {
            wrong("the chip of `cells.chip` has no `[program]` part; name one that has, such as mlc-ofwar")
        })?;
        Ok(Self { cells: ProgramCells::new(&constants), constants })
    }

    /// Returns P/E cycles and days of the nominal step's retention guarantee, and its raw bit error rate then.
    fn rated(&self) -> (f64, f64, f64) {
        (self.constants.rated_cycles, self.constants.anchor_days, self.cells.rber_limit())
    }

    /// Returns V_TH densities by state and stage (`curves`), read voltages (`reads_v`) and error rate (`rber`).
    fn vth<'py>(
        &self,
        py: Python<'py>,
        dvpp_factor: f64,
        cycles: f64,
        age_days: f64,
    ) -> PyResult<Bound<'py, PyAny>> {
        let found = vth(&self.constants, dvpp_factor, cycles, age_days);
        let curve = |c: &VthCurve| json!({ "state": c.state, "stage": c.stage.name(), "volts": c.volts, "density": c.density });
        let document = json!({
            "reads_v": found.reads_v, "rber": found.rber,
            "curves": found.curves.iter().map(curve).collect::<Vec<_>>(),
        });
        to_python(py, &document)
    }

    /// Returns the raw bit error rate by program step, P/E cycles and age.
    fn rber<'py>(
        &self,
        py: Python<'py>,
        factors: Vec<f64>,
        cycles: Vec<f64>,
        ages_days: Vec<f64>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let rows = bug::detached(py, || rber(&self.constants, &factors, &cycles, &ages_days))?;
        let columns = json!({
            "dvpp_factor": column(&rows, |r| r.dvpp_factor),
            "cycles": column(&rows, |r| r.cycles),
            "age_days": column(&rows, |r| r.age_days),
            "rber": column(&rows, |r| r.rber),
        });
        to_python(py, &columns)
    }

    /// Returns days of retention and program time, from the nominal step to a multiple of it.
    #[pyo3(signature = (factor_max=2.0, points=21))]
    fn retention<'py>(&self, py: Python<'py>, factor_max: f64, points: usize) -> PyResult<Bound<'py, PyAny>> {
        let rows = retention(&self.cells, factor_max, points);
        let columns = json!({
            "dvpp_factor": column(&rows, |r| r.dvpp_factor),
            "program_us": column(&rows, |r| r.program_us),
            "days": column(&rows, |r| r.days),
        });
        to_python(py, &columns)
    }

    /// Returns days of retention at twice the nominal step, for each constant that OFWAR leaves open.
    fn sensitivity<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let rows = bug::detached(py, || sensitivity(&self.constants))?;
        let columns = json!({
            "parameter": column(&rows, |r| r.parameter),
            "value": column(&rows, |r| r.word.map_or(json!(r.value), Value::from)),
            "rber_limit": column(&rows, |r| r.rber_limit),
            "days": column(&rows, |r| r.days),
        });
        to_python(py, &columns)
    }
}
