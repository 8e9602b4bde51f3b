//! The bytes of a trace: opens, decompresses (by magic bytes) and splits them into lines.

use std::fs::File;
use std::io::{BufRead, BufReader, Cursor, Read};
use std::path::Path;

use crate::archive::{self, OnlyFile};
use crate::bytes::{Bytes, read_full};
use crate::error::{ReadError, TraceError};
use crate::utf16::Utf16;

/// Bytes per read call: large enough that the calls cost nothing, small enough to stay in L2.
const CHUNK_BYTES: usize = 128 << 10;

/// A longer line means that this is a binary file, not a trace.
const LINE_LIMIT_BYTES: usize = 1 << 20;

/// Bytes needed to detect a wrapper: the first block of a tar archive.
const HEAD_BYTES: usize = 512;

const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];
const ZSTD_MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
const BZIP2_MAGIC: &[u8] = b"BZh";
/// What follows the level in the head of a bzip2 stream: the mark of a block, or of the end (the digits of pi, and of its
/// square root).
const BZIP2_MARKS: [[u8; 6]; 2] =
    [[0x31, 0x41, 0x59, 0x26, 0x53, 0x59], [0x17, 0x72, 0x45, 0x38, 0x50, 0x90]];
const UTF8_MARK: &[u8] = b"\xef\xbb\xbf";
const XZ_MAGIC: [u8; 6] = [0xfd, b'7', b'z', b'X', b'Z', 0];
/// Memory of a decompressor for xz, KiB: `xz -9` takes 64 MiB.
const XZ_MEMORY_KIB: u32 = 256 << 10;

/// Opens `path` (`-` is standard input), which errors call `name`, and decompresses it.
pub(crate) fn open(path: &Path, name: &str) -> Result<Bytes, TraceError> {
    if path.as_os_str() == "-" {
        return decompressed(name, Box::new(std::io::stdin()));
    }
    let file = File::open(path).map_err(|e| TraceError::from_io(name, e))?;
    if file.metadata().is_ok_and(|m| m.is_dir()) {
        let source =
            std::io::Error::new(std::io::ErrorKind::IsADirectory, "is a directory, not a trace file");
        return Err(TraceError::Io { file: name.to_owned(), source });
    }
    decompressed(name, Box::new(file))
}

/// Unpacks gzip (any number of members), zstd (any number of frames), bzip2 and xz (any number of streams) and tar (of one file), nested in any order. Only
/// the first bytes decide, because traces are passed around under all kinds of names.
pub(crate) fn decompressed(name: &str, mut bytes: Bytes) -> Result<Bytes, TraceError> {
    const WRAPPERS: usize = 4; // such as a .gz in a .tar.gz; more would be a bomb
    let failed = |error| TraceError::from_io(name, error);
    for _ in 0..=WRAPPERS {
        let mut head = vec![0; HEAD_BYTES];
        let have = read_full(&mut bytes, &mut head).map_err(failed)?;
        head.truncate(have);
        let kind = Wrapper::of(&head);
        let whole = BufReader::with_capacity(CHUNK_BYTES, Cursor::new(head).chain(bytes));
        bytes = match kind {
            None => return Ok(Box::new(whole)),
            Some(Wrapper::Gzip) => Box::new(flate2::bufread::MultiGzDecoder::new(whole)),
            Some(Wrapper::Zstd) => Box::new(zstd::Decoder::with_buffer(whole).map_err(failed)?),
            Some(Wrapper::Bzip2) => Box::new(bzip2::bufread::MultiBzDecoder::new(whole)),
            Some(Wrapper::Xz) => Box::new(lzma_rust2::XzReader::new_mem_limit(whole, true, XZ_MEMORY_KIB)),
            Some(Wrapper::Utf16 { is_big }) => Box::new(Utf16::new(Box::new(whole), is_big)),
            Some(Wrapper::Tar) => Box::new(OnlyFile::new(Box::new(whole))),
        };
    }
    let source = std::io::Error::new(
        std::io::ErrorKind::InvalidData,
        "compressed or archived more than four times over; unpack it first",
    );
    Err(TraceError::Io { file: name.to_owned(), source })
}

/// The wrappers of a trace.
enum Wrapper {
    Gzip,
    Zstd,
    Bzip2,
    Xz,
    Tar,
    /// Text, as PowerShell redirects it.
    Utf16 {
        is_big: bool,
    },
}

