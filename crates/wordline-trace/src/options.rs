//! How a trace is to be read.

use std::io::Read;
use std::path::Path;
use std::str::FromStr;

use crate::device::DeviceMode;
use crate::error::TraceError;
use crate::formats::Format;
use crate::formats::csv::CsvColumns;
use crate::order::TimeBack;
use crate::reader::TraceReader;

/// What becomes of a read, write or trim of no length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ZeroLength {
    /// [`TraceError::Malformed`]. On the command line `error`.
    Error,
    /// It is left out, and counted. On the command line `skip`.
    Skip,
}

impl FromStr for ZeroLength {
    type Err = TraceError;

    fn from_str(text: &str) -> Result<Self, TraceError> {
        match text {
            "error" => Ok(Self::Error),
            "skip" => Ok(Self::Skip),
            _ => Err(TraceError::Option {
                option: format!("zero-length={text}"),
                why: "error or skip".to_owned(),
            }),
        }
    }
}

/// A builder for [`TraceReader`], in the manner of [`std::fs::OpenOptions`].
///
/// By default the format is detected, all devices are merged, the first request arrives at 0, and order and zero
/// lengths are handled as fits the format ([`Format::default_time_back`], [`Format::default_zero_length`]).
#[derive(Clone, Debug, Default)]
pub struct TraceOptions {
    pub(crate) format: Option<Format>,
    pub(crate) csv_columns: Option<CsvColumns>,
    pub(crate) device: DeviceMode,
    pub(crate) time_back: Option<TimeBack>,
    pub(crate) zero_length: Option<ZeroLength>,
    pub(crate) keep_time: bool,
    pub(crate) skip: u64,
    pub(crate) limit: Option<u64>,
    pub(crate) own_thread: bool,
}

impl TraceOptions {
    /// The defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// The format, instead of detecting it.
    pub fn format(&mut self, format: Format) -> &mut Self {
        self.format = Some(format);
        self
    }

    /// The columns of a CSV; sets the format to [`Format::Csv`].
    pub fn csv_columns(&mut self, columns: CsvColumns) -> &mut Self {
        self.csv_columns = Some(columns);
        self.format(Format::Csv)
    }

    /// What becomes of the device column.
    pub fn device(&mut self, mode: DeviceMode) -> &mut Self {
        self.device = mode;
        self
    }

    /// What becomes of timestamps that go back.
    pub fn on_time_back(&mut self, policy: TimeBack) -> &mut Self {
        self.time_back = Some(policy);
        self
    }

    /// What becomes of requests of no length.
    pub fn on_zero_length(&mut self, policy: ZeroLength) -> &mut Self {
        self.zero_length = Some(policy);
        self
    }

    /// Keeps the trace's own zero of time, instead of letting the first request handed out arrive at 0.
    pub fn keep_time(&mut self, keep: bool) -> &mut Self {
        self.keep_time = keep;
        self
    }

    /// Leaves out so many requests at the start, after devices have been chosen.
    pub fn skip(&mut self, requests: u64) -> &mut Self {
        self.skip = requests;
        self
    }

    /// Ends after so many requests, at least 1.
    pub fn limit(&mut self, requests: u64) -> &mut Self {
        self.limit = Some(requests);
        self
    }

    /// Reads, decompresses and parses on a thread of its own. What comes out is the same.
    pub fn own_thread(&mut self, own: bool) -> &mut Self {
        self.own_thread = own;
        self
    }

    /// Opens one file; `-` is standard input.
    ///
    /// # Errors
    /// [`TraceError::NotFound`], [`TraceError::Io`], [`TraceError::Empty`], [`TraceError::UnknownFormat`],
    /// [`TraceError::Truncated`] and [`TraceError::Option`]; what is wrong further on comes with the requests.
    pub fn open(&self, path: impl AsRef<Path>) -> Result<TraceReader, TraceError> {
        self.open_all([path])
    }

    /// Opens files that are pieces of one trace, in this order: they have one format and one clock, which goes on
    /// from file to file (hourly files of `systor17`, for example).
    ///
    /// # Errors
    /// As [`open`](Self::open); for files after the first, with the requests.
    pub fn open_all<P: AsRef<Path>>(
        &self,
        paths: impl IntoIterator<Item = P>,
    ) -> Result<TraceReader, TraceError> {
        self.check()?;
        TraceReader::open(self, paths.into_iter().map(|p| p.as_ref().to_owned()).collect())
    }

    /// Reads bytes from anywhere, compressed or not; errors call them `name`.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn read_from(
        &self,
        name: &str,
        bytes: impl Read + Send + 'static,
    ) -> Result<TraceReader, TraceError> {
        self.check()?;
        TraceReader::from_bytes(self, name, Box::new(bytes))
    }

    fn check(&self) -> Result<(), TraceError> {
        let wrong =
            |option: &str, why: &str| Err(TraceError::Option { option: option.into(), why: why.into() });
        if self.limit == Some(0) {
            return wrong("limit=0", "a trace of no requests; use 1 or more");
        }
        match (self.format, &self.csv_columns) {
            (Some(Format::Csv) | None, _) | (_, None) => Ok(()),
            (Some(_), Some(_)) => wrong("format", "a description of CSV columns goes with format=csv alone"),
        }
    }
}
