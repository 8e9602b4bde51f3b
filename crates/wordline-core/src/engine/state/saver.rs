//! Frames of a state, written.

use std::io::{self, Write};

use serde::Serialize;

use super::Forks;

/// Writes frames: a length, a checksum of length and bytes, the bytes.
pub struct Saver<'a> {
    to: &'a mut dyn Write,
    frame: Vec<u8>,
    tables: Tables<'a>,
}

/// What becomes of large tables.
enum Tables<'a> {
    /// They are written.
    Written,
    /// A fork gets them.
    Shared(&'a mut Forks),
    /// They give up what forks that are gone have left.
    Gathered,
}

impl<'a> Saver<'a> {
    /// Writes to anything.
    pub fn new(to: &'a mut dyn Write) -> Saver<'a> {
        Saver { to, frame: Vec::new(), tables: Tables::Written }
    }

    /// Writes for [`Loader::fork`](super::Loader::fork) in the same process: large tables are shared, and not written.
    pub fn fork(to: &'a mut dyn Write, forks: &'a mut Forks) -> Saver<'a> {
        Saver { to, frame: Vec::new(), tables: Tables::Shared(forks) }
    }

    /// Writes nothing: large tables give up the memory that forks, which are gone, have left them.
    pub fn gathering(nowhere: &'a mut io::Sink) -> Saver<'a> {
        Saver { to: nowhere, frame: Vec::new(), tables: Tables::Gathered }
    }

    /// Where tables go that are shared.
    pub(in crate::engine) fn forks(&mut self) -> Option<&mut Forks> {
        if let Tables::Shared(forks) = &mut self.tables { Some(forks) } else { None }
    }

    /// Whether tables give up what forks have left.
    pub(in crate::engine) fn gathers(&self) -> bool {
        matches!(self.tables, Tables::Gathered)
    }

    /// Writes a value as a frame.
    ///
    /// # Errors
    /// What is written to fails.
    pub fn value<T: Serialize + ?Sized>(&mut self, value: &T) -> io::Result<()> {
        if self.gathers() {
            return Ok(());
        }
        self.frame.clear();
        let frame = std::mem::take(&mut self.frame);
        self.frame = postcard::to_extend(value, frame).map_err(io::Error::other)?;
        let length = (self.frame.len() as u64).to_le_bytes();
        let checksum = checksum(&length, &self.frame);
        self.to.write_all(&length)?;
        self.to.write_all(&checksum.to_le_bytes())?;
        self.to.write_all(&self.frame)
    }

    /// Writes bytes whose number and checksums the reader knows.
    pub(super) fn bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.to.write_all(bytes)
    }
}

/// The checksum of a frame.
pub(super) fn checksum(length: &[u8; 8], bytes: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(length);
    hasher.update(bytes);
    hasher.finalize()
}
