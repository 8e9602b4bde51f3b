//! A simulated SSD behind a socket: fio, file systems and databases use it as a block device, over NBD.
//!
//! ```text
//! socket ─bytes→ protocol ─NbdRequest→ device ─HostRequest→ Ssd
//! socket ←bytes─ protocol ←─Answer── device ←──Notice──── Ssd
//!                                      └ store: the data   └ clock: when
//! ```
//!
//! Each part knows nothing of the others: `protocol/` turns bytes into requests and answers into bytes, and does no
//! I/O; `store/` keeps the data, and knows which of them a power cut loses; `clock.rs` relates wall time and
//! simulated time; `device.rs` asks the SSD and keeps the store in step with it; `serving.rs` is the loop, on one
//! thread, that owns them all; `queue.rs` lets clients have their turns.

#![cfg(unix)]

mod clock;
mod connection;
mod device;
mod lateness;
mod listener;
mod options;
pub mod protocol;
mod queue;
mod record;
mod server;
mod serving;
mod status;
pub mod store;

pub use clock::Pace;
pub use listener::Endpoint;
pub use options::ServeOptions;
pub use server::{ServeError, Server};
pub use status::{SessionReport, Status};
