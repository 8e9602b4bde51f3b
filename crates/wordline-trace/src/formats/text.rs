//! Formats of which each line is a record, or none.

use wordline_core::host::Op;

use super::fields::sectors_of_bytes;
use super::{Record, Records};
use crate::error::{Bad, ReadError};
use crate::input::Lines;
use crate::options::{TraceOptions, ZeroLength};
use crate::order::TimeBack;
use crate::request::TraceOp;

/// What a good line holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// A request.
    Request(Record),
    /// A header, a blank line, another event: nothing that a device would see.
    Other,
    /// Something sent to the device that is no request of ours (an inquiry, an answer that never came): counted.
    Skipped,
}

/// A format of lines. It is implemented by the parser, which may keep what earlier lines settled.
pub(crate) trait LineFormat: Default {
    /// What a timestamp that goes back means unless the user says otherwise.
    const TIME_BACK: TimeBack = TimeBack::Error;
    /// What a request of no length means unless the user says otherwise.
    const ZERO_LENGTH: ZeroLength = ZeroLength::Error;

    /// A parser that has seen no line. What it needs of the options, it takes here.
    fn new(_options: &TraceOptions) -> Self {
        Self::default()
    }

    /// Does this line, the first that is not blank, open a file of the format?
    fn fits(line: &[u8]) -> bool;

    /// Line `number` (from 1) of the file.
    fn parse(&mut self, line: &[u8], number: u64) -> Result<Line, Bad>;

    /// Broken timestamps that the parser replaced so far.
    fn repaired_times(&self) -> u64 {
        0
    }
}

/// The records of a [`LineFormat`].
pub(crate) struct Text<F>(F);

impl<F: LineFormat> Records for Text<F> {
    const TIME_BACK: TimeBack = F::TIME_BACK;
    const ZERO_LENGTH: ZeroLength = F::ZERO_LENGTH;

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
}

impl Line {
    /// A request of sectors.
    #[inline]
    pub fn of_sectors(time_ns: u64, device: u32, op: Op, sector: u64, sectors: u32) -> Self {
        let op = TraceOp::from(op);
        Self::Request(Record { time_ns, device, sector, sectors, connection: 0, op, fua: false })
    }

    /// A request of bytes: the sectors that they touch.
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

    /// A flush.
    #[inline]
    pub fn flush(time_ns: u64, device: u32) -> Self {
        Self::of_sectors(time_ns, device, Op::Flush, 0, 0)
    }
}

/// Is this the header that names `columns`? Case and blanks do not matter.
pub(crate) fn is_header(line: &[u8], columns: &str) -> bool {
    let letters = line.iter().filter(|b| **b != b' ').map(u8::to_ascii_lowercase);
    letters.eq(columns.bytes().map(|b| b.to_ascii_lowercase()))
}

/// The error for a request that is longer than 32 bits of sectors.
#[cold]
pub(crate) fn too_long(size_bytes: u64) -> Bad {
    Bad::new(
        "a request of less than 2 TiB that ends below 2^64 bytes",
        format!("{size_bytes} bytes").as_bytes(),
    )
}
