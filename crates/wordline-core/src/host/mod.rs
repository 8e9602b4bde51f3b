//! The host: flows of requests, NVMe queues, arbitration.

mod request;

pub use request::{HostRequest, Op, SECTOR_BYTES};
