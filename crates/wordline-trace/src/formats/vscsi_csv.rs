//! VMware vscsiStats traces as CSV: `version,time,op,size,lbn`.
//!
//! Time is in us (vscsiStats, and the CloudPhysics traces) or in s (libCacheSim's CSV files of the latter), op the SCSI operation code in hexadecimal, size in bytes, lbn in 512-byte sectors. Codes: SCSI Block
//! Commands (SBC-4), table of operation codes. Commands that transfer no data of the medium (inquiry, test unit ready
//! …) are skipped and counted.

use wordline_core::host::{Op, SECTOR_BYTES};

use super::Format;
use super::fields::Fields;
use super::options::{TraceOptions, ZeroLength};
use super::text::{Line, LineFormat, is_header, too_long};
use crate::error::Bad;
use crate::unit::TimeUnit;

const HEADER: &str = "version,time,op,size,lbn";

pub(crate) struct VscsiCsv {
    unit_ns: u64,
}

impl Default for VscsiCsv {
    fn default() -> Self {
        Self { unit_ns: TimeUnit::Microseconds.ns() }
    }
}

impl LineFormat for VscsiCsv {
    const TIME_UNITS: &'static [TimeUnit] = &[TimeUnit::Microseconds, TimeUnit::Seconds];

    fn new(options: &TraceOptions) -> Self {
        Self { unit_ns: options.time_unit_ns(Format::VscsiCsv) }
    }

    const ZERO_LENGTH: ZeroLength = ZeroLength::Skip;

    fn fits(line: &[u8]) -> bool {
        // Only by the header: five columns of numbers could be anything.
        is_header(line, HEADER)
    }

    #[inline]
    fn parse(&mut self, line: &[u8], number: u64) -> Result<Line, Bad> {
        if line.is_empty() || number == 1 && is_header(line, HEADER) {
            return Ok(Line::Other);
        }
        let mut fields = Fields::new(line);
        fields.uint("a version number")?;
        fields.comma("a time in us")?;
        let time_ns = fields.time(self.unit_ns, "a time in us")?;
        fields.comma("a SCSI operation code in hexadecimal")?;
        let code = fields.hex("a SCSI operation code in hexadecimal")?;
        fields.comma("a size in bytes")?;
        let size_bytes = fields.uint("a size in bytes")?;
        fields.comma("a block number in 512-byte sectors")?;
        let sector = fields.uint("a block number in 512-byte sectors")?;
        fields.end()?;
        let op = match code {
            0x08 | 0x28 | 0xa8 | 0x88 => Op::Read,  // READ (6), (10), (12), (16)
            0x0a | 0x2a | 0xaa | 0x8a => Op::Write, // WRITE (6), (10), (12), (16)
            0x2e | 0xae | 0x8e => Op::Write,        // WRITE AND VERIFY (10), (12), (16)
            0x41 | 0x93 => Op::Write,               // WRITE SAME (10), (16)
            0x42 => Op::Trim,                       // UNMAP
            0x35 | 0x91 => Op::Flush,               // SYNCHRONIZE CACHE (10), (16)
            0x00..=0xff => return Ok(Line::Skipped),
            _ => return Err(Bad::new("a SCSI operation code of one byte", format!("{code:x}").as_bytes())),
        };
        if op == Op::Flush {
            return Ok(Line::flush(time_ns, 0));
        }
        let sectors = u32::try_from(size_bytes.div_ceil(SECTOR_BYTES)).map_err(|_| too_long(size_bytes))?;
        Ok(Line::of_sectors(time_ns, 0, op, sector, sectors))
    }
}
