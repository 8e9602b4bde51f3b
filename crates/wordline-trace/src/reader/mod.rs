//! The stream of requests behind every trace format.
//!
//! The pipeline opens, decompresses and parses files and returns batches. It runs on the reader's thread or on a
//! separate one: the batches are the same.

mod batch;
mod open;
mod pipeline;

use wordline_core::host::HostRequest;

use crate::bytes::Bytes;
use crate::error::TraceError;
use crate::formats::Format;
use crate::formats::options::TraceOptions;
use crate::request::TraceRequest;
use batch::{Batch, Batches};
use pipeline::Pipeline;
pub use pipeline::ReadNotes;

use std::collections::VecDeque;
use std::path::PathBuf;

/// A trace as an iterator over its requests, made by [`TraceOptions`].
///
/// Arrival times never go back. The first error is the last item.
pub struct TraceReader {
    format: Format,
    batches: Batches,
    batch: Batch,
    next: usize,
    /// The files opened so far, by name.
    files: Vec<String>,
    place: (u32, u64),
    power_cuts: u64,
}

impl TraceReader {
    pub(crate) fn open(options: &TraceOptions, paths: VecDeque<PathBuf>) -> Result<Self, TraceError> {
        Self::new(Pipeline::open(options, paths)?, options.own_thread)
    }

    pub(crate) fn from_bytes(options: &TraceOptions, name: &str, bytes: Bytes) -> Result<Self, TraceError> {
        Self::new(Pipeline::from_bytes(options, name, bytes)?, options.own_thread)
    }

    fn new(pipeline: Pipeline, own_thread: bool) -> Result<Self, TraceError> {
        Ok(Self {
            format: pipeline.format(),
            files: vec![pipeline.current_file().to_owned()],
            batches: Batches::new(pipeline, own_thread)?,
            batch: Batch::default(),
            next: 0,
            place: (0, 0),
            power_cuts: 0,
        })
    }

    /// The format, given or detected.
    pub fn format(&self) -> Format {
        self.format
    }

    /// The file of the last returned request.
    pub fn file(&self) -> &str {
        &self.files[self.place.0 as usize]
    }

    /// The line, from 1, of the last returned request; in a `native` file its record. 0 before the first.
    pub fn line(&self) -> u64 {
        self.place.1
    }

    /// What was left out or changed so far. Files are read ahead: before the end of the trace, this may cover more than
    /// the returned requests.
    pub fn notes(&self) -> ReadNotes {
        ReadNotes { power_cuts: self.power_cuts, ..self.batch.notes }
    }

    /// The next request with everything that the trace says about it. The iterator returns the requests to the SSD.
    #[inline]
    pub fn next_request(&mut self) -> Option<Result<TraceRequest, TraceError>> {
        loop {
            if let Some(placed) = self.batch.placed.get(self.next) {
                self.next += 1;
                self.place = (placed.file, placed.line);
                return Some(Ok(placed.request));
            }
            if self.batch.is_last {
                return self.batch.error.take().map(Err);
            }
            self.next = 0;
            self.batches.next(&mut self.batch);
            self.files.append(&mut self.batch.opened);
        }
    }

    /// Appends up to `max` requests to `out` and returns how many; 0 means the end of the trace.
    ///
    /// # Errors
    /// The first error; the requests before it are in `out`.
    pub fn fill(&mut self, out: &mut Vec<HostRequest>, max: usize) -> Result<usize, TraceError> {
        let before = out.len();
        while out.len() - before < max {
            let Some(request) = self.next() else { break };
            out.push(request?);
        }
        Ok(out.len() - before)
    }
}

impl Iterator for TraceReader {
    type Item = Result<HostRequest, TraceError>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let request = match self.next_request()? {
                Ok(request) => request,
                Err(error) => return Some(Err(error)),
            };
            if let Some(request) = request.to_host() {
                return Some(Ok(request));
            }
            self.power_cuts += 1;
        }
    }
}

impl std::fmt::Debug for TraceReader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (file, line) = &self.place;
        f.debug_struct("TraceReader")
            .field("file", file)
            .field("line", line)
            .field("format", &self.format)
            .finish()
    }
}
