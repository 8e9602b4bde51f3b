//! The only mapping from Rust errors to the exceptions of `wordline.errors`.

use pyo3::exceptions::{PyBrokenPipeError, PyRuntimeError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use wordline_core::SimError;
use wordline_core::config::{ConfigError, ConfigErrorKind};
use wordline_run::{RunError, WrongValue, is_storage_full};
use wordline_trace::TraceError;
use wordline_trace::synthetic::SyntheticError;

/// The parts of an exception: its class in `wordline.errors`, its message in one line, and its attributes.
struct Report<'a> {
    class: &'static str,
    message: String,
    file: Option<&'a str>,
    line: u64,
    key: Option<&'a str>,
}

impl<'a> Report<'a> {
    fn new(class: &'static str, message: impl ToString) -> Self {
        Self { class, message: message.to_string(), file: None, line: 0, key: None }
    }

    fn at(mut self, file: &'a str, line: u64) -> Self {
        self.file = Some(file);
        self.line = line;
        self
    }

    fn raise(self) -> PyErr {
        Python::attach(|py| self.build(py).unwrap_or_else(|error| error))
    }

    fn build(&self, py: Python<'_>) -> PyResult<PyErr> {
        let fields = PyDict::new(py);
        fields.set_item("file", self.file)?;
        fields.set_item("line", (self.line > 0).then_some(self.line))?;
        fields.set_item("key", self.key.filter(|key| !key.is_empty()))?;
        let class = py.import("wordline.errors")?.getattr(self.class)?;
        Ok(PyErr::from_value(class.call((&self.message,), Some(&fields))?))
    }
}

/// A mistake in a configuration.
pub fn config(error: &ConfigError) -> PyErr {
    let class = match error.kind {
        ConfigErrorKind::Syntax => "SyntaxError_",
        ConfigErrorKind::UnknownKey => "UnknownKeyError",
        ConfigErrorKind::WrongValue => "WrongValueError",
        ConfigErrorKind::OutOfRange => "OutOfRangeError",
    };
    let message = one_line(&error.to_string());
    Report { key: Some(&error.key), ..Report::new(class, message) }
        .at(&error.source, error.line as u64)
        .raise()
}

/// An unknown value.
pub fn wrong_value(error: WrongValue) -> PyErr {
    Report::new("WrongValueError", error).raise()
}

/// A mistake in a trace, or in its read options.
pub fn trace(error: &TraceError) -> PyErr {
    let report = |class| Report::new(class, one_line(&error.to_string()));
    match error {
        TraceError::NotFound { file } => report("TraceNotFoundError").at(file, 0),
        TraceError::Malformed { file, line, .. } => report("MalformedTraceError").at(file, *line),
        TraceError::Empty { file, .. } => report("EmptyTraceError").at(file, 0),
        TraceError::TimeGoesBack { file, line, .. } => report("TimeGoesBackError").at(file, *line),
        TraceError::OutOfRange { file, line, .. } => report("TraceOutOfRangeError").at(file, *line),
        TraceError::UnknownFormat { file, .. } | TraceError::Foreign { file, .. } => {
            report("UnknownFormatError").at(file, 0)
        }
        TraceError::Truncated { file, .. } => report("TruncatedTraceError").at(file, 0),
        TraceError::Option { .. } => report("TraceOptionError"),
        TraceError::Unwritable { file, .. } => report("TraceUnwritableError").at(file, 0),
        TraceError::Target { file, .. } => report("TraceTargetError").at(file, 0),
        TraceError::Io { source, .. } if source.kind() == std::io::ErrorKind::BrokenPipe => {
            return PyBrokenPipeError::new_err(error.to_string());
        }
        TraceError::Io { file, source } if is_storage_full(source) => report("StorageFullError").at(file, 0),
        TraceError::Io { file, .. } => report("TraceIoError").at(file, 0),
        _ => report("TraceError"),
    }
    .raise()
}

/// A mistake in a synthetic workload.
pub fn synthetic(error: &SyntheticError) -> PyErr {
    match error {
        SyntheticError::Range { key, .. } => {
            let key = format!("workload.{key}");
            Report { key: Some(&key), ..Report::new("WorkloadError", error) }.raise()
        }
        SyntheticError::Preset { file, line, .. } => {
            Report::new("WorkloadError", error).at(file, *line as u64).raise()
        }
        SyntheticError::CapacityTooSmall { .. } => Report::new("WorkloadError", error).raise(),
    }
}

/// A workload that cannot be run with these settings.
pub fn workload(message: &str) -> PyErr {
    Report::new("WorkloadError", message).raise()
}

/// A server that cannot be opened, or a file that it cannot write.
pub fn serve(message: &str) -> PyErr {
    Report::new("ServeError", message).raise()
}

/// A file that is not a table of the decoder.
pub fn ecc_table(message: &str) -> PyErr {
    Report::new("EccTableError", message).raise()
}

/// An error that prevents or ends a run.
pub fn run(error: &RunError) -> PyErr {
    match error {
        RunError::Trace(error) => trace(error),
        RunError::Synthetic(error) => synthetic(error),
        RunError::Workload(message) => workload(message),
        RunError::State { file, .. } => Report::new("StateError", error).at(file, 0).raise(),
        RunError::StorageFull { file, .. } => Report::new("StorageFullError", error).at(file, 0).raise(),
        RunError::Simulation(error) => simulation(error),
    }
}

/// An error that ends a simulation.
pub fn simulation(error: &SimError) -> PyErr {
    match error {
        SimError::OutOfSpace(_) => Report::new("OutOfSpaceError", error).raise(),
        SimError::Stuck(_) => Report::new("StuckError", error).raise(),
        SimError::Request(_) => Report::new("RequestError", error).raise(),
        SimError::TooLate(_) => Report::new("TimeLimitError", error).raise(),
        SimError::Check(_) => Report::new("CheckError", error).raise(),
        SimError::Workload(source) => {
            if let Some(error) = source.downcast_ref::<TraceError>() {
                trace(error)
            } else if let Some(error) = source.downcast_ref::<SyntheticError>() {
                synthetic(error)
            } else {
                Report::new("WorkloadError", error).raise()
            }
        }
        SimError::Stopped => PyRuntimeError::new_err("the run was stopped, though nobody asked for it"),
    }
}

/// A request that makes no sense.
pub fn request(what: &str) -> PyErr {
    Report::new("RequestError", what).raise()
}

/// A panic.
pub fn bug(said: &str) -> PyErr {
    let message =
        format!("this is a fault of Wordline: {}; please report it with what you ran", one_line(said));
    Report::new("BugError", message).raise()
}

/// A run that came to a contradiction behind a state that it had loaded.
pub fn changed_state(state: &str, said: &str) -> PyErr {
    let message = format!(
        "{state}: its numbers contradict each other ({}): it was changed after it was saved; save it anew, or delete it if it is in \
         Wordline's cache. If nobody changed it, please report it with this file",
        one_line(said)
    );
    Report::new("StateError", message).at(state, 0).raise()
}

/// An unexpected error that is not the user's mistake.
pub fn unexpected(error: impl ToString) -> PyErr {
    PyRuntimeError::new_err(error.to_string())
}

/// TOML's own messages may span lines.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
