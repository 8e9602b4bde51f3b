//! A server: the SSD of a [`Simulation`] as a block device for other programs.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use wordline_serve::store::Sync;
use wordline_serve::{Endpoint, Pace, ServeError, ServeOptions, Server as Serving, Status};

use crate::config::Configuration;
use crate::errors;
use crate::simulation::Simulation;

/// How long a client may keep the server waiting.
const PATIENCE: Duration = Duration::from_secs(60);

/// A listening socket, with its store and record.
#[pyclass(frozen, module = "wordline._core")]
pub struct Server {
    serving: Mutex<Option<Serving>>,
    address: String,
}

#[pymethods]
impl Server {
    /// Opens socket, store and record.
    #[new]
    #[pyo3(signature = (config, *, socket=None, listen=None, name="wordline".to_owned(), description=String::new(),
                        slow_down=None, record=None, store=None, sync_at_flush=true, once=false, clients_max=16,
                        fails_uncorrectable=false))]
    #[expect(clippy::too_many_arguments, reason = "keywords of a Python constructor")]
    fn new(
        config: PyRef<'_, Configuration>,
        socket: Option<PathBuf>,
        listen: Option<&str>,
        name: String,
        description: String,
        slow_down: Option<f64>,
        record: Option<PathBuf>,
        store: Option<PathBuf>,
        sync_at_flush: bool,
        once: bool,
        clients_max: usize,
        fails_uncorrectable: bool,
    ) -> PyResult<Self> {
        let config = &config.resolved.config;
        let address = match (socket, listen) {
            (Some(path), None) => Endpoint::Unix(path),
            (None, Some(listen)) => Endpoint::Tcp(tcp(listen)?),
            _ => return Err(errors::serve("a server has a socket or an address to listen at, and not both")),
        };
        let pace = match slow_down {
            None => Pace::Auto,
            Some(0.0) => Pace::Virtual,
            Some(slow_down) if slow_down > 0.0 && slow_down.is_finite() => Pace::SlowDown(slow_down),
            Some(slow_down) => {
                return Err(errors::serve(&format!("slow_down = {slow_down}: give 0 or a number above it")));
            }
        };
        let (cut_at_s, off_h) = (config.power.cut_at_s, config.power.off_h);
        let power_cut = (cut_at_s > 0.0).then_some(((cut_at_s * 1e9) as u64, (off_h * 3600e9) as u64));
        let options = ServeOptions {
            address,
            name,
            description,
            pace,
            record,
            store,
            sync: if sync_at_flush { Sync::AtFlush } else { Sync::AtEnd },
            once,
            clients_max,
            patience: PATIENCE,
            power_cut,
            fails_uncorrectable,
        };
        let bytes = config.host_sectors() * wordline_core::host::SECTOR_BYTES;
        let serving = Serving::new(options, bytes, config.unit_bytes()).map_err(|error| raised(&error))?;
        let address = serving.address().to_string();
        Ok(Self { serving: Mutex::new(Some(serving)), address })
    }

    /// The address at which it listens, as a URI.
    fn address(&self) -> &str {
        &self.address
    }

    /// Serves clients with the SSD of a simulation; returns a summary of the session, as JSON.
    #[pyo3(signature = (simulation, report=None))]
    fn serve(
        &self,
        py: Python<'_>,
        simulation: PyRef<'_, Simulation>,
        report: Option<Py<PyAny>>,
    ) -> PyResult<String> {
        let serving = self.serving.lock().unwrap_or_else(PoisonError::into_inner).take();
        let serving = serving.ok_or_else(|| errors::serve("a server serves once"))?;
        let mut failure = None;
        let (simulation, blame) = (&*simulation, simulation.blame());
        let result = blame.detached(py, || {
            let mut run = simulation.lock();
            serving.serve(run.ssd_mut(), &mut |status| match Python::attach(|py| {
                tell(py, report.as_ref(), status)
            }) {
                Ok(goes_on) => goes_on && !blame.failure().is_there(),
                Err(error) => {
                    failure = Some(error);
                    false
                }
            })
        })?;
        // Ctrl-C is the usual end of a session, not an error.
        if let Some(failure) = failure.filter(|error| !error.is_instance_of::<PyKeyboardInterrupt>(py)) {
            return Err(failure);
        }
        let session = result.map_err(|error| match error {
            ServeError::Sim(error) => blame.simulation(&error),
            ServeError::Io { .. } => errors::serve(&error.to_string()),
        })?;
        serde_json::to_string(&session).map_err(errors::unexpected)
    }
}

fn raised(error: &ServeError) -> PyErr {
    match error {
        ServeError::Sim(error) => errors::simulation(error),
        ServeError::Io { .. } => errors::serve(&error.to_string()),
    }
}

/// A port of this machine by its usual name, or any address in numbers. Other names are not looked up: what they stand for
/// may be another machine.
fn tcp(listen: &str) -> PyResult<SocketAddr> {
    let port = listen.strip_prefix("localhost:");
    port.map_or_else(|| listen.to_owned(), |port| format!("127.0.0.1:{port}"))
        .parse()
        .map_err(|_| errors::serve(&format!("{listen}: not an address; write one such as 127.0.0.1:10809")))
}

/// Checks for signals, and reports the status to Python; returns false if Python wants to end.
fn tell(py: Python<'_>, report: Option<&Py<PyAny>>, status: &Status) -> PyResult<bool> {
    py.check_signals()?;
    let Some(report) = report else { return Ok(true) };
    let said = PyDict::new(py);
    said.set_item("clients", status.clients)?;
    said.set_item("requests", status.requests)?;
    said.set_item("queue", status.queue)?;
    said.set_item("simulated_s", status.simulated_ns as f64 / 1e9)?;
    said.set_item("wall_iops", status.wall_iops)?;
    said.set_item("iops", status.iops)?;
    said.set_item("p99_us", status.p99_us)?;
    said.set_item("write_amplification", status.write_amplification)?;
    said.set_item("gc_jobs", status.gc_jobs)?;
    said.set_item("erases", status.erases)?;
    said.set_item("slow_down", status.slow_down)?;
    said.set_item("late_share", status.late_share)?;
    report.call1(py, (said,))?.is_truthy(py)
}
