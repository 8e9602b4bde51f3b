//! What a reader of traces promises, whatever the bytes.

use std::io::Cursor;

use wordline_trace::{Format, TraceOptions};

/// Requests that are looked at: a few bytes, compressed, may stand for very many.
const REQUESTS_MAX: usize = 100_000;

/// Reads a trace until its end or an error.
pub fn read_trace(format: Option<Format>, bytes: &[u8]) {
    let mut options = TraceOptions::new();
    options.own_thread(false);
    if let Some(format) = format {
        options.format(format);
    }
    let Ok(reader) = options.read_from("fuzz", Cursor::new(bytes.to_vec())) else { return };
    let mut before = 0;
    for request in reader.take(REQUESTS_MAX) {
        let Ok(request) = request else { return };
        assert!(before <= request.arrival_ns, "requests come in the order of time");
        before = request.arrival_ns;
        assert_eq!(request.sectors > 0, request.op.has_address(), "only what has no address has no sectors");
        assert!(request.sector.checked_add(request.sectors.into()).is_some(), "addresses end below 2^64");
    }
}
