//! A chip lab for programs.

use pyo3::prelude::*;
use wordline_run::lab;

use crate::bug;
use crate::config::Configuration;
use crate::errors;

/// Density of the standard normal distribution, the same on every machine: Python's own exponential function differs in the
/// last digits between processors.
#[pyfunction]
pub fn normal_density(z: f64) -> f64 {
    wordline_cells::program::normal::density(z)
}

/// A kind of chip under test; tables are JSON.
#[pyclass(frozen, module = "wordline._core")]
pub struct ProgramBench {
    bench: lab::ProgramBench,
}

#[pymethods]
impl ProgramBench {
    #[new]
    fn new(config: &Configuration) -> PyResult<Self> {
        let bench = lab::ProgramBench::new(&config.resolved.config);
        bench.map(|bench| Self { bench }).map_err(errors::wrong_value)
    }

    fn rated(&self) -> (f64, f64, f64) {
        self.bench.rated()
    }

    fn vth(&self, dvpp_factor: f64, cycles: f64, age_days: f64) -> String {
        self.bench.vth(dvpp_factor, cycles, age_days).to_string()
    }

    fn rber(
        &self,
        py: Python<'_>,
        factors: Vec<f64>,
        cycles: Vec<f64>,
        ages_days: Vec<f64>,
    ) -> PyResult<String> {
        bug::detached(py, || self.bench.rber(&factors, &cycles, &ages_days).to_string())
    }

    fn retention(&self, factor_max: f64, points: usize) -> String {
        self.bench.retention(factor_max, points).to_string()
    }

    fn sensitivity(&self, py: Python<'_>) -> PyResult<String> {
        bug::detached(py, || self.bench.sensitivity().to_string())
    }
}
