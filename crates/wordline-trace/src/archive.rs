//! Reads a tar archive with one file as that file.

use std::io::{self, Read};

use tar::{EntryType, Header};

use crate::bytes::{Bytes, read_full};

const BLOCK_BYTES: usize = 512;

/// Extended headers hold a path, a size and times; a longer one is not a header.
const EXTENSION_LIMIT_BYTES: u64 = 1 << 20;

/// Returns true if this is the first block of a tar archive (POSIX ustar and GNU tar; POSIX.1-2017, pax, "ustar
/// Interchange Format").
pub(crate) fn is_archive(head: &[u8]) -> bool {
    head.len() >= BLOCK_BYTES && &head[257..262] == b"ustar"
}

/// The bytes of the only file of an archive. A second file shows only after the first has been read.
pub(crate) struct OnlyFile {
    archive: Bytes,
    state: State,
}

enum State {
    /// No file was found yet.
    Before,
    /// This many bytes of the file, and of the padding after it, are left.
    Within { left: u64, padding: u64 },
    /// All bytes were returned.
    Behind,
}

fn wrong(what: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

impl OnlyFile {
    pub fn new(archive: Bytes) -> Self {
        Self { archive, state: State::Before }
    }

    /// The name and size of the next regular file, or `None` at the end of the archive.
    fn next_file(&mut self) -> io::Result<Option<(String, u64)>> {
        let mut size_said = None;
        loop {
            let mut block = [0; BLOCK_BYTES];
            let got = read_full(&mut self.archive, &mut block)?;
            if got == 0 || block.iter().all(|&byte| byte == 0) {
                return Ok(None);
            }
            if got < BLOCK_BYTES {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            let header = Header::from_byte_slice(&block);
            check(header, &block)?;
            let name = String::from_utf8_lossy(&header.path_bytes()).into_owned();
            let size = header.entry_size()?;
            match header.entry_type() {
                EntryType::XHeader => size_said = pax_size(&self.extension(size)?),
                EntryType::XGlobalHeader | EntryType::GNULongName | EntryType::GNULongLink => {
                    self.extension(size)?;
                }
                EntryType::Regular | EntryType::Continuous => {
                    let size = size_said.take().unwrap_or(size);
                    // macOS stores a file's attributes in a second file next to it.
                    if name.rsplit('/').next().is_some_and(|name| name.starts_with("._")) {
                        self.extension(size)?;
                    } else {
                        return Ok(Some((name, size)));
                    }
                }
                EntryType::GNUSparse => {
                    return Err(wrong(format!("`{name}` is a sparse file in a tar archive; unpack it")));
                }
                _ => size_said = None,
            }
        }
    }

    /// Reads an entry that is not part of the result.
    fn extension(&mut self, size: u64) -> io::Result<Vec<u8>> {
        if size > EXTENSION_LIMIT_BYTES {
            return Err(wrong(format!("an extended tar header of {size} bytes")));
        }
        let mut content = vec![0; (size + padding_of(size)) as usize];
        if read_full(&mut self.archive, &mut content)? < content.len() {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        content.truncate(size as usize);
        Ok(content)
    }

    fn finish(&mut self, mut padding: u64) -> io::Result<()> {
        let mut block = [0; BLOCK_BYTES];
        padding -= read_full(&mut self.archive, &mut block[..padding as usize])? as u64;
        if padding > 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.state = State::Behind;
        match self.next_file()? {
            None => Ok(()),
            Some((name, _)) => Err(wrong(format!(
                "the tar archive holds a second file, `{name}`; unpack it, and name the files that are the trace"
            ))),
        }
    }
}

impl Read for OnlyFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.state {
                State::Before => match self.next_file()? {
                    Some((_, size)) => self.state = State::Within { left: size, padding: padding_of(size) },
                    None => return Err(wrong("the tar archive holds no file".to_owned())),
                },
                State::Within { left: 0, padding } => self.finish(padding)?,
                State::Within { left, padding } => {
                    let most = usize::try_from(left).unwrap_or(usize::MAX).min(buffer.len());
                    let got = self.archive.read(&mut buffer[..most])?;
                    if got == 0 && most > 0 {
                        return Err(io::ErrorKind::UnexpectedEof.into());
                    }
                    self.state = State::Within { left: left - got as u64, padding };
                    return Ok(got);
                }
                State::Behind => return Ok(0),
            }
        }
    }
}

/// Bytes that pad the last block of a file.
fn padding_of(size: u64) -> u64 {
    size.wrapping_neg() % BLOCK_BYTES as u64
}

/// Checks the header's checksum: the sum of its bytes, with its own field as blanks.
fn check(header: &Header, block: &[u8; BLOCK_BYTES]) -> io::Result<()> {
    let sum: u32 = block
        .iter()
        .enumerate()
        .map(|(i, &b)| u32::from(if (148..156).contains(&i) { b' ' } else { b }))
        .sum();
    if header.cksum()? == sum {
        Ok(())
    } else {
        Err(wrong("a damaged tar header; copy the file again".to_owned()))
    }
}

/// The size in an extended header, if the usual field is too small for it.
fn pax_size(content: &[u8]) -> Option<u64> {
    tar::PaxExtensions::new(content)
        .filter_map(Result::ok)
        .find(|extension| extension.key() == Ok("size"))
        .and_then(|extension| extension.value().ok()?.parse().ok())
}