impl Wrapper {
    fn of(head: &[u8]) -> Option<Self> {
        if head.starts_with(&GZIP_MAGIC) {
            Some(Self::Gzip)
        } else if head.starts_with(&ZSTD_MAGIC) {
            Some(Self::Zstd)
        } else if head.starts_with(BZIP2_MAGIC)
            && BZIP2_MARKS.iter().any(|mark| head[3..].get(1..7) == Some(mark))
        {
            Some(Self::Bzip2)
        } else if head.starts_with(&XZ_MAGIC) {
            Some(Self::Xz)
        } else if head.starts_with(b"\xff\xfe") || head.starts_with(b"\xfe\xff") {
            Some(Self::Utf16 { is_big: head[0] == 0xfe })
        } else if archive::is_archive(head) {
            Some(Self::Tar)
        } else {
            None
        }
    }
}

/// A window onto a stream of bytes that returns lines without copying them.
pub(crate) struct Lines {
    bytes: Bytes,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    at_eof: bool,
    line: u64,
}

impl Lines {
    pub fn new(bytes: Bytes) -> Self {
        Self { bytes, buffer: vec![0; CHUNK_BYTES], start: 0, end: 0, at_eof: false, line: 0 }
    }

    /// Number of the last returned line, from 1.
    pub fn line(&self) -> u64 {
        self.line
    }

    /// The buffered bytes, not consumed: at least one chunk, unless the stream is shorter.
    pub fn peek(&mut self) -> std::io::Result<&[u8]> {
        while !self.at_eof && self.end - self.start < CHUNK_BYTES {
            self.pull()?;
        }
        Ok(&self.buffer[self.start..self.end])
    }

    /// Skips the byte-order mark in front of a text in UTF-8.
    pub fn skip_mark(&mut self) -> std::io::Result<()> {
        if self.peek()?.starts_with(UTF8_MARK) {
            self.start += UTF8_MARK.len();
        }
        Ok(())
    }

    /// The next line without its end (`\n` or `\r\n`), or `None` at the end of the stream. A last line without a newline counts, because many published traces end
    /// like this.
    pub fn next_line(&mut self) -> std::io::Result<Option<&[u8]>> {
        let mut searched = 0;
        let length = loop {
            let mut unsearched = &self.buffer[self.start + searched..self.end];
            let length = unsearched.skip_until(b'\n').expect("a slice has no read errors");
            if length > 0 && self.buffer[self.start + searched + length - 1] == b'\n' {
                break searched + length;
            }
            searched += length;
            if searched > LINE_LIMIT_BYTES {
                let what = "a line of more than 1 MiB: this is no text trace";
                return Err(std::io::Error::new(std::io::ErrorKind::InvalidData, what));
            }
            if self.at_eof {
                if searched == 0 {
                    return Ok(None);
                }
                break searched;
            }
            self.pull()?;
        };
        let mut line = &self.buffer[self.start..self.start + length];
        self.start += length;
        self.line += 1;
        line = line.strip_suffix(b"\n").unwrap_or(line);
        Ok(Some(line.strip_suffix(b"\r").unwrap_or(line)))
    }

    /// Makes room in the buffer and reads once more.
    fn pull(&mut self) -> std::io::Result<()> {
        if self.start > 0 {
            self.buffer.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
        }
        if self.end == self.buffer.len() {
            self.buffer.resize(2 * self.buffer.len(), 0);
        }
        match self.bytes.read(&mut self.buffer[self.end..]) {
            Ok(0) => self.at_eof = true,
            Ok(n) => self.end += n,
            Err(e) if e.kind() == std::io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
        Ok(())
    }
}

/// Single bytes for the binary format, with the same buffer and the same errors.
impl Lines {
    /// The next byte, or `None` at the end of the stream.
    #[inline]
    pub fn next_byte(&mut self) -> std::io::Result<Option<u8>> {
        while self.start == self.end {
            if self.at_eof {
                return Ok(None);
            }
            self.pull()?;
        }
        let byte = self.buffer[self.start];
        self.start += 1;
        Ok(Some(byte))
    }

    /// Appends the next `count` bytes to `out`.
    pub fn take(&mut self, out: &mut Vec<u8>, count: usize) -> Result<(), ReadError> {
        let mut missing = count;
        while missing > 0 {
            if self.start == self.end {
                if self.at_eof {
                    return Err(ReadError::Truncated("in a block"));
                }
                self.pull()?;
            }
            let taken = missing.min(self.end - self.start);
            out.extend_from_slice(&self.buffer[self.start..self.start + taken]);
            self.start += taken;
            missing -= taken;
        }
        Ok(())
    }

    /// Counts a record as a line, so that errors can name it.
    pub fn count_record(&mut self) {
        self.line += 1;
    }
}
