//! Columns of numbers, shown as NumPy arrays when Python asks for them.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyBytes;

/// A column, one number for each block. The array is read-only, of 64 bits whatever the number is: sums do not overflow.
pub struct Column {
    values: Arc<[i64]>,
    array: PyOnceLock<Py<PyAny>>,
}

impl Column {
    /// A column of these numbers.
    pub fn of(values: impl Iterator<Item = i64>) -> Column {
        Column { values: values.collect(), array: PyOnceLock::new() }
    }

    /// Its numbers.
    pub fn values(&self) -> Arc<[i64]> {
        Arc::clone(&self.values)
    }

    /// The array.
    pub fn array(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        static NUMPY: PyOnceLock<(Py<PyAny>, Py<PyAny>)> = PyOnceLock::new();
        let made = self.array.get_or_try_init(py, || {
            let (from_buffer, number) = NUMPY.get_or_try_init(py, || {
                let numpy = py.import("numpy")?;
                Ok::<_, PyErr>((
                    numpy.getattr("frombuffer")?.unbind(),
                    numpy.call_method1("dtype", ("<i8",))?.unbind(),
                ))
            })?;
            let length = 8 * self.values.len();
            let bytes = PyBytes::new_with(py, length, |bytes| {
                for (place, value) in bytes.chunks_exact_mut(8).zip(self.values.iter()) {
                    place.copy_from_slice(&value.to_le_bytes());
                }
                Ok(())
            })?;
            from_buffer.call1(py, (bytes, number))
        })?;
        Ok(made.clone_ref(py))
    }
}

/// A generator for one question: seeded by the run, the slot, and how often the policy was asked.
pub fn generator<'py>(py: Python<'py>, seed: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import("random")?.call_method1("Random", (seed,))
}
