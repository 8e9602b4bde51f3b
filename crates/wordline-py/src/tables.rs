//! Columns for Python: bytes, which pyarrow wraps without a copy per value.

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use wordline_run::tables::Column;

/// A dict of name to `(Arrow type, bytes, words)`.
pub fn to_python<'py>(py: Python<'py>, columns: &[Column]) -> PyResult<Bound<'py, PyDict>> {
    let table = PyDict::new(py);
    for column in columns {
        table.set_item(&column.name, (column.kind, PyBytes::new(py, &column.bytes), &column.words))?;
    }
    Ok(table)
}
