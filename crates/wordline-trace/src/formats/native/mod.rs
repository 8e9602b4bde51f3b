//! Wordline's own trace format, `native`: a fifth to a third of a text trace's size, faster to read, and with a
//! checksum over every byte. It keeps all of a [`TraceRequest`](crate::TraceRequest). Wordline writes version 3, and
//! reads versions 1 to 3.
//!
//! ```text
//! header   8 bytes  "WLTRACE" 0x00
//!          1 byte   version, 3
//! block    4 bytes  bytes of the payload, 1 to 2^20
//!          4 bytes  records in the payload
//!          4 bytes  CRC-32 of: the version (1 byte, but in version 2), the block's number from 0 (8 bytes),
//!                   the 8 bytes above, the payload
//!          payload
//! record   1 byte   bits 0-2  operation: 0 read, 1 write, 2 trim, 3 flush, 4 write zeroes,
//!                             5 write zeroes and keep allocated, 6 power cut, 7 close open groups
//!                   bit  3    no time: the time is that of the record before
//!                   bit  4    no sector: it starts where the record before ended
//!                   bit  5    no length: as long as the record before
//!                   bit  6    FUA
//!                   bit  7    a second byte follows; version 2: bit 0 of that, and there is none
//!          1 byte   bit  0    with a connection; else that of the record before
//!                   bit  1    with a placement handle; else that of the record before
//!                   bit  2    the operation is of zones: 0 append, 1 open, 2 close, 3 finish,
//!                             4 reset, 5 report
//!                   bits 3-7  zero                                       if bit 7
//!          varint   ns since the record before                           unless bit 3
//!          varint   zigzag of (sector - end of the record before)        unless bit 4, or without an address
//!          varint   sectors                                              unless bit 5, or without an address
//!          varint   connection, below 2^16                               if so
//!          varint   handle, below 2^16; 0 for none                       if so
//! end      a block whose length and records are 0, and whose payload is the number of all records (8 bytes)
//! ```
//!
//! Flush, power cut, close and report have no address; operations on zones other than append have no length. Numbers of fixed size are little-endian. A varint holds 7 bits per byte, the lowest first, with bit 7 set on all
//! bytes except the last. Differences of sectors are taken modulo 2^64. Before the first record of each block, time,
//! end, length, connection and handle are 0, so that a block can be read alone; a record without an address does not change end
//! and length. The CRC-32 is that of gzip (ISO 3309). A file without its end is truncated. It can be compressed further
//! like any other trace.

mod blocks;
mod varint;
mod version_1;
mod write;

pub use write::NativeWriter;

use super::{Record, Records};
use crate::error::{Bad, ReadError};
use crate::formats::options::TraceOptions;
use crate::input::Lines;

/// The first bytes of every file.
const MAGIC: &[u8; 8] = b"WLTRACE\0";

/// The previous values, from which differences are taken.
#[derive(Default)]
struct Before {
    time_ns: u64,
    end_sector: u64,
    sectors: u32,
    connection: u16,
    handle: u16,
}

impl Before {
    /// A time `step_ns` later.
    fn later(&self, step_ns: u64) -> Result<u64, Bad> {
        self.time_ns
            .checked_add(step_ns)
            .ok_or_else(|| Bad::new("a time below 2^64 ns", format!("a step of {step_ns} ns").as_bytes()))
    }
}

/// A number of sectors as 32 bits.
fn sectors_of(value: u64) -> Result<u32, Bad> {
    u32::try_from(value)
        .map_err(|_| Bad::new("fewer than 2^32 sectors", format!("{value} sectors").as_bytes()))
}

/// Reads the records of a version.
pub(crate) enum NativeRecords {
    /// Nothing is read yet.
    Unopened,
    Version1(version_1::Reader),
    /// Versions 2 and 3.
    Blocks(blocks::Reader),
}

impl Records for NativeRecords {
    fn new(_options: &TraceOptions) -> Self {
        Self::Unopened
    }

    fn fits(first_line: &[u8]) -> bool {
        first_line.starts_with(MAGIC)
    }

    #[inline]
    fn next(&mut self, lines: &mut Lines, _skipped: &mut u64) -> Result<Option<Record>, ReadError> {
        match self {
            Self::Blocks(reader) => reader.next(lines),
            Self::Version1(reader) => reader.next(lines),
            Self::Unopened => {
                *self = Self::open(lines)?;
                self.next(lines, _skipped)
            }
        }
    }
}

impl NativeRecords {
    fn open(lines: &mut Lines) -> Result<Self, ReadError> {
        const PLACE: &str = "in the header";
        let mut next = || lines.next_byte()?.ok_or(ReadError::Truncated(PLACE));
        for &expected in MAGIC {
            if next()? != expected {
                return Err(Bad::new("a native trace, which starts with WLTRACE", b"another file").into());
            }
        }
        match next()? {
            1 => Ok(Self::Version1(version_1::Reader::default())),
            version @ 2..=3 => Ok(Self::Blocks(blocks::Reader::of_version(version))),
            other => {
                let found = format!("version {other}");
                Err(Bad::new("a native trace of version 1 to 3 (or a newer Wordline)", found.as_bytes())
                    .into())
            }
        }
    }
}
