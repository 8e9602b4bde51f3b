//! A survey of the device: the errors of first reads, AR2's fallbacks, and the predictions of RiF's predictor.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use wordline_cells::ecc::Accuracy;
use wordline_run::lab::survey;

use crate::bug;
use crate::config::Configuration;
use crate::errors;

/// Errors of the mean codeword in first reads of `pages` pages, `[(bits in 1 KiB, share)]`, and the share of pages that
/// fail.
#[pyfunction]
pub fn first_reads(py: Python<'_>, config: &Configuration, pages: u64) -> PyResult<(Vec<(f32, f64)>, f64)> {
    let found = bug::detached(py, || survey::first_reads(&config.resolved.config, pages))?;
    found.map(|found| (found.bins, found.failing_share)).map_err(errors::wrong_value)
}

/// The number of pages, of pages whose first read fails, and of those that fall back to the default tPRE or are lost.
#[pyfunction]
#[pyo3(signature = (config, pages))]
pub fn short_sense_fallbacks(
    py: Python<'_>,
    config: &Configuration,
    pages: Option<u64>,
) -> PyResult<(u64, u64, u64, u64)> {
    let found = bug::detached(py, || survey::short_sense_fallbacks(&config.resolved.config, pages))?;
    found.map(|found| (found.pages, found.retried, found.fallbacks, found.lost)).map_err(errors::wrong_value)
}

/// The accuracy of the predictor over a population of pages `[(errors per 1 KiB of the mean codeword, share)]`.
#[pyfunction]
pub fn predictor_accuracy<'py>(py: Python<'py>, population: Vec<(f32, f64)>) -> PyResult<Bound<'py, PyDict>> {
    shares(py, &survey::predictor_accuracy(&population).map_err(errors::wrong_value)?)
}

/// The accuracy of the predictor over first reads: with the randomizer, and without it.
#[pyfunction]
pub fn randomizer_effect<'py>(
    py: Python<'py>,
    config: &Configuration,
    pages: u64,
) -> PyResult<(Bound<'py, PyDict>, Bound<'py, PyDict>)> {
    let found = bug::detached(py, || survey::randomizer_effect(&config.resolved.config, pages))?;
    let (behind, without) = found.map_err(errors::wrong_value)?;
    Ok((shares(py, &behind)?, shares(py, &without)?))
}

fn shares<'py>(py: Python<'py>, accuracy: &Accuracy) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("accuracy", accuracy.accuracy())?;
    dict.set_item("balanced", accuracy.balanced())?;
    dict.set_item("true_retry", accuracy.true_retry)?;
    dict.set_item("false_retry", accuracy.false_retry)?;
    dict.set_item("missed_retry", accuracy.missed_retry)?;
    dict.set_item("true_pass", accuracy.true_pass)?;
    Ok(dict)
}
