//! What Python computes intervals with, see `wordline_run::statistics`.

use pyo3::prelude::*;
use wordline_run::statistics;

/// Sums of values times a cosine and a sine of one, two, … periods; `places` are from 0 to 1.
#[pyfunction]
pub fn waves(values: Vec<f64>, places: Vec<f64>, frequencies: usize) -> Vec<f64> {
    statistics::waves(&values, &places, frequencies)
}

/// Returns the value below which a share of the standard normal distribution lies, from 0.5 to less than 1.
#[pyfunction]
pub fn normal_quantile(probability: f64) -> f64 {
    statistics::normal_quantile(probability)
}

/// Returns the value below which a share of Student's t distribution lies, from 0.5 to less than 1.
#[pyfunction]
pub fn student_quantile(probability: f64, freedom: u32) -> f64 {
    statistics::student_quantile(probability, freedom)
}

/// Returns limits of a binomial count that hold with a probability of at least `level`, with equal tails.
#[pyfunction]
pub fn binomial_limits(trials: f64, share: f64, level: f64) -> (i64, i64) {
    statistics::binomial_limits(trials, share, level)
}
