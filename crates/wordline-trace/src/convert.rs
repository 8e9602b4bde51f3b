//! From any trace to a file of another format: `wordline trace convert`.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use wordline_core::host::HostRequest;

use crate::error::TraceError;
use crate::formats::native::NativeWriter;
use crate::writers::{TextFormat, TextWriter, WriteError};

/// A format that can be written, by its name on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputFormat {
    /// `native`: everything, exactly, and compactly.
    Native,
    /// `csv`: everything, exactly, as `time_ns,op,sector,sectors` with R, W, T (trim) and F (flush). Read back without
    /// a description of its columns.
    Csv,
    /// `mqsim`: reads and writes, exactly. A trim or flush is [`TraceError::Unwritable`].
    Mqsim,
    /// `fio-iolog`: version 3; times are cut to whole us. All requests go to a file named `device`, which fio's
    /// `replay_redirect` replaces.
    FioIolog,
}

impl FromStr for OutputFormat {
    type Err = TraceError;

    fn from_str(name: &str) -> Result<Self, TraceError> {
        match name {
            "native" => Ok(Self::Native),
            "csv" => Ok(Self::Csv),
            "mqsim" => Ok(Self::Mqsim),
            "fio-iolog" => Ok(Self::FioIolog),
            _ => Err(TraceError::Option {
                option: format!("to={name}"),
                why: "traces are written as native, csv, mqsim or fio-iolog".to_owned(),
            }),
        }
    }
}

/// Writes `trace` to the file `path` and says how many requests there were. A name that ends in `.gz` or `.zst` is
/// compressed so. The file appears, or replaces one of that name, when it is complete: until then it is
/// `path` with `.partial` behind it, which an error removes.
///
/// # Errors
/// The first error of the trace; [`TraceError::Io`]; [`TraceError::Unwritable`].
pub fn convert(
    trace: impl IntoIterator<Item = Result<HostRequest, TraceError>>,
    path: impl AsRef<Path>,
    format: OutputFormat,
) -> Result<u64, TraceError> {
    let path = path.as_ref();
    let name = path.to_string_lossy().into_owned();
    let mut partial_name = path.as_os_str().to_owned();
    partial_name.push(".partial");
    let partial = PathBuf::from(partial_name);
    let written = write_file(trace, &partial, compression(path), &name, format).and_then(|requests| {
        std::fs::rename(&partial, path).map(|()| requests).map_err(|e| failed(&name, e))
    });
    if written.is_err() {
        // The error to report is the first one; a file that was never made cannot be removed.
        let _ = std::fs::remove_file(&partial);
    }
    written
}

/// An error in writing is never a truncated input: [`TraceError::from_io`] is for reading.
fn failed(name: &str, source: io::Error) -> TraceError {
    TraceError::Io { file: name.to_owned(), source }
}

fn write_file(
    trace: impl IntoIterator<Item = Result<HostRequest, TraceError>>,
    partial: &Path,
    compression: Compression,
    name: &str,
    format: OutputFormat,
) -> Result<u64, TraceError> {
    let file = BufWriter::with_capacity(1 << 17, File::create(partial).map_err(|e| failed(name, e))?);
    match compression {
        Compression::None => {
            let (_, requests) = write_to(trace, file, name, format)?;
            Ok(requests)
        }
        Compression::Gzip => {
            let encoder = flate2::write::GzEncoder::new(file, flate2::Compression::default());
            let (encoder, requests) = write_to(trace, encoder, name, format)?;
            encoder.finish().and_then(|mut file| file.flush()).map_err(|e| failed(name, e))?;
            Ok(requests)
        }
        Compression::Zstd => {
            const LEVEL: i32 = 3;
            let encoder = zstd::Encoder::new(file, LEVEL).map_err(|e| failed(name, e))?;
            let (encoder, requests) = write_to(trace, encoder, name, format)?;
            encoder.finish().and_then(|mut file| file.flush()).map_err(|e| failed(name, e))?;
            Ok(requests)
        }
    }
}

/// Writes `trace` to `out`, which errors call `name`; hands `out` back with the number of requests.
///
/// # Errors
/// As [`convert`].
pub fn write_to<W: Write>(
    trace: impl IntoIterator<Item = Result<HostRequest, TraceError>>,
    out: W,
    name: &str,
    format: OutputFormat,
) -> Result<(W, u64), TraceError> {
    let text = match format {
        OutputFormat::Native => {
            let mut writer = NativeWriter::new(out).map_err(|e| failed(name, e))?;
            let mut requests = 0;
            for request in trace {
                writer.write(&request?).map_err(|e| failed(name, e))?;
                requests += 1;
            }
            return Ok((writer.finish().map_err(|e| failed(name, e))?, requests));
        }
        OutputFormat::Csv => TextFormat::Csv,
        OutputFormat::Mqsim => TextFormat::Mqsim,
        OutputFormat::FioIolog => TextFormat::FioIolog,
    };
    let mut writer = TextWriter::new(text, out).map_err(|e| failed(name, e))?;
    let mut requests = 0;
    for request in trace {
        requests += 1;
        writer.write(&request?).map_err(|error| match error {
            WriteError::Io(source) => failed(name, source),
            WriteError::Unwritable(what) => {
                TraceError::Unwritable { file: name.to_owned(), index: requests, what: what.to_owned() }
            }
        })?;
    }
    Ok((writer.finish().map_err(|e| failed(name, e))?, requests))
}

#[derive(Clone, Copy)]
enum Compression {
    None,
    Gzip,
    Zstd,
}

fn compression(path: &Path) -> Compression {
    match path.extension().and_then(|e| e.to_str()) {
        Some("gz") => Compression::Gzip,
        Some("zst") => Compression::Zstd,
        _ => Compression::None,
    }
}
