//! Wordline's own trace format, `native`: a fifth to a third of a text trace's size, and about twice as fast to read.
//!
//! ```text
//! header   8 bytes  "WLTRACE" 0x00
//!          1 byte   version, 1
//! record   1 byte   bits 0-1  op: 0 read, 1 write, 2 trim, 3 flush
//!                   bit  2    no time: the time is that of the record before
//!                   bit  3    no sector: it starts where the record before ended
//!                   bit  4    no length: as long as the record before
//!                   bits 5-7  zero
//!          varint   ns since the record before (for the first: since 0)   unless bit 2
//!          varint   zigzag of (sector - end of the record before)         unless bit 3 or flush
//!          varint   sectors                                               unless bit 4 or flush
//! end      1 byte   0xff
//!          varint   number of records
//! ```
//!
//! A varint holds 7 bits a byte, the lowest first, with bit 7 set on all but the last byte. Differences of sectors are taken
//! modulo 2^64. Before the first record, time, end and length are 0; a flush leaves end and length as they are. A file
//! without its end is truncated. It can be compressed further like any other trace.

use std::io::{self, Write};

use wordline_core::host::{HostRequest, Op};

use super::Record;
use crate::error::{Bad, TraceError};
use crate::input::Lines;

/// The first bytes of every file.
pub(crate) const MAGIC: &[u8; 8] = b"WLTRACE\0";
const VERSION: u8 = 1;
const END: u8 = 0xff;

const OP_MASK: u8 = 0b11;
const SAME_TIME: u8 = 1 << 2;
const SEQUENTIAL: u8 = 1 << 3;
const SAME_LENGTH: u8 = 1 << 4;
const RESERVED: u8 = 0b1110_0000;

/// What differences are taken from.
#[derive(Default)]
struct Before {
    time_ns: u64,
    end_sector: u64,
    sectors: u32,
}

fn zigzag(value: i64) -> u64 {
    (value << 1 ^ value >> 63).cast_unsigned()
}

fn unzigzag(value: u64) -> i64 {
    (value >> 1).cast_signed() ^ -(value & 1).cast_signed()
}

/// Writes the format to any [`Write`]; [`finish`](Self::finish) must be called, or the file is truncated.
pub struct NativeWriter<W: Write> {
    out: W,
    before: Before,
    records: u64,
    record: Vec<u8>,
}

impl<W: Write> NativeWriter<W> {
    /// Starts a file in `out`, which should be buffered.
    ///
    /// # Errors
    /// What `out` says.
    pub fn new(mut out: W) -> io::Result<Self> {
        out.write_all(MAGIC)?;
        out.write_all(&[VERSION])?;
        Ok(Self { out, before: Before::default(), records: 0, record: Vec::with_capacity(32) })
    }

    /// Appends `request`, whose arrival must not lie before the last one's.
    ///
    /// # Errors
    /// What `out` says; [`io::ErrorKind::InvalidInput`] where time goes back.
    pub fn write(&mut self, request: &HostRequest) -> io::Result<()> {
        let Some(step_ns) = request.arrival_ns.checked_sub(self.before.time_ns) else {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                "arrival times of a native trace never go back",
            ));
        };
        let flush = request.op == Op::Flush;
        let step_sectors = request.sector.wrapping_sub(self.before.end_sector).cast_signed();
        let mut tag = match request.op {
            Op::Read => 0,
            Op::Write => 1,
            Op::Trim => 2,
            Op::Flush => 3,
        };
        tag |= if step_ns == 0 { SAME_TIME } else { 0 };
        tag |= if !flush && step_sectors == 0 { SEQUENTIAL } else { 0 };
        tag |= if !flush && request.sectors == self.before.sectors { SAME_LENGTH } else { 0 };
        self.record.clear();
        self.record.push(tag);
        if tag & SAME_TIME == 0 {
            push_varint(&mut self.record, step_ns);
        }
        if !flush && tag & SEQUENTIAL == 0 {
            push_varint(&mut self.record, zigzag(step_sectors));
        }
        if !flush && tag & SAME_LENGTH == 0 {
            push_varint(&mut self.record, u64::from(request.sectors));
        }
        self.before.time_ns = request.arrival_ns;
        if !flush {
            self.before.end_sector = request.sector.wrapping_add(u64::from(request.sectors));
            self.before.sectors = request.sectors;
        }
        self.records += 1;
        self.out.write_all(&self.record)
    }

    /// Writes the end and hands `out` back, flushed.
    ///
    /// # Errors
    /// What `out` says.
    pub fn finish(mut self) -> io::Result<W> {
        self.record.clear();
        self.record.push(END);
        push_varint(&mut self.record, self.records);
        self.out.write_all(&self.record)?;
        self.out.flush()?;
        Ok(self.out)
    }
}

