//! What a user asks of a server.

use std::path::PathBuf;
use std::time::Duration;

use wordline_core::engine::Ns;

use crate::clock::Pace;
use crate::listener::Endpoint;
use crate::store::Sync;

/// How to serve.
#[derive(Clone, Debug)]
pub struct ServeOptions {
    /// Where clients connect.
    pub address: Endpoint,
    /// Name of the device.
    pub name: String,
    /// One line about the device.
    pub description: String,
    /// How simulated time goes.
    pub pace: Pace,
    /// Where to write the session as a native trace.
    pub record: Option<PathBuf>,
    /// Where the data are kept; in memory without.
    pub store: Option<PathBuf>,
    /// When that file is synced.
    pub sync: Sync,
    /// End when the last client that asked for something has left, and none comes in the half second after it.
    pub once: bool,
    /// Clients at a time.
    pub clients_max: usize,
    /// How long a client may stop inside a request, or take nothing of an answer, before it is left.
    pub patience: Duration,
    /// Simulated time of a power cut, and how long the SSD is off then, ns.
    pub power_cut: Option<(Ns, Ns)>,
    /// Reads of pages that cannot be decoded fail.
    pub fails_uncorrectable: bool,
}
