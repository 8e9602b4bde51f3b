//! Formats in which each line holds at most one record.

use wordline_core::host::Op;

use super::fields::sectors_of_bytes;
use super::options::{TraceOptions, ZeroLength};
use super::{Record, Records};
use crate::error::{Bad, ReadError};
use crate::input::Lines;
use crate::order::TimeBack;
use crate::request::TraceOp;
use crate::unit::TimeUnit;

/// The content of a valid line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// A request.
    Request(Record),
    /// A header, a blank line, another event: not visible to a device.
    Other,
    /// A command that is not a request here (an inquiry, a lost response): counted.
    Skipped,
}

/// A line-based format. The parser implements it, and may keep state from earlier lines.
pub(crate) trait LineFormat: Default {
    /// The default for a timestamp that goes back.
    const TIME_BACK: TimeBack = TimeBack::Error;
    /// The default for a request of zero length.
    const ZERO_LENGTH: ZeroLength = ZeroLength::Error;

    /// The units of time in which files of the format come, the documented one first; none where there is only one.
    const TIME_UNITS: &'static [TimeUnit] = &[];

    /// Builds a parser for a new file, with the options that it needs.
    fn new(_options: &TraceOptions) -> Self {
        Self::default()
    }

    /// Returns true if this line, the first that is not blank, starts a file of the format.
    fn fits(line: &[u8]) -> bool;

    /// The parser of the file before goes: what it knows of names stays.
    fn follow(&mut self, _before: &mut Self) {}

    /// Why a file of the format has no request, where the parser knows.
    fn nothing(&self) -> Option<String> {
        None
    }

    /// Parses line `number` (from 1) of the file.
    fn parse(&mut self, line: &[u8], number: u64) -> Result<Line, Bad>;

    /// The number of broken timestamps that the parser replaced so far.
    fn repaired_times(&self) -> u64 {
        0
    }
}

/// The records of a [`LineFormat`].
pub(crate) struct Text<F>(F);

impl<F: LineFormat> Records for Text<F> {
    const TIME_BACK: TimeBack = F::TIME_BACK;
    const ZERO_LENGTH: ZeroLength = F::ZERO_LENGTH;
    const TIME_UNITS: &'static [TimeUnit] = F::TIME_UNITS;

    fn new(options: &TraceOptions) -> Self {
        Self(F::new(options))
    }

    fn fits(first_line: &[u8]) -> bool {
        F::fits(first_line)
    }

    #[inline]
    fn next(&mut self, lines: &mut Lines, skipped: &mut u64) -> Result<Option<Record>, ReadError> {
        loop {
            let number = lines.line() + 1;
            let Some(line) = lines.next_line()? else { return Ok(None) };
            match self.0.parse(line, number)? {
                Line::Request(record) => return Ok(Some(record)),
                Line::Other => {}
                Line::Skipped => *skipped += 1,
            }
        }
    }

    fn repaired_times(&self) -> u64 {
        self.0.repaired_times()
    }

    fn nothing(&self) -> Option<String> {
        self.0.nothing()
    }

    fn follow(&mut self, before: &mut Self) {
        self.0.follow(&mut before.0);
    }
}

impl Line {
    /// A request given in sectors.
    #[inline]
    pub fn of_sectors(time_ns: u64, device: u32, op: Op, sector: u64, sectors: u32) -> Self {
        let op = TraceOp::from(op);
        Self::Request(Record { time_ns, device, sector, sectors, connection: 0, handle: 0, op, fua: false })
    }

    /// The same request, which names a placement handle.
    pub fn with_handle(self, handle: u16) -> Self {
        match self {
            Self::Request(record) => Self::Request(Record { handle, ..record }),
            other => other,
        }
    }

    /// The same with or without FUA.
    #[inline]
    pub fn with_fua(self, fua: bool) -> Self {
        match self {
            Self::Request(record) => Self::Request(Record { fua, ..record }),
            other => other,
        }
    }

    /// A request given in bytes; it covers the sectors that they touch.
    #[inline]
    pub fn of_bytes(
        time_ns: u64,
        device: u32,
        op: Op,
        offset_bytes: u64,
        size_bytes: u64,
    ) -> Result<Self, Bad> {
        match sectors_of_bytes(offset_bytes, size_bytes) {
            Some((sector, sectors)) => Ok(Self::of_sectors(time_ns, device, op, sector, sectors)),
            None => Err(too_long(size_bytes)),
        }
    }

    /// A request without an address.
    #[inline]
    pub fn without_address(time_ns: u64, device: u32, op: Op) -> Self {
        Self::of_sectors(time_ns, device, op, 0, 0)
    }

    /// A flush.
    #[inline]
    pub fn flush(time_ns: u64, device: u32) -> Self {
        Self::without_address(time_ns, device, Op::Flush)
    }
}

/// Returns true if this is the header that names `columns`. Case and blanks do not matter.
pub(crate) fn is_header(line: &[u8], columns: &str) -> bool {
    let letters = line.iter().filter(|b| **b != b' ').map(u8::to_ascii_lowercase);
    letters.eq(columns.bytes().map(|b| b.to_ascii_lowercase()))
}

/// The error for a request whose sectors exceed 32 bits.
#[cold]
pub(crate) fn too_long(size_bytes: u64) -> Bad {
    Bad::new(
        "a request of less than 2 TiB that ends below 2^64 bytes",
        format!("{size_bytes} bytes").as_bytes(),
    )
}
