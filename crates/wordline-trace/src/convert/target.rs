//! The file that is written: never one that somebody still needs, and never half of one.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::failed;
use crate::error::TraceError;

/// What becomes of a file that is there already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Existing {
    /// It is kept: [`TraceError::Target`].
    Keep,
    /// It is replaced when the new one is complete.
    Replace,
}

/// Where a trace is written to.
pub(super) enum Target {
    /// Standard output.
    Stdout,
    /// A device or a pipe, which is written to as it is.
    Device(PathBuf),
    /// A file, under another name until it is complete.
    File { path: PathBuf, partial: PathBuf },
}

/// Finds out before the work whether `path` can be written: it must not be one of the `inputs`, nor exist unless
/// `existing` says that it may be replaced.
///
/// # Errors
/// [`TraceError::Target`] with what to do.
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

/// Something that is there, and neither a file nor a folder.
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
        let Some(name) = path.file_name() else { return Err(wrong(path, "is no name of a file")) };
        let mut partial = name.to_owned();
        partial.push(format!(".{}.partial", std::process::id()));
        Ok(Self::File { path: path.to_owned(), partial: path.with_file_name(partial) })
    }

    /// The open file.
    pub fn file(&self) -> io::Result<Box<dyn Write>> {
        match self {
            Self::Stdout => Ok(Box::new(io::stdout().lock())),
            Self::Device(path) => Ok(Box::new(OpenOptions::new().write(true).open(path)?)),
            Self::File { partial, .. } => Ok(Box::new(File::create_new(partial)?)),
        }
    }

    /// Everything is written: the file gets its name.
    pub fn complete(&self, existing: Existing) -> Result<(), TraceError> {
        let Self::File { path, partial } = self else { return Ok(()) };
        keep(path, existing)?;
        fs::rename(partial, path).map_err(|e| failed(&path.to_string_lossy(), e))
    }
}

impl Drop for Target {
    /// Removes what is not complete; a file that has its name is not there any more under the other one.
    fn drop(&mut self) {
        if let Self::File { partial, .. } = self {
            let _ = fs::remove_file(partial);
        }
    }
}
