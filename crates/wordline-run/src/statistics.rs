//! What the intervals of a result are computed with, to the same bits on every machine: Python's own exponential and
//! trigonometric functions differ between platforms in their last digits.

mod distributions;
mod waves;

pub use distributions::{binomial_limits, normal_quantile, student_quantile};
pub use waves::waves;
