//! Reading versions 2 and 3: blocks of records, each with its checksum.

use super::{Before, Record, sectors_of, varint};
use crate::error::{Bad, ReadError};
use crate::input::Lines;
use crate::request::TraceOp;
use wordline_core::host::Op;

pub(super) const OP_MASK: u8 = 0b111;
pub(super) const SAME_TIME: u8 = 1 << 3;
pub(super) const SEQUENTIAL: u8 = 1 << 4;
pub(super) const SAME_LENGTH: u8 = 1 << 5;
pub(super) const FUA: u8 = 1 << 6;
/// A second byte follows; in version 2 a connection does.
pub(super) const MORE: u8 = 1 << 7;
/// In the second byte.
pub(super) const CONNECTION: u8 = 1;
pub(super) const HANDLE: u8 = 1 << 1;
pub(super) const OF_ZONES: u8 = 1 << 2;
const RESERVED: u8 = 0b1111_1000;

/// The operations by their numbers.
pub(super) const OPS: [TraceOp; 8] = [
    TraceOp::Read,
    TraceOp::Write,
    TraceOp::Trim,
    TraceOp::Flush,
    TraceOp::WriteZeroes,
    TraceOp::WriteZeroesAllocated,
    TraceOp::PowerCut,
    TraceOp::Close,
];

/// Operations of zones by their numbers.
pub(super) const ZONED: [Op; 6] =
    [Op::Append, Op::ZoneOpen, Op::ZoneClose, Op::ZoneFinish, Op::ZoneReset, Op::ZoneReport];

/// Upper limit of a block: a damaged length must not allocate much memory.
pub(super) const BLOCK_LIMIT_BYTES: u32 = 1 << 20;

/// The header of a block.
#[derive(Clone, Copy)]
pub(super) struct BlockHeader {
    pub payload_bytes: u32,
    pub records: u32,
}

impl BlockHeader {
    /// The checksum of block `number` with its payload, in a file of a version: without it a version 3 that has become a 2 would be read
    /// as one.
    pub fn checksum(self, version: u8, number: u64, payload: &[u8]) -> u32 {
        let mut crc = crc32fast::Hasher::new();
        if version > 2 {
            crc.update(&[version]);
        }
        crc.update(&number.to_le_bytes());
        crc.update(&self.payload_bytes.to_le_bytes());
        crc.update(&self.records.to_le_bytes());
        crc.update(payload);
        crc.finalize()
    }
}

/// Reads the blocks after the header, and the records in them.
#[derive(Default)]
pub(crate) struct Reader {
    version: u8,
    blocks: u64,
    records: u64,
    left_in_block: u32,
    payload: Vec<u8>,
    at: usize,
    before: Before,
}

impl Reader {
    /// At the first block of a file.
    pub fn of_version(version: u8) -> Reader {
        Reader { version, ..Reader::default() }
    }

    #[inline]
    pub fn next(&mut self, lines: &mut Lines) -> Result<Option<Record>, ReadError> {
        lines.count_record();
        if self.left_in_block == 0 && !self.next_block(lines)? {
            return Ok(None);
        }
        self.left_in_block -= 1;
        self.records += 1;
        self.record().map(Some)
    }

