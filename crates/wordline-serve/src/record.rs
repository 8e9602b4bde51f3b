//! The session as a native trace, which a run replays to the same results.

use std::fs::File;
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};

use wordline_core::engine::Ns;
use wordline_trace::formats::native::NativeWriter;
use wordline_trace::{Part, TraceRequest};

/// A trace being written; it takes its name when it is complete.
pub(crate) struct Record {
    /// None once it is complete.
    writer: Option<NativeWriter<BufWriter<File>>>,
    path: PathBuf,
    part: Part,
    /// Time that the SSD was off: a replay adds it to later arrivals by itself, ns.
    off: Ns,
}

impl std::fmt::Debug for Record {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Record").field("path", &self.path).finish_non_exhaustive()
    }
}

impl Record {
    /// Begins a trace, which must not exist.
    pub fn new(path: &Path) -> io::Result<Record> {
        if path.exists() {
            return Err(io::Error::new(
                io::ErrorKind::AlreadyExists,
                "a file is there already; name another one",
            ));
        }
        let part = Part::of(path);
        let writer = NativeWriter::new(BufWriter::new(part.create()?))?;
        Ok(Record { writer: Some(writer), path: path.to_owned(), part, off: 0 })
    }

    /// A request has arrived.
    pub fn add(&mut self, request: TraceRequest, at: Ns) -> io::Result<()> {
        let request = TraceRequest { arrival_ns: at - self.off, ..request };
        self.writer.as_mut().map_or(Ok(()), |writer| writer.write(request))
    }

    /// The SSD was off for so long.
    pub fn was_off(&mut self, time: Ns) {
        self.off += time;
    }

    /// Completes the trace. If a file has come to its path, that stays, and the trace lies beside it.
    pub fn finish(mut self) -> io::Result<()> {
        if let Some(writer) = self.writer.take() {
            writer.finish()?;
        }
        let place = self.part.complete_beside()?;
        if place == self.path {
            return Ok(());
        }
        let what = format!("a file has come there meanwhile; the record is in {}", place.display());
        Err(io::Error::new(io::ErrorKind::AlreadyExists, what))
    }
}
