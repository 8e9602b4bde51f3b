//! A store in a sparse file: the plain image of the device, which other tools can read while no server runs.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;

use rustix::fs::{FlockOperation, SeekFrom, flock, seek};
use rustix::io::Errno;

use super::disk::Disk;

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
            // A file without its name would lose all that is synced later.
            file.sync_all()?;
            sync_folder(path)?;
        } else if length != bytes {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                format!(
                    "the file has {length} bytes, the SSD {bytes}: name another file, or the SSD of this one"
                ),
            ));
        }
        Ok(FileStore { file })
    }
}

/// Brings the names in the folder of a file to the disk.
fn sync_folder(path: &Path) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
}

impl Disk for FileStore {
    fn read(&self, offset: u64, into: &mut [u8]) -> io::Result<()> {
        self.file.read_exact_at(into, offset)
    }

    fn write(&mut self, offset: u64, data: &[u8]) -> io::Result<usize> {
        self.file.write_at(data, offset)
    }

    #[cfg(target_os = "linux")]
    fn punch_hole(&mut self, offset: u64, bytes: u64) -> io::Result<()> {
        use rustix::fs::{FallocateFlags, fallocate};
        Ok(fallocate(&self.file, FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE, offset, bytes)?)
    }

    #[cfg(not(target_os = "linux"))]
    fn punch_hole(&mut self, _offset: u64, _bytes: u64) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    fn sync(&mut self) -> io::Result<()> {
        self.file.sync_data()
    }

    fn extent(&self, at: u64, end: u64) -> io::Result<(bool, u64)> {
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