fn push_varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Reads the records after the header.
#[derive(Default)]
pub(crate) struct NativeParser {
    before: Before,
    records: u64,
    started: bool,
}

/// Why no record could be read.
pub(crate) enum NativeError {
    Io(io::Error),
    Bad(Bad),
    Truncated,
}

impl NativeError {
    /// The error a user sees, for record `line` of `file`.
    pub fn named(self, file: &str, line: u64) -> TraceError {
        let file_name = file.to_owned();
        match self {
            Self::Io(e) => TraceError::from_io(file, e),
            Self::Bad(bad) => {
                TraceError::Malformed { file: file_name, line, expected: bad.expected, found: bad.found }
            }
            Self::Truncated => TraceError::Truncated {
                file: file_name,
                why: format!("the data end in record {line}, before the end mark"),
            },
        }
    }
}

impl NativeParser {
    /// The next record, or `None` behind the last one. The number of the record is then `lines.line()`.
    pub fn next(&mut self, lines: &mut Lines) -> Result<Option<Record>, NativeError> {
        if !self.started {
            self.header(lines)?;
            self.started = true;
        }
        lines.count_record();
        let tag = byte(lines)?;
        if tag == END {
            let count = varint(lines)?;
            if count != self.records {
                let found = format!("{} records", self.records);
                return Err(NativeError::Bad(Bad::new(
                    format!("{count} records, as the end mark says"),
                    found.as_bytes(),
                )));
            }
            return match lines.next_byte().map_err(NativeError::Io)? {
                None => Ok(None),
                Some(extra) => Err(NativeError::Bad(Bad::new("nothing behind the end mark", &[extra]))),
            };
        }
        if tag & RESERVED != 0 {
            return Err(NativeError::Bad(Bad::new("a record", format!("tag {tag:#04x}").as_bytes())));
        }
        let op = match tag & OP_MASK {
            0 => Op::Read,
            1 => Op::Write,
            2 => Op::Trim,
            _ => Op::Flush,
        };
        if tag & SAME_TIME == 0 {
            let step_ns = varint(lines)?;
            self.before.time_ns = self.before.time_ns.checked_add(step_ns).ok_or_else(|| {
                NativeError::Bad(Bad::new(
                    "a time below 2^64 ns",
                    format!("a step of {step_ns} ns").as_bytes(),
                ))
            })?;
        }
        self.records += 1;
        let time_ns = self.before.time_ns;
        if op == Op::Flush {
            return Ok(Some(Record { time_ns, device: 0, sector: 0, sectors: 0, op }));
        }
        let mut sector = self.before.end_sector;
        if tag & SEQUENTIAL == 0 {
            sector = sector.wrapping_add_signed(unzigzag(varint(lines)?));
        }
        if tag & SAME_LENGTH == 0 {
            let sectors = varint(lines)?;
            self.before.sectors = u32::try_from(sectors).map_err(|_| {
                NativeError::Bad(Bad::new("fewer than 2^32 sectors", format!("{sectors} sectors").as_bytes()))
            })?;
        }
        let sectors = self.before.sectors;
        self.before.end_sector = sector.wrapping_add(u64::from(sectors));
        Ok(Some(Record { time_ns, device: 0, sector, sectors, op }))
    }

    fn header(&mut self, lines: &mut Lines) -> Result<(), NativeError> {
        for &expected in MAGIC {
            if byte(lines)? != expected {
                return Err(NativeError::Bad(Bad::new(
                    "a native trace, which starts with WLTRACE",
                    b"another file",
                )));
            }
        }
        match byte(lines)? {
            VERSION => Ok(()),
            other => {
                let found = format!("version {other}");
                Err(NativeError::Bad(Bad::new(
                    "a native trace of version 1 (or a newer Wordline)",
                    found.as_bytes(),
                )))
            }
        }
    }
}

fn byte(lines: &mut Lines) -> Result<u8, NativeError> {
    lines.next_byte().map_err(NativeError::Io)?.ok_or(NativeError::Truncated)
}

fn varint(lines: &mut Lines) -> Result<u64, NativeError> {
    let mut value: u64 = 0;
    for shift in (0..64).step_by(7) {
        let byte = byte(lines)?;
        let bits = u64::from(byte & 0x7f);
        if shift == 63 && bits > 1 {
            break;
        }
        value |= bits << shift;
        if byte & 0x80 == 0 {
            return Ok(value);
        }
    }
    Err(NativeError::Bad(Bad::new("a varint of at most 64 bits", b"a longer one")))
}
