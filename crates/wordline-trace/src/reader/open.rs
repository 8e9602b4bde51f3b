//! How a reader is opened: the ends of the builder [`TraceOptions`], which the formats know and which knows no reader.

use std::io::Read;
use std::path::Path;

use super::TraceReader;
use crate::error::TraceError;
use crate::formats::options::TraceOptions;

impl TraceOptions {
    /// Opens one file; `-` is standard input.
    ///
    /// # Errors
    /// [`TraceError::NotFound`], [`TraceError::Io`], [`TraceError::Empty`], [`TraceError::UnknownFormat`],
    /// [`TraceError::Truncated`] and [`TraceError::Option`]; later errors come with the requests.
    pub fn open(&self, path: impl AsRef<Path>) -> Result<TraceReader, TraceError> {
        self.open_all([path])
    }

    /// Opens files that are pieces of one trace, in this order. They have one format and one clock, which continues
    /// from file to file (hourly files of `systor17`, for example).
    ///
    /// # Errors
    /// See [`open`](Self::open); for files after the first, with the requests.
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
    /// See [`open`](Self::open).
    pub fn read_from(
        &self,
        name: &str,
        bytes: impl Read + Send + 'static,
    ) -> Result<TraceReader, TraceError> {
        self.check()?;
        TraceReader::from_bytes(self, name, Box::new(bytes))
    }
}
