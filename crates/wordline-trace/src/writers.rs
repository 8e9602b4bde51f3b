//! Writing the text formats.

use std::io::{self, Write};

use wordline_core::host::{HostRequest, Op, SECTOR_BYTES};

use crate::formats::csv::OWN_HEADER;

/// The name under which all requests of a fio log go; fio's `replay_redirect` names the real device.
const FIO_FILE: &[u8] = b"device";

/// A text format that can be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TextFormat {
    Csv,
    Mqsim,
    FioIolog,
}

/// Writes requests as lines.
pub(crate) struct TextWriter<W: Write> {
    format: TextFormat,
    out: W,
    line: Vec<u8>,
    last_us: u64,
}

/// Why a request was not written.
pub(crate) enum WriteError {
    Io(io::Error),
    /// The format has no way to say it.
    Unwritable(&'static str),
}

impl From<io::Error> for WriteError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl<W: Write> TextWriter<W> {
    pub fn new(format: TextFormat, mut out: W) -> io::Result<Self> {
        match format {
            TextFormat::Csv => writeln!(out, "{OWN_HEADER}")?,
            TextFormat::Mqsim => {}
            TextFormat::FioIolog => out.write_all(b"fio version 3 iolog\n0 device add\n0 device open\n")?,
        }
        Ok(Self { format, out, line: Vec::with_capacity(96), last_us: 0 })
    }

    pub fn write(&mut self, request: &HostRequest) -> Result<(), WriteError> {
        self.line.clear();
        match self.format {
            TextFormat::Csv => self.csv(request),
            TextFormat::Mqsim => self.mqsim(request)?,
            TextFormat::FioIolog => self.fio_iolog(request)?,
        }
        self.line.push(b'\n');
        Ok(self.out.write_all(&self.line)?)
    }

    pub fn finish(mut self) -> io::Result<W> {
        if self.format == TextFormat::FioIolog {
            writeln!(self.out, "{} device close", self.last_us)?;
        }
        self.out.flush()?;
        Ok(self.out)
    }

    /// `time_ns,op,sector,sectors`
    fn csv(&mut self, request: &HostRequest) {
        let op = match request.op {
            Op::Read => b'R',
            Op::Write => b'W',
            Op::Trim => b'T',
            Op::Flush => b'F',
        };
        push_uint(&mut self.line, request.arrival_ns);
        self.line.extend([b',', op, b',']);
        push_uint(&mut self.line, request.sector);
        self.line.push(b',');
        push_uint(&mut self.line, u64::from(request.sectors));
    }

    /// `time_ns device lba sectors op`
    fn mqsim(&mut self, request: &HostRequest) -> Result<(), WriteError> {
        let op = match request.op {
            Op::Write => b'0',
            Op::Read => b'1',
            Op::Trim => {
                return Err(WriteError::Unwritable("mqsim has no trim; native, csv and fio-iolog have"));
            }
            Op::Flush => {
                return Err(WriteError::Unwritable("mqsim has no flush; native, csv and fio-iolog have"));
            }
        };
        push_uint(&mut self.line, request.arrival_ns);
        self.line.extend(b" 0 ");
        push_uint(&mut self.line, request.sector);
        self.line.push(b' ');
        push_uint(&mut self.line, u64::from(request.sectors));
        self.line.extend([b' ', op]);
        Ok(())
    }

    /// `time_us file action offset_bytes length_bytes`
    fn fio_iolog(&mut self, request: &HostRequest) -> Result<(), WriteError> {
        let action: &[u8] = match request.op {
            Op::Read => b"read",
            Op::Write => b"write",
            Op::Trim => b"trim",
            Op::Flush => b"sync",
        };
        let Some(offset_bytes) = request.sector.checked_mul(SECTOR_BYTES) else {
            return Err(WriteError::Unwritable(
                "the offset in bytes does not fit fio's 64 bits; native has room",
            ));
        };
        self.last_us = request.arrival_ns / 1000;
        push_uint(&mut self.line, self.last_us);
        self.line.push(b' ');
        self.line.extend(FIO_FILE);
        self.line.push(b' ');
        self.line.extend(action);
        self.line.push(b' ');
        push_uint(&mut self.line, offset_bytes);
        self.line.push(b' ');
        push_uint(&mut self.line, u64::from(request.sectors) * SECTOR_BYTES);
        Ok(())
    }
}

/// Appends `value` in decimal; `write!` takes several times as long.
fn push_uint(out: &mut Vec<u8>, mut value: u64) {
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
