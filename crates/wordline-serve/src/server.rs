//! A server: what it opens, and how it begins and ends.

use std::io;

use wordline_core::{SimError, Ssd};

use crate::device::{Behaviour, Device};
use crate::listener::{Endpoint, Listener};
use crate::options::ServeOptions;
use crate::protocol::Export;
use crate::record::Record;
use crate::serving::Serving;
use crate::status::{SessionReport, Status};
use crate::store::Store;

/// Why a server cannot begin, or go on.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The SSD.
    #[error(transparent)]
    Sim(#[from] SimError),
    /// A file or socket.
    #[error("{what}: {error}")]
    Io {
        /// Which.
        what: String,
        /// What the system says.
        error: io::Error,
    },
}

impl ServeError {
    fn io(what: impl ToString) -> impl FnOnce(io::Error) -> ServeError {
        let what = what.to_string();
        move |error| ServeError::Io { what, error }
    }
}

/// A server that listens, and has not begun.
#[derive(Debug)]
pub struct Server {
    options: ServeOptions,
    listener: Listener,
    store: Store,
    record: Option<Record>,
    export: Export,
}

impl Server {
    /// Opens socket, store and record, for an SSD of so many bytes with pages of `page_bytes`.
    ///
    /// # Errors
    /// [`ServeError::Io`] for what cannot be opened, or is in use.
    pub fn new(options: ServeOptions, bytes: u64, page_bytes: u32) -> Result<Server, ServeError> {
        let store = match &options.store {
            None => Store::in_memory(page_bytes),
            Some(path) => Store::in_file(path, bytes, page_bytes, options.sync).map_err(|error| {
                let error = match error.kind() {
                    io::ErrorKind::WouldBlock => io::Error::other("another server uses this store"),
                    _ => error,
                };
                ServeError::io(path.display())(error)
            })?,
        };
        let record = match &options.record {
            None => None,
            Some(path) => Some(Record::new(path).map_err(ServeError::io(path.display()))?),
        };
        let what = match &options.address {
            Endpoint::Unix(path) => path.display().to_string(),
            Endpoint::Tcp(address) => address.to_string(),
        };
        let listener = Listener::bind(&options.address).map_err(ServeError::io(what))?;
        let export = Export {
            name: options.name.clone(),
            description: options.description.clone(),
            bytes,
            preferred_bytes: page_bytes,
        };
        Ok(Server { options, listener, store, record, export })
    }

    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> &Endpoint {
        self.listener.address()
    }

    /// Serves clients until `report`, which hears how it goes ten times a second, returns false, or until the last client
    /// has left, where that is asked for. Ends all requests, and the run.
    ///
    /// # Errors
    /// [`ServeError::Sim`] where the SSD cannot go on. What the store or the record had no room for is in the report.
    pub fn serve(
        self,
        ssd: &mut Ssd,
        report: &mut dyn FnMut(&Status) -> bool,
    ) -> Result<SessionReport, ServeError> {
        let Server { options, listener, store, record, export } = self;
        let behaviour =
            Behaviour { cut: options.power_cut, fails_uncorrectable: options.fails_uncorrectable };
        let device = Device::new(ssd, store, record, &behaviour)?;
        let mut serving = Serving::new(device, listener, export, options);
        let precise = Precise::new();
        let ended = serving.run(report);
        drop(precise);
        let finished = serving.finish();
        ended.and(finished)?;
        Ok(serving.session())
    }
}

/// Timers of this thread are precise while it lives; by default Linux lets them be 50 us late.
struct Precise(#[cfg(target_os = "linux")] Option<u64>);

impl Precise {
    #[cfg(target_os = "linux")]
    fn new() -> Precise {
        let usual = rustix::thread::current_timer_slack().ok();
        _ = rustix::thread::set_current_timer_slack(std::num::NonZeroU64::new(1));
        Precise(usual)
    }

    #[cfg(not(target_os = "linux"))]
    fn new() -> Precise {
        Precise()
    }
}

#[cfg(target_os = "linux")]
impl Drop for Precise {
    fn drop(&mut self) {
        if let Some(usual) = self.0 {
            _ = rustix::thread::set_current_timer_slack(std::num::NonZeroU64::new(usual));
        }
    }
}
