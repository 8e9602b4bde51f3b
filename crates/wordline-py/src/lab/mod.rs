//! A chip lab: blocks and pages of one kind of chip under test, as classes of Python.

mod erase;
mod program;
mod read;

pub use erase::EraseBench;
pub use program::{ProgramBench, normal_density};
pub use read::ReadBench;

use pyo3::prelude::*;
use serde_json::Value;
use wordline_core::config::Config;
use wordline_run::WrongValue;

use crate::config::Configuration;
use crate::errors;

/// A `wordline.Config`.
#[derive(FromPyObject)]
pub struct Setup {
    core: Py<Configuration>,
}

impl Setup {
    fn config(&self) -> &Config {
        &self.core.get().resolved.config
    }
}

/// A JSON document as Python's own objects.
fn to_python<'py>(py: Python<'py>, document: &Value) -> PyResult<Bound<'py, PyAny>> {
    py.import("json")?.call_method1("loads", (document.to_string(),))
}

fn wrong(message: impl Into<String>) -> PyErr {
    errors::wrong_value(WrongValue(message.into()))
}

/// One value of each row.
fn column<T, V: Into<Value>>(rows: &[T], of: impl Fn(&T) -> V) -> Value {
    Value::Array(rows.iter().map(|row| of(row).into()).collect())
}
