//! The output file. It never overwrites an input or, by default, an existing file, and it is never left half written.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::failed;
use crate::Part;
use crate::error::TraceError;

/// What to do with an existing file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Existing {
    /// Keep it: [`TraceError::Target`].
    Keep,
    /// Replace it when the new one is complete.
    Replace,
}

/// The target of a written trace.
pub(super) enum Target {
    /// Standard output.
    Stdout,
    /// A device or a pipe, which is written to directly.
    Device(PathBuf),
    /// A file, with a temporary name until it is complete.
    File { path: PathBuf, part: Part },
}

/// Checks before the work that `path` can be written: it must not be one of the `inputs`, and must not exist, unless
/// `existing` allows to replace it.
///
/// # Errors
/// [`TraceError::Target`] with the fix.
pub fn check_target<P: AsRef<Path>>(
    path: &Path,
    inputs: impl IntoIterator<Item = P>,
    existing: Existing,
) -> Result<(), TraceError> {
    if path.as_os_str() == "-" || is_device(path) {
        return Ok(());
    }
    if let Ok(target) = path.canonicalize()
        && inputs.into_iter().any(|input| input.as_ref().canonicalize().is_ok_and(|input| input == target))
    {
        return Err(wrong(path, "is the input itself; name another file"));
    }
    keep(path, existing)
}

fn keep(path: &Path, existing: Existing) -> Result<(), TraceError> {
    if existing == Existing::Keep && path.symlink_metadata().is_ok() {
        return Err(wrong(
            path,
            "is there already; name another file, or replace it with --force (force=True)",
        ));
    }
    Ok(())
}

fn wrong(path: &Path, what: &str) -> TraceError {
    TraceError::Target { file: path.to_string_lossy().into_owned(), what: what.to_owned() }
}

/// Returns true if it exists and is neither a file nor a folder.
fn is_device(path: &Path) -> bool {
    path.metadata().is_ok_and(|m| !m.is_file() && !m.is_dir())
}

impl Target {
    pub fn create(path: &Path, existing: Existing) -> Result<Self, TraceError> {
        if path.as_os_str() == "-" {
            return Ok(Self::Stdout);
        }
        if is_device(path) {
            return Ok(Self::Device(path.to_owned()));
        }
        keep(path, existing)?;
        if path.file_name().is_none() {
            return Err(wrong(path, "is not a file name"));
        }
        Ok(Self::File { path: path.to_owned(), part: Part::of(path) })
    }

    /// Opens the file.
    pub fn file(&self) -> io::Result<Box<dyn Write>> {
        match self {
            Self::Stdout => Ok(Box::new(io::stdout().lock())),
            Self::Device(path) => Ok(Box::new(OpenOptions::new().write(true).open(path)?)),
            Self::File { part, .. } => Ok(Box::new(part.create()?)),
        }
    }

    /// Gives the file its name, after everything is written.
    pub fn complete(&self, existing: Existing) -> Result<(), TraceError> {
        let Self::File { path, part } = self else { return Ok(()) };
        keep(path, existing)?;
        part.complete().map_err(|e| failed(&path.to_string_lossy(), e))
    }
}