    /// Reads the next block and checks its checksum; returns false after the end.
    fn next_block(&mut self, lines: &mut Lines) -> Result<bool, ReadError> {
        if self.at < self.payload.len() {
            return Err(Bad::new("the end of the block", &self.payload[self.at..]).into());
        }
        let payload_bytes = fixed(lines)?;
        let records = fixed(lines)?;
        let checksum = fixed(lines)?;
        let is_end = payload_bytes == 0 && records == 0;
        if !is_end && !(1..=BLOCK_LIMIT_BYTES).contains(&payload_bytes) {
            let found = format!("{payload_bytes} bytes");
            return Err(Bad::new("a block of 1 to 2^20 bytes", found.as_bytes()).into());
        }
        self.payload.clear();
        lines.take(&mut self.payload, if is_end { 8 } else { payload_bytes as usize })?;
        let header = BlockHeader { payload_bytes, records };
        let found = header.checksum(self.version, self.blocks, &self.payload);
        if found != checksum {
            let expected =
                format!("checksum {checksum:#010x} of block {} (copy the file again)", self.blocks);
            return Err(Bad::new(expected, format!("{found:#010x}").as_bytes()).into());
        }
        self.blocks += 1;
        self.before = Before::default();
        self.left_in_block = records;
        self.at = 0;
        if is_end {
            return self.end(lines).map(|()| false);
        }
        if records == 0 {
            return Err(Bad::new("a block with records", b"an empty one").into());
        }
        Ok(true)
    }

    fn end(&mut self, lines: &mut Lines) -> Result<(), ReadError> {
        let count = self.payload.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte));
        if count != self.records {
            let found = format!("{} records", self.records);
            return Err(Bad::new(format!("{count} records, as the end mark says"), found.as_bytes()).into());
        }
        self.payload.clear();
        match lines.next_byte()? {
            None => Ok(()),
            Some(extra) => Err(Bad::new("nothing after the end", &[extra]).into()),
        }
    }

    #[inline]
    fn record(&mut self) -> Result<Record, ReadError> {
        let (payload, at) = (&self.payload, &mut self.at);
        let mut byte = || match payload.get(*at) {
            Some(&byte) => {
                *at += 1;
                Ok(byte)
            }
            None => Err(ReadError::Bad(Bad::new("a record", b""))),
        };
        let before = &mut self.before;
        let tag = byte()?;
        let more = match (tag & MORE != 0, self.version > 2) {
            (true, true) => byte()?,
            (true, false) => CONNECTION,
            (false, _) => 0,
        };
        let number = usize::from(tag & OP_MASK);
        let op = if more & OF_ZONES == 0 {
            OPS.get(number).copied()
        } else {
            ZONED.get(number).map(|&op| TraceOp::Zoned(op))
        };
        let Some(op) = op.filter(|_| more & RESERVED == 0) else {
            return Err(Bad::new("an operation", format!("tag {tag:#04x} {more:#04x}").as_bytes()).into());
        };
        if tag & SAME_TIME == 0 {
            before.time_ns = before.later(varint::read(&mut byte)?)?;
        }
        let (mut sector, mut sectors) = (0, 0);
        if op.has_address() {
            sector = before.end_sector;
            if tag & SEQUENTIAL == 0 {
                sector = sector.wrapping_add_signed(varint::unzigzag(varint::read(&mut byte)?));
            }
            if op.has_sectors() && tag & SAME_LENGTH == 0 {
                before.sectors = sectors_of(varint::read(&mut byte)?)?;
            }
            sectors = if op.has_sectors() { before.sectors } else { 0 };
            before.end_sector = sector.wrapping_add(u64::from(sectors));
        }
        let mut below_2_16 = |expected: &str| {
            let number = varint::read(&mut byte)?;
            u16::try_from(number)
                .map_err(|_| ReadError::from(Bad::new(expected, number.to_string().as_bytes())))
        };
        if more & CONNECTION != 0 {
            before.connection = below_2_16("a connection below 2^16")?;
        }
        if more & HANDLE != 0 {
            before.handle = below_2_16("a placement handle below 2^16")?;
        }
        Ok(Record {
            time_ns: before.time_ns,
            device: 0,
            sector,
            sectors,
            connection: before.connection,
            handle: before.handle,
            op,
            fua: tag & FUA != 0,
        })
    }
}

/// A number of four bytes.
fn fixed(lines: &mut Lines) -> Result<u32, ReadError> {
    let mut bytes = [0; 4];
    for byte in &mut bytes {
        *byte = lines.next_byte()?.ok_or(ReadError::Truncated("before the end"))?;
    }
    Ok(u32::from_le_bytes(bytes))
}
