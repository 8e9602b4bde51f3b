//! The last aged drive of a process, in its memory.

use std::io::{self, Write};

use wordline_core::engine::{Loader, Saver, Spares};

use super::broken;
use super::key::Key;
use crate::{Run, RunError};

/// The last preconditioned drive.
#[derive(Debug, Default)]
pub struct DriveCache {
    /// With what aging had to say of the flows.
    last: Option<(Key, Vec<u8>, Vec<String>)>,
    hits: u64,
    /// Memory of the runs that began on this drive.
    spares: Spares,
}

impl DriveCache {
    /// Largest drive that is kept, bytes: each worker of a sweep has a cache, beside the drive that runs.
    pub const LARGEST_BYTES: usize = 1 << 30;

    /// Number of runs that found their drive here.
    #[must_use]
    pub fn hits(&self) -> u64 {
        self.hits
    }

    /// Gives a run the drive of this key; false if another one is kept.
    ///
    /// # Errors
    /// [`RunError::State`]: what was kept cannot be read, which is a bug.
    pub(super) fn give(&mut self, run: &mut Run, wanted: &Key) -> Result<bool, RunError> {
        let Some((key, bytes, warnings)) = &self.last else { return Ok(false) };
        if key != wanted {
            return Ok(false);
        }
        let mut bytes = bytes.as_slice();
        let mut from = Loader::own(&mut bytes, &self.spares);
        run.ssd.load_preconditioned(&mut from).map_err(|error| broken("the drive cache", &error))?;
        run.aging_warnings.clone_from(warnings);
        self.hits += 1;
        Ok(true)
    }

    /// Keeps the drive of a run that has just been preconditioned.
    pub(super) fn keep(&mut self, run: &Run, key: Key) {
        let mut bytes = self.last.take().map(|(_, bytes, _)| bytes).unwrap_or_default();
        bytes.clear();
        let mut to = AtMost { to: bytes, left: Self::LARGEST_BYTES as u64 };
        if run.ssd.save_preconditioned(&mut Saver::new(&mut to)).is_ok() {
            self.last = Some((key, to.to, run.aging_warnings.clone()));
        }
    }

    /// Gives the memory of the drives before back to the system.
    pub(super) fn clear_spares(&self) {
        self.spares.clear();
    }
}

/// What takes so many bytes and no more: a larger drive takes no more than that before it is given up.
pub(super) struct AtMost<W> {
    pub to: W,
    pub left: u64,
}

impl<W: Write> Write for AtMost<W> {
    fn write(&mut self, more: &[u8]) -> io::Result<usize> {
        if more.len() as u64 > self.left {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        let written = self.to.write(more)?;
        self.left -= written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_large_to_be_kept_takes_no_more_memory_than_that() {
        let mut to = AtMost { to: Vec::new(), left: 10 };
        assert!(to.write_all(&[1; 7]).is_ok() && to.write_all(&[2; 3]).is_ok());
        assert!(to.write_all(&[3]).is_err());
        assert_eq!(to.to.len(), 10);
    }
}
