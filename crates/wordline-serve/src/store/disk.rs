//! What a store asks of the file or memory that keeps its data.

use std::fmt::Debug;
use std::io;

/// Zeros, to write where holes cannot be made.
static ZEROS: [u8; 1 << 16] = [0; 1 << 16];

/// Where data are kept. The calls are those of a file system, and fail as those do; tests let each of them fail.
pub trait Disk: Debug + Send {
    /// Reads the data from `offset` on.
    ///
    /// # Errors
    /// What the file system says.
    fn read(&self, offset: u64, into: &mut [u8]) -> io::Result<()>;

    /// Writes the front of `data`, one byte at least, and returns how many.
    ///
    /// # Errors
    /// What the file system says.
    fn write(&mut self, offset: u64, data: &[u8]) -> io::Result<usize>;

    /// Gives the room of a range back, which reads as zeros then.
    ///
    /// # Errors
    /// What the file system says, and where it has no holes.
    fn punch_hole(&mut self, offset: u64, bytes: u64) -> io::Result<()>;

    /// Brings all that was written to where a crash of this machine does not lose it.
    ///
    /// # Errors
    /// What the file system says. What was written since the last success may be lost then, whatever a later call says.
    fn sync(&mut self) -> io::Result<()>;

    /// Whether there are data at `at`, and up to where, below `end`, that is the same.
    ///
    /// # Errors
    /// What the file system says.
    fn extent(&self, at: u64, end: u64) -> io::Result<(bool, u64)>;

    /// Writes all of `data`.
    ///
    /// # Errors
    /// What the file system says; a part may be written then.
    fn write_all(&mut self, mut offset: u64, mut data: &[u8]) -> io::Result<()> {
        while !data.is_empty() {
            match self.write(offset, data) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(count) => (offset, data) = (offset + count as u64, &data[count..]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Makes a range read as zeros, and gives its room back where the file system can.
    ///
    /// # Errors
    /// What the file system says; a part may be zeros then.
    fn zero(&mut self, mut offset: u64, mut bytes: u64) -> io::Result<()> {
        if self.punch_hole(offset, bytes).is_ok() {
            return Ok(());
        }
        while bytes > 0 {
            let piece = bytes.min(ZEROS.len() as u64);
            self.write_all(offset, &ZEROS[..piece as usize])?;
            (offset, bytes) = (offset + piece, bytes - piece);
        }
        Ok(())
    }
}
