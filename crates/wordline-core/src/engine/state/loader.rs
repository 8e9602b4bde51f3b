//! Frames of a state, read.

use std::io::{self, Read};

use serde::de::DeserializeOwned;
use thiserror::Error;

use super::Forks;
use super::saver::checksum;
use crate::engine::Spares;
use crate::engine::memory::Memory;

/// Why a state cannot be loaded.
#[derive(Debug, Error)]
pub enum LoadError {
    /// The bytes cannot be read.
    #[error(transparent)]
    Io(io::Error),
    /// The bytes are not what was written.
    #[error("its bytes are not what was written")]
    Damaged,
    /// The state is that of another run.
    #[error("{0}")]
    Other(String),
}

impl From<io::Error> for LoadError {
    fn from(error: io::Error) -> LoadError {
        if error.kind() == io::ErrorKind::UnexpectedEof { LoadError::Damaged } else { LoadError::Io(error) }
    }
}

/// Reads what a [`super::Saver`] has written.
pub struct Loader<'a> {
    from: &'a mut dyn Read,
    frame: Vec<u8>,
    spares: Option<&'a Spares>,
    forks: Option<Forks>,
}

impl<'a> Loader<'a> {
    /// Reads from anything.
    pub fn new(from: &'a mut dyn Read) -> Loader<'a> {
        Loader { from, frame: Vec::new(), spares: None, forks: None }
    }

    /// Reads what this process keeps in its memory: the checksums of large tables are not computed again. The tables are
    /// loaded into the memory of `spares`, and leave theirs there in the end.
    pub fn own(from: &'a mut dyn Read, spares: &'a Spares) -> Loader<'a> {
        Loader { spares: Some(spares), ..Loader::new(from) }
    }

    /// Reads what [`Saver::fork`](super::Saver::fork) has written in this process, and takes the tables that are shared.
    pub fn fork(from: &'a mut dyn Read, forks: Forks) -> Loader<'a> {
        Loader { forks: Some(forks), ..Loader::new(from) }
    }

    /// Whether each table says if it is shared.
    pub(in crate::engine) fn is_fork(&self) -> bool {
        self.forks.is_some()
    }

    /// The memory of the next table that is shared, of so many items.
    pub(in crate::engine) fn shared<T: Send + 'static>(
        &mut self,
        len: usize,
    ) -> Result<Memory<T>, LoadError> {
        let next = self.forks.as_mut().and_then(Forks::next);
        next.filter(|memory: &Memory<T>| memory.len() == len).ok_or(LoadError::Damaged)
    }

    /// Whether large tables may have been damaged since they were written.
    pub(super) fn is_foreign(&self) -> bool {
        self.spares.is_none() && self.forks.is_none()
    }

    /// Makes sure that a part that was loaded from elsewhere names only what there is: checksums may be made again by
    /// whoever changed the bytes.
    ///
    /// # Errors
    /// [`LoadError::Other`] where it does not.
    pub(crate) fn check(&self, is_sound: impl FnOnce() -> bool) -> Result<(), LoadError> {
        if !self.is_foreign() || is_sound() {
            return Ok(());
        }
        Err(LoadError::Other(
            "names pages or blocks that this SSD does not have: it was changed after it was saved; save it anew".to_owned(),
        ))
    }

    /// Memory for large tables.
    pub(in crate::engine) fn spares(&self) -> Option<&'a Spares> {
        self.spares
    }

    /// Reads the value of the next frame.
    ///
    /// # Errors
    /// [`LoadError::Damaged`] where the frame is not as it was written, or holds something else.
    pub fn value<T: DeserializeOwned>(&mut self) -> Result<T, LoadError> {
        let mut length = [0; 8];
        self.from.read_exact(&mut length)?;
        self.frame(length)?;
        match postcard::take_from_bytes(&self.frame) {
            Ok((value, [])) => Ok(value),
            _ => Err(LoadError::Damaged),
        }
    }

    /// Reads the frame that begins with this length.
    fn frame(&mut self, length: [u8; 8]) -> Result<(), LoadError> {
        let mut expected = [0; 4];
        self.from.read_exact(&mut expected)?;
        self.frame.clear();
        // The length may be damaged: no more is set aside than there is.
        let bytes = u64::from_le_bytes(length);
        let read = (&mut *self.from).take(bytes).read_to_end(&mut self.frame)?;
        if read as u64 != bytes || checksum(&length, &self.frame) != u32::from_le_bytes(expected) {
            return Err(LoadError::Damaged);
        }
        Ok(())
    }

    /// Fills `bytes`, which the caller checks.
    pub(super) fn bytes(&mut self, bytes: &mut [u8]) -> Result<(), LoadError> {
        Ok(self.from.read_exact(bytes)?)
    }

    /// Makes sure that nothing follows.
    ///
    /// # Errors
    /// [`LoadError::Damaged`] where something does.
    pub fn end(&mut self) -> Result<(), LoadError> {
        let mut more = [0];
        if self.from.read(&mut more)? == 0 { Ok(()) } else { Err(LoadError::Damaged) }
    }

    /// Reads values until the end, and lets go of them.
    ///
    /// # Errors
    /// [`LoadError::Damaged`] where a frame is not as it was written.
    pub fn rest(&mut self) -> Result<(), LoadError> {
        let mut length = [0; 8];
        while self.from.read(&mut length[..1])? == 1 {
            self.from.read_exact(&mut length[1..])?;
            self.frame(length)?;
        }
        Ok(())
    }
}
