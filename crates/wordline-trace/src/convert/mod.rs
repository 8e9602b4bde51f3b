//! Converts any trace to a file of another format: `wordline trace convert`.

mod target;

use std::io::{self, Write};
use std::path::Path;
use std::str::FromStr;

use crate::error::TraceError;
use crate::formats::native::NativeWriter;
use crate::formats::{CsvWriter, FioWriter, LineWriter, MqsimWriter, TextWriter, WriteError};
use crate::request::TraceRequest;
use target::Target;
pub use target::{Existing, check_target};

/// An output format, by its name on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputFormat {
    /// `native`: all data, exactly, in compact form.
    Native,
    /// `csv`: the requests to the SSD, exactly, as `time_ns,op,sector,sectors` with R, W, T (trim), F (flush) and C (close
    /// open groups). It can be read without a description of its columns.
    Csv,
    /// `mqsim`: reads and writes, exactly. Anything else is [`TraceError::Unwritable`].
    Mqsim,
    /// `fio-iolog`: version 3; times are cut to whole us. All requests go to a file named `device`, which fio's
    /// `replay_redirect` replaces. A request to close open groups is [`TraceError::Unwritable`].
    FioIolog,
}

impl OutputFormat {
    /// All output formats, in the order of lists for users.
    pub const ALL: [Self; 4] = [Self::Native, Self::Csv, Self::Mqsim, Self::FioIolog];

    /// The name on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Native => "native",
            Self::Csv => "csv",
            Self::Mqsim => "mqsim",
            Self::FioIolog => "fio-iolog",
        }
    }
}

impl FromStr for OutputFormat {
    type Err = TraceError;

    fn from_str(name: &str) -> Result<Self, TraceError> {
        Self::ALL.into_iter().find(|f| f.name() == name).ok_or_else(|| TraceError::Option {
            option: format!("to={name}"),
            why: format!("traces are written as {}", Self::ALL.map(Self::name).join(", ")),
        })
    }
}

/// Writes `trace` to the file `path` and returns the number of requests. A name that ends in `.gz` or `.zst` selects
/// compression; `-` is standard output. The file gets its name when it is complete; before that it has a temporary
/// name, and an error removes it. An existing file is replaced only if `existing` says so.
///
/// # Errors
/// The first error of the trace; [`TraceError::Target`]; [`TraceError::Io`]; [`TraceError::Unwritable`].
pub fn convert<R: Into<TraceRequest>>(
    trace: impl IntoIterator<Item = Result<R, TraceError>>,
    path: impl AsRef<Path>,
    format: OutputFormat,
    existing: Existing,
) -> Result<u64, TraceError> {
    let path = path.as_ref();
    let name = path.to_string_lossy().into_owned();
    let target = Target::create(path, existing)?;
    let file = io::BufWriter::with_capacity(1 << 17, target.file().map_err(|e| failed(&name, e))?);
    let requests = match path.extension().and_then(|e| e.to_str()) {
        Some("gz") => {
            let encoder = flate2::write::GzEncoder::new(file, flate2::Compression::default());
            let (encoder, requests) = write_to(trace, encoder, &name, format)?;
            encoder.finish().and_then(|mut file| file.flush()).map_err(|e| failed(&name, e))?;
            requests
        }
        Some("zst") => {
            const LEVEL: i32 = 3;
            let encoder = zstd::Encoder::new(file, LEVEL).map_err(|e| failed(&name, e))?;
            let (encoder, requests) = write_to(trace, encoder, &name, format)?;
            encoder.finish().and_then(|mut file| file.flush()).map_err(|e| failed(&name, e))?;
            requests
        }
        _ => write_to(trace, file, &name, format)?.1,
    };
    target.complete(existing)?;
    Ok(requests)
}

/// An error during writing is never a truncated input: [`TraceError::from_io`] is for reading.
fn failed(name: &str, source: io::Error) -> TraceError {
    TraceError::Io { file: name.to_owned(), source }
}

/// Writes `trace` to `out`, which errors call `name`; returns `out` and the number of requests. Text formats get the
/// requests to the SSD ([`TraceRequest::to_host`]); they have no line for a power cut.
///
/// # Errors
/// As [`convert`].
pub fn write_to<W: Write, R: Into<TraceRequest>>(
    trace: impl IntoIterator<Item = Result<R, TraceError>>,
    out: W,
    name: &str,
    format: OutputFormat,
) -> Result<(W, u64), TraceError> {
    match format {
        OutputFormat::Native => {
            let mut writer = NativeWriter::new(out).map_err(|e| failed(name, e))?;
            let mut requests = 0;
            for request in trace {
                writer.write(request?).map_err(|e| failed(name, e))?;
                requests += 1;
            }
            Ok((writer.finish().map_err(|e| failed(name, e))?, requests))
        }
        OutputFormat::Csv => write_lines::<CsvWriter, W, R>(trace, out, name),
        OutputFormat::Mqsim => write_lines::<MqsimWriter, W, R>(trace, out, name),
        OutputFormat::FioIolog => write_lines::<FioWriter, W, R>(trace, out, name),
    }
}

fn write_lines<L: LineWriter, W: Write, R: Into<TraceRequest>>(
    trace: impl IntoIterator<Item = Result<R, TraceError>>,
    out: W,
    name: &str,
) -> Result<(W, u64), TraceError> {
    let mut writer = TextWriter::<L, W>::new(out).map_err(|e| failed(name, e))?;
    let mut requests = 0;
    for request in trace {
        let request: TraceRequest = request?.into();
        let Some(request) = request.to_host() else { continue };
        requests += 1;
        writer.write(&request).map_err(|error| match error {
            WriteError::Io(source) => failed(name, source),
            WriteError::Unwritable(what) => {
                TraceError::Unwritable { file: name.to_owned(), index: requests, what: what.to_owned() }
            }
        })?;
    }
    Ok((writer.finish().map_err(|e| failed(name, e))?, requests))
}
