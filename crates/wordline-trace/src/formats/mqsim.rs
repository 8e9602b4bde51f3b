//! MQSim's ASCII traces, which are SSDsim's: `time_ns device lba sectors op`, separated by blanks.
//!
//! `op` is 0 for a write, 1 for a read; lba and sectors count 512 bytes. Source: MQSim's README,
//! "Trace-based flows", and its `ASCII_Trace_Definition.h`.

use wordline_core::host::Op;

use super::fields::Fields;
use super::{Line, Record};
use crate::error::Bad;

pub(super) fn fits(line: &[u8]) -> bool {
    matches!(parse(line), Ok(Line::Request(_)))
}

#[inline]
pub(super) fn parse(line: &[u8]) -> Result<Line, Bad> {
    let mut fields = Fields::new(line);
    if fields.at_end() {
        return Ok(Line::Other);
    }
    let time_ns = fields.uint("a time in ns")?;
    let device = fields.uint32("a device number")?;
    let sector = fields.uint("an LBA in 512-byte sectors")?;
    let sectors = fields.uint32("a size in 512-byte sectors")?;
    let op = match fields.word() {
        b"0" => Op::Write,
        b"1" => Op::Read,
        other => return Err(Bad::new("0 (write) or 1 (read)", other)),
    };
    fields.end()?;
    Ok(Line::Request(Record { time_ns, device, sector, sectors, op }))
}
