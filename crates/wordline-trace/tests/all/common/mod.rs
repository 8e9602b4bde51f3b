//! Traces in memory.

use std::io::Cursor;

use wordline_core::host::{HostRequest, Op};
use wordline_trace::{TraceError, TraceOptions};

/// The name under which errors know a trace in memory.
#[allow(dead_code, reason = "each test binary uses its own part")]
pub const NAME: &str = "memory.trace";

/// All requests of `bytes`.
pub fn read_with(options: &TraceOptions, bytes: impl Into<Vec<u8>>) -> Result<Vec<HostRequest>, TraceError> {
    options.read_from(NAME, Cursor::new(bytes.into()))?.collect()
}

/// All requests of `bytes`, with the default options.
#[allow(dead_code, reason = "each test binary uses its own part")]
pub fn read(bytes: impl Into<Vec<u8>>) -> Result<Vec<HostRequest>, TraceError> {
    read_with(&TraceOptions::new(), bytes)
}

/// A request in few letters.
#[allow(dead_code, reason = "each test binary uses its own part")]
pub fn request(arrival_ns: u64, op: Op, sector: u64, sectors: u32) -> HostRequest {
    HostRequest::new(arrival_ns, op, sector, sectors)
}
