//! SPC trace file format, as in the UMass repository (Financial, WebSearch): `ASU,LBA,Size,Opcode,Timestamp`.
//!
//! LBA counts 512-byte sectors, Size bytes, Opcode is `R` or `W` in either case, Timestamp is in s from the start. The
//! specification allows more fields after these; they are ignored. Source: Storage Performance Council, "SPC Trace File
//! Format Specification", rev. 1.0.1.

use wordline_core::host::{Op, SECTOR_BYTES};

use super::fields::Fields;
use super::text::{Line, LineFormat, too_long};
use crate::error::Bad;

#[derive(Default)]
pub(crate) struct Spc;

impl LineFormat for Spc {
    fn fits(line: &[u8]) -> bool {
        matches!(Self.parse(line, 1), Ok(Line::Request(_)))
    }

    #[inline]
    fn parse(&mut self, line: &[u8], _number: u64) -> Result<Line, Bad> {
        if line.is_empty() {
            return Ok(Line::Other);
        }
        let mut fields = Fields::new(line);
        let device = fields.uint32("an ASU number")?;
        fields.comma("an LBA in 512-byte sectors")?;
        let sector = fields.uint("an LBA in 512-byte sectors")?;
        fields.comma("a size in bytes")?;
        let size_bytes = fields.uint("a size in bytes")?;
        fields.comma("R or W")?;
        let op = match fields.word() {
            b"R" | b"r" => Op::Read,
            b"W" | b"w" => Op::Write,
            other => return Err(Bad::new("R or W", other)),
        };
        fields.comma("a timestamp in s")?;
        let time_ns = fields.time(1_000_000_000, "a timestamp in s")?;
        fields.no_decimal_comma("a timestamp in s")?;
        let sectors = u32::try_from(size_bytes.div_ceil(SECTOR_BYTES)).map_err(|_| too_long(size_bytes))?;
        Ok(Line::of_sectors(time_ns, device, op, sector, sectors))
    }
}
