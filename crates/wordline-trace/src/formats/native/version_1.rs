//! Version 1, without checksums, FUA, write zeroes, connections and power cuts.
//!
//! ```text
//! record   1 byte   bits 0-1  operation: 0 read, 1 write, 2 trim, 3 flush
//!                   bit  2    no time
//!                   bit  3    no sector
//!                   bit  4    no length
//!                   bits 5-7  zero
//!          varints  as in version 2; differences go on through the whole file
//! end      1 byte   0xff
//!          varint   number of records
//! ```

use super::{Before, Record, sectors_of, varint};
use crate::error::{Bad, ReadError};
use crate::input::Lines;
use crate::request::TraceOp;

const END: u8 = 0xff;
const OP_MASK: u8 = 0b11;
const SAME_TIME: u8 = 1 << 2;
const SEQUENTIAL: u8 = 1 << 3;
const SAME_LENGTH: u8 = 1 << 4;
const RESERVED: u8 = 0b1110_0000;

/// Reads the records after the header.
#[derive(Default)]
pub(crate) struct Reader {
    before: Before,
    records: u64,
}

impl Reader {
    pub fn next(&mut self, lines: &mut Lines) -> Result<Option<Record>, ReadError> {
        lines.count_record();
        let tag = byte(lines)?;
        if tag == END {
            return self.end(lines).map(|()| None);
        }
        if tag & RESERVED != 0 {
            return Err(Bad::new("a record", format!("tag {tag:#04x}").as_bytes()).into());
        }
        let op = match tag & OP_MASK {
            0 => TraceOp::Read,
            1 => TraceOp::Write,
            2 => TraceOp::Trim,
            _ => TraceOp::Flush,
        };
        let before = &mut self.before;
        if tag & SAME_TIME == 0 {
            before.time_ns = before.later(varint::read(|| byte(lines))?)?;
        }
        self.records += 1;
        let mut record = Record {
            time_ns: before.time_ns,
            device: 0,
            sector: 0,
            sectors: 0,
            connection: 0,
            handle: 0,
            op,
            fua: false,
        };
        if op.has_address() {
            record.sector = before.end_sector;
            if tag & SEQUENTIAL == 0 {
                let step = varint::unzigzag(varint::read(|| byte(lines))?);
                record.sector = record.sector.wrapping_add_signed(step);
            }
            if tag & SAME_LENGTH == 0 {
                before.sectors = sectors_of(varint::read(|| byte(lines))?)?;
            }
            record.sectors = before.sectors;
            before.end_sector = record.sector.wrapping_add(u64::from(record.sectors));
        }
        Ok(Some(record))
    }

    fn end(&self, lines: &mut Lines) -> Result<(), ReadError> {
        let count = varint::read(|| byte(lines))?;
        if count != self.records {
            let found = format!("{} records", self.records);
            return Err(Bad::new(format!("{count} records, as the end mark says"), found.as_bytes()).into());
        }
        match lines.next_byte()? {
            None => Ok(()),
            Some(extra) => Err(Bad::new("nothing after the end mark", &[extra]).into()),
        }
    }
}

fn byte(lines: &mut Lines) -> Result<u8, ReadError> {
    lines.next_byte()?.ok_or(ReadError::Truncated("before the end mark"))
}
