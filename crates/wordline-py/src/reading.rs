//! A chip lab for reads.

use pyo3::prelude::*;
use wordline_cells::read::TimingCut;
use wordline_run::lab;

use crate::bug;
use crate::config::Configuration;
use crate::errors;

/// Pages of a kind of chip under test; tables are JSON.
#[pyclass(frozen, module = "wordline._core")]
pub struct ReadBench {
    bench: lab::ReadBench,
}

#[pymethods]
impl ReadBench {
    #[new]
    #[pyo3(signature = (config, *, chips, blocks, pages))]
    fn new(config: &Configuration, chips: u32, blocks: u32, pages: u32) -> PyResult<Self> {
        let bench = lab::ReadBench::new(&config.resolved.config, chips, blocks, pages);
        bench.map(|bench| Self { bench }).map_err(errors::wrong_value)
    }

    fn table_steps(&self) -> u8 {
        self.bench.table_steps()
    }

    fn retry_steps(
        &self,
        py: Python<'_>,
        cycles: f64,
        months: f64,
        temperature_c: f64,
    ) -> PyResult<Vec<f64>> {
        bug::detached(py, || self.bench.retry_steps(cycles, months, temperature_c))
    }

    fn m_err(
        &self,
        py: Python<'_>,
        cycles: f64,
        months: f64,
        temperature_c: f64,
        cuts: Vec<(f64, f64, f64)>,
    ) -> PyResult<Vec<f64>> {
        let cut = |(precharge, evaluation, discharge)| TimingCut { precharge, evaluation, discharge };
        let cuts: Vec<TimingCut> = cuts.into_iter().map(cut).collect();
        bug::detached(py, || self.bench.m_err(cycles, months, temperature_c, &cuts))
    }

    fn timing_table(&self, py: Python<'_>) -> PyResult<String> {
        bug::detached(py, || self.bench.timing_table().to_string())
    }

    fn errors_in_last_steps(
        &self,
        py: Python<'_>,
        steps: u8,
        count: u8,
        cycles: f64,
        months: f64,
        temperature_c: f64,
    ) -> PyResult<Vec<f64>> {
        bug::detached(py, || self.bench.errors_in_last_steps(steps, count, cycles, months, temperature_c))
    }

    fn first_retry_days(&self, py: Python<'_>, cycles: f64) -> PyResult<f64> {
        bug::detached(py, || self.bench.first_retry_days(cycles))
    }

    fn further_reads(
        &self,
        py: Python<'_>,
        is_sentinel: bool,
        cycles: f64,
        months: f64,
        temperature_c: f64,
    ) -> PyResult<f64> {
        bug::detached(py, || self.bench.further_reads(is_sentinel, cycles, months, temperature_c))
    }

    fn m_rber(&self, py: Python<'_>, cycles: f64, months: f64, temperature_c: f64) -> PyResult<f64> {
        bug::detached(py, || self.bench.m_rber(cycles, months, temperature_c))
    }

    fn rber_quantiles(
        &self,
        py: Python<'_>,
        cycles: f64,
        months: f64,
        temperature_c: f64,
        behind_steps: f64,
        quantiles: Vec<f64>,
    ) -> PyResult<Vec<f64>> {
        bug::detached(py, || {
            self.bench.rber_quantiles(cycles, months, temperature_c, behind_steps, &quantiles)
        })
    }

    fn vth(&self, cycles: f64, months: f64, temperature_c: f64) -> String {
        self.bench.vth(cycles, months, temperature_c).to_string()
    }

    fn formulas(&self, cycles: f64, months: f64, temperature_c: f64) -> (f64, f64) {
        self.bench.formulas(cycles, months, temperature_c)
    }
}
