//! The ECC for Python: makes its tables and computes its curves.

use std::collections::BTreeMap;

use pyo3::prelude::*;
use pyo3::types::PyDict;
use wordline_cells::ecc::{BITS_PER_KIB, CAPABILITY_LEVEL};
use wordline_run::lab::ecc;

use crate::bug;
use crate::errors;
use crate::watch::Watch;

/// The tables as CSV: the decoder's, those of soft decisions by the number of further senses, and the predictor's.
#[pyfunction]
#[pyo3(signature = (*, seed=1, cores=1, quick=false, progress=None))]
pub fn make_ecc_tables(
    py: Python<'_>,
    seed: u64,
    cores: usize,
    quick: bool,
    progress: Option<Py<PyAny>>,
) -> PyResult<(String, BTreeMap<u8, String>, String)> {
    let mut watch = Watch::new(progress.as_ref());
    let made = bug::detached(py, || ecc::make_tables(seed, cores, quick, &mut |report| watch.go_on(report)))?;
    watch.end()?;
    let made = made.ok_or_else(|| errors::unexpected("the study was stopped, though nobody asked for it"))?;
    Ok((made.decoder, made.soft.into_iter().collect(), made.predictor))
}

/// The curves of a table by raw errors, each a list of numbers, and values that summarise the table. Without a table,
/// those of the code that comes with Wordline, of hard decisions or after further senses beside each reference.
#[pyfunction]
#[pyo3(signature = (csv=None, soft_senses=0))]
pub fn ecc_curves<'py>(py: Python<'py>, csv: Option<&str>, soft_senses: u8) -> PyResult<Bound<'py, PyDict>> {
    let curves = ecc::curves(csv, soft_senses).map_err(|why| errors::ecc_table(&why))?;
    let columns = PyDict::new(py);
    for (name, values) in curves.columns {
        columns.set_item(name, values)?;
    }
    let summary = PyDict::new(py);
    summary.set_item("capability_level", CAPABILITY_LEVEL)?;
    summary.set_item("capability_rber", curves.capability_rber)?;
    summary.set_item("capability_per_kib", curves.capability_rber * BITS_PER_KIB)?;
    if let Some(threshold) = curves.predictor_threshold {
        summary.set_item("predictor_threshold", threshold)?;
    }
    summary.set_item("chunks", curves.chunks)?;
    summary.set_item("miscorrected", curves.miscorrected)?;
    summary.set_item("curves", columns)?;
    Ok(summary)
}
