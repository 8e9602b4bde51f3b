//! Line-based output formats.

use std::io::{self, Write};

use wordline_core::host::HostRequest;

/// A line-based output format. The writer implements it, and may keep state for the end.
pub(crate) trait LineWriter: Default {
    /// The text before the first request.
    const HEADER: &'static str = "";

    /// Appends the line of a request, without the newline, or says why the format cannot represent it.
    fn line(&mut self, request: &HostRequest, out: &mut Vec<u8>) -> Result<(), &'static str>;

    /// The text after the last request.
    fn footer(&self) -> String {
        String::new()
    }
}

/// Why a request was not written.
pub(crate) enum WriteError {
    Io(io::Error),
    /// The format cannot represent it.
    Unwritable(&'static str),
}

impl From<io::Error> for WriteError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// Writes requests as lines.
pub(crate) struct TextWriter<L, W> {
    lines: L,
    out: W,
    line: Vec<u8>,
}

impl<L: LineWriter, W: Write> TextWriter<L, W> {
    pub fn new(mut out: W) -> io::Result<Self> {
        out.write_all(L::HEADER.as_bytes())?;
        Ok(Self { lines: L::default(), out, line: Vec::with_capacity(96) })
    }

    pub fn write(&mut self, request: &HostRequest) -> Result<(), WriteError> {
        self.line.clear();
        self.lines.line(request, &mut self.line).map_err(WriteError::Unwritable)?;
        self.line.push(b'\n');
        Ok(self.out.write_all(&self.line)?)
    }

    pub fn finish(mut self) -> io::Result<W> {
        self.out.write_all(self.lines.footer().as_bytes())?;
        self.out.flush()?;
        Ok(self.out)
    }
}

/// Appends `value` in decimal; `write!` takes several times as long.
pub(super) fn push_uint(out: &mut Vec<u8>, mut value: u64) {
    let mut digits = [0; 20];
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + (value % 10) as u8;
        value /= 10;
        if value == 0 {
            break;
        }
    }
    out.extend(&digits[at..]);
}
