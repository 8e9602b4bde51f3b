//! A store in a sparse file: the plain image of the device, which other tools can read while no server runs.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;

use rustix::fs::{FlockOperation, SeekFrom, flock, seek};
use rustix::io::Errno;

/// Zeros, to write where holes cannot be made.
static ZEROS: [u8; 1 << 16] = [0; 1 << 16];

/// A file that this program alone uses.
#[derive(Debug)]
pub struct FileStore {
    file: File,
}

impl FileStore {
    /// Opens a file of `bytes` bytes, or creates it, for its owner alone.
    ///
    /// # Errors
    /// See [`Store::in_file`](super::Store::in_file).
    pub fn open(path: &Path, bytes: u64) -> io::Result<FileStore> {
        let file =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).mode(0o600).open(path)?;
        flock(&file, FlockOperation::NonBlockingLockExclusive)?;
        let length = file.metadata()?.len();
        if length == 0 {
            file.set_len(bytes)?;
        } else if length != bytes {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                format!("the file has {length} bytes, the SSD {bytes}"),
            ));
        }
        Ok(FileStore { file })
    }

    /// The data from `offset` on.
    ///
    /// # Errors
    /// What the file system says.
    pub fn read(&self, offset: u64, into: &mut [u8]) -> io::Result<()> {
        self.file.read_exact_at(into, offset)
    }

    /// Puts data at `offset`.
    ///
    /// # Errors
    /// What the file system says.
    pub fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.file.write_all_at(data, offset)
    }

    /// Makes a range read as zeros, and gives its room back where the file system can.
    ///
    /// # Errors
    /// What the file system says.
    pub fn zero(&self, mut offset: u64, mut bytes: u64) -> io::Result<()> {
        if self.punch_hole(offset, bytes) {
            return Ok(());
        }
        while bytes > 0 {
            let piece = bytes.min(ZEROS.len() as u64);
            self.write(offset, &ZEROS[..piece as usize])?;
            (offset, bytes) = (offset + piece, bytes - piece);
        }
        Ok(())
    }

    #[cfg(target_os = "linux")]
    fn punch_hole(&self, offset: u64, bytes: u64) -> bool {
        use rustix::fs::{FallocateFlags, fallocate};
        fallocate(&self.file, FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE, offset, bytes).is_ok()
    }

    #[cfg(not(target_os = "linux"))]
    fn punch_hole(&self, _offset: u64, _bytes: u64) -> bool {
        false
    }

    /// Brings everything to the disk.
    ///
    /// # Errors
    /// What the file system says.
    pub fn sync(&self) -> io::Result<()> {
        self.file.sync_data()
    }

    /// Whether there are data at `at`, and up to where, below `end`, that is the same.
    ///
    /// # Errors
    /// What the file system says.
    pub fn extent(&self, at: u64, end: u64) -> io::Result<(bool, u64)> {
        let data = match seek(&self.file, SeekFrom::Data(at)) {
            Ok(data) => data,
            Err(Errno::NXIO) => return Ok((false, end)),
            Err(error) => return Err(error.into()),
        };
        if data > at {
            return Ok((false, data.min(end)));
        }
        Ok((true, seek(&self.file, SeekFrom::Hole(at))?.min(end)))
    }
}
