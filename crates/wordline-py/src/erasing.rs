//! A chip lab for erases.

use pyo3::prelude::*;
use wordline_core::policy::erase::ept::shallow_flags_bytes;
use wordline_run::lab;

use crate::config::Configuration;
use crate::errors;

/// Blocks of a kind of chip under test; tables and documents are JSON.
#[pyclass(frozen, module = "wordline._core")]
pub struct EraseBench {
    bench: lab::EraseBench,
}

#[pymethods]
impl EraseBench {
    #[new]
    #[pyo3(signature = (config, *, blocks, errors_of=None))]
    fn new(config: &Configuration, blocks: u32, errors_of: Option<&Configuration>) -> PyResult<Self> {
        let lender = errors_of.map(|other| &other.resolved.config);
        let bench = lab::EraseBench::new(&config.resolved.config, blocks, lender);
        bench.map(|bench| Self { bench }).map_err(errors::wrong_value)
    }

    fn latencies(&self, pecs: Vec<f64>, blocks: u32) -> String {
        self.bench.latencies(&pecs, blocks).to_string()
    }

    fn fail_bits(&self) -> String {
        self.bench.fail_bits().to_string()
    }

    fn ranges(&self) -> String {
        self.bench.ranges().to_string()
    }

    fn shallow(&self, pecs: Vec<f64>, shallow_pulses: Vec<u8>, blocks: u32) -> String {
        self.bench.shallow(&pecs, &shallow_pulses, blocks).to_string()
    }

    fn margins(&self) -> String {
        self.bench.margins().to_string()
    }

    fn table(&self) -> String {
        self.bench.table().to_string()
    }

    #[staticmethod]
    fn flags_bytes(capacity_bytes: u64, block_bytes: u64) -> u64 {
        shallow_flags_bytes(capacity_bytes, block_bytes)
    }

    fn erases(&self, scheme: &str, pecs: Vec<u32>) -> PyResult<String> {
        json(self.bench.erases(scheme, &pecs))
    }

    fn erases_after_ispe(&self, scheme: &str, pecs: Vec<u32>, blocks: u32) -> PyResult<String> {
        json(self.bench.erases_after_ispe(scheme, &pecs, blocks))
    }

    fn lifetime(&self, scheme: &str) -> PyResult<String> {
        json(self.bench.lifetime(scheme))
    }

    fn m_rber_in_pieces(&self, pec: u32, short_pulses: u8) -> f64 {
        self.bench.m_rber_in_pieces(pec, short_pulses)
    }

    fn program_stress(&self) -> f64 {
        self.bench.program_stress()
    }

    fn steps(&self, hardness: f64) -> String {
        self.bench.steps(hardness).to_string()
    }
}

fn json(found: Result<serde_json::Value, wordline_run::WrongValue>) -> PyResult<String> {
    found.map(|found| found.to_string()).map_err(errors::wrong_value)
}
