//! Aged drives in files. A file has eight magic bytes, then frames with checksums: the name of the drive, which says all that it
//! depends on, a few words about it, what aging had to say of the flows, and what aging has changed. Whoever keeps it says its name.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use wordline_core::Ssd;
use wordline_core::engine::{LoadError, Loader, Saver};
use wordline_trace::Part;

use super::key::Key;
use super::memory::AtMost;
use crate::state::BUFFER_BYTES;
use crate::{DriveCache, Run};

/// The first bytes of a file.
const MAGIC: [u8; 8] = *b"WLDRIVE\n";

/// What a file says about its drive.
///
/// # Errors
/// It cannot be read, or is no such file.
pub fn about_aged(path: &Path) -> io::Result<String> {
    let mut file = BufReader::new(File::open(path)?);
    let is_damaged = |error| match error {
        LoadError::Io(error) => error,
        _ => io::ErrorKind::InvalidData.into(),
    };
    let mut from = begun(&mut file).map_err(is_damaged)?;
    let (_, about): (String, String) = from.value().map_err(is_damaged)?;
    Ok(about)
}

/// Reads what comes behind the magic bytes.
fn begun(file: &mut dyn Read) -> Result<Loader<'_>, LoadError> {
    let mut magic = [0; MAGIC.len()];
    file.read_exact(&mut magic)?;
    if magic == MAGIC { Ok(Loader::new(file)) } else { Err(LoadError::Damaged) }
}

impl Run {
    /// Writes the drive, which has just been aged without time, to a file of at most so many bytes. The file appears when it is
    /// whole; it is not forced to the disk, since its checksums tell what a crash of the machine has left of it.
    ///
    /// # Errors
    /// It cannot be written, or would be larger: [`io::ErrorKind::FileTooLarge`].
    pub fn save_aged(&self, path: &Path, name: &str, about: &str, bytes_max: u64) -> io::Result<()> {
        let part = Part::of(path);
        let mut to = AtMost { to: BufWriter::with_capacity(BUFFER_BYTES, part.create()?), left: bytes_max };
        to.write_all(&MAGIC)?;
        let mut saver = Saver::new(&mut to);
        saver.value(&(name, about))?;
        saver.value(&self.aging_warnings)?;
        self.ssd.save_preconditioned(&mut saver)?;
        to.flush()?;
        part.complete()
    }

    /// Takes the drive of a file in place of aging it, if it is the one of this name. It is checked as a saved state is: whoever
    /// wrote the file may have changed it.
    ///
    /// # Errors
    /// Why it cannot be taken. The drive is then as new, and can be aged.
    pub fn load_aged(
        &mut self,
        path: &Path,
        name: &str,
        drives: Option<&mut DriveCache>,
    ) -> Result<(), String> {
        let key = Key::of(self);
        let read = catch_unwind(AssertUnwindSafe(|| self.read_aged(path, name)));
        let why = match read {
            Ok(Ok(())) => {
                if let Some((drives, key)) = drives.zip(key) {
                    drives.keep(self, key);
                }
                return Ok(());
            }
            Ok(Err(LoadError::Io(error))) => error.to_string(),
            Ok(Err(LoadError::Damaged)) => "damaged: its bytes are not what was written".to_owned(),
            Ok(Err(LoadError::Other(what))) => what,
            Err(_) => "its numbers contradict each other".to_owned(),
        };
        let mut fresh = Ssd::new(&self.config, Vec::new(), &self.options);
        self.ssd.exchange_drives(&mut fresh);
        self.aging_warnings.clear();
        Err(why)
    }

    fn read_aged(&mut self, path: &Path, name: &str) -> Result<(), LoadError> {
        let mut file = BufReader::with_capacity(BUFFER_BYTES, File::open(path)?);
        let mut from = begun(&mut file)?;
        let (of, _): (String, String) = from.value()?;
        if of != name {
            return Err(LoadError::Other("the drive of another run".to_owned()));
        }
        self.aging_warnings = from.value()?;
        self.ssd.load_preconditioned(&mut from)?;
        from.end()
    }
}
