//! How a reader is opened: the ends of the builder [`TraceOptions`], which the formats know and which knows no reader.

use std::io::Read;
use std::path::{Path, PathBuf};

use super::TraceReader;
use super::pipeline::Pipeline;
use crate::device::DeviceMode;
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
        let paths: Vec<PathBuf> = paths.into_iter().map(|p| p.as_ref().to_owned()).collect();
        TraceReader::open(&self.packed(&paths)?, paths.into())
    }

    /// The options for these files once more: with [`DeviceMode::Pack`] the files are read, to find out where each device
    /// begins.
    ///
    /// # Errors
    /// See [`open`](Self::open).
    pub fn packed<P: AsRef<Path>>(&self, paths: &[P]) -> Result<TraceOptions, TraceError> {
        self.check()?;
        let mut options = self.clone();
        if self.device == Some(DeviceMode::Pack) && self.packed.is_none() {
            if paths.iter().any(|path| path.as_ref().as_os_str() == "-") {
                return Err(unpackable());
            }
            let paths = paths.iter().map(|path| path.as_ref().to_owned()).collect();
            options.packed = Some(Pipeline::open(self, paths)?.into_packed()?);
        }
        Ok(options)
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
        if self.device == Some(DeviceMode::Pack) && self.packed.is_none() {
            return Err(unpackable());
        }
        TraceReader::from_bytes(self, name, Box::new(bytes))
    }
}

#[cold]
fn unpackable() -> TraceError {
    TraceError::Option {
        option: "device=pack".to_owned(),
        why: "the trace is read twice, so it has to be a file".to_owned(),
    }
}
