//! Traces and generated requests without an SSD: statistics, and output to files.

use std::path::Path;
use std::sync::Arc;

use wordline_core::config::Config;
use wordline_trace::convert::{Existing, OutputFormat, check_target, convert};
use wordline_trace::stat::{StatCollector, TraceStat};
use wordline_trace::{StatOptions, TraceError, TraceRequest};

use crate::{Flow, FlowRequests, Gauge, Report, RunError, Trace};

/// Requests between two calls of `go_on`.
const REQUESTS_PER_CALL: u64 = 1 << 14;

type RequestIterator<'a> = Box<dyn Iterator<Item = Result<TraceRequest, TraceError>> + 'a>;

/// Statistics of a trace, and the notes of its reader.
///
/// # Errors
/// If the trace cannot be read, or `go_on` returned false.
pub fn stat(
    trace: &Trace,
    options: &StatOptions,
    go_on: &mut dyn FnMut(Report) -> bool,
) -> Result<(TraceStat, Vec<String>), TraceError> {
    let gauge: Arc<Gauge> = Arc::default();
    let mut collector = StatCollector::new(options)?;
    for item in Watched::new(trace.open(Arc::clone(&gauge))?, &gauge, go_on) {
        collector.add(&item?);
    }
    let measured = TraceStat { devices: gauge.devices(), ..collector.finish() };
    Ok((measured, gauge.warnings("trace")))
}

/// Writes the requests of a flow to a file: a trace as it is, others as they are made for a configuration's SSD. Returns their
/// number, and the notes of the trace's reader.
///
/// # Errors
/// If the trace cannot be read or the flow does not fit the SSD, the file cannot be written, or `go_on` returned false. No
/// partial file remains.
pub fn write_flow(
    flow: &Flow,
    config: &Config,
    path: &Path,
    to: OutputFormat,
    existing: Existing,
    go_on: &mut dyn FnMut(Report) -> bool,
) -> Result<(u64, Vec<String>), RunError> {
    let gauge: Arc<Gauge> = Arc::default();
    let requests: RequestIterator<'_> = match &flow.requests {
        FlowRequests::Trace(trace) => {
            check_target(path, &trace.paths, existing)?;
            let mut stream = trace.open(Arc::clone(&gauge))?;
            // The native format keeps everything; the others get the requests to the SSD.
            if to == OutputFormat::Native {
                Box::new(std::iter::from_fn(move || stream.next_request()))
            } else {
                Box::new(stream.map(|request| request.map(Into::into)))
            }
        }
        _ => {
            check_target(path, &[] as &[&str], existing)?;
            Box::new(flow.made_up(config)?.map(|request| Ok(request.into())))
        }
    };
    let count = convert(Watched::new(requests, &gauge, go_on), path, to, existing)?;
    Ok((count, gauge.warnings("trace")))
}

/// Requests that end early, with an error, if `go_on` returns false.
struct Watched<'a, I> {
    inner: I,
    gauge: &'a Gauge,
    go_on: &'a mut dyn FnMut(Report) -> bool,
    count: u64,
}

impl<'a, I> Watched<'a, I> {
    fn new(inner: I, gauge: &'a Gauge, go_on: &'a mut dyn FnMut(Report) -> bool) -> Self {
        Self { inner, gauge, go_on, count: 0 }
    }
}

impl<R, I: Iterator<Item = Result<R, TraceError>>> Iterator for Watched<'_, I> {
    type Item = Result<R, TraceError>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        self.count += 1;
        let (gauge, requests) = (self.gauge, self.count);
        if self.count.is_multiple_of(REQUESTS_PER_CALL)
            && !(self.go_on)(Report { fraction: gauge.fraction(), requests, simulated_ns: 0 })
        {
            // This error removes the partial file; the caller knows why it stopped.
            return Some(Err(TraceError::Option { option: "trace".to_owned(), why: "stopped".to_owned() }));
        }
        self.inner.next()
    }
}
