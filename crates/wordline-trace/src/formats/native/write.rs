//! Writing version 3.

use std::io::{self, Write};

use super::blocks::{
    BlockHeader, CONNECTION, FUA, HANDLE, MORE, OF_ZONES, OPS, SAME_LENGTH, SAME_TIME, SEQUENTIAL, ZONED,
};
use super::{Before, MAGIC, varint};
use crate::request::{TraceOp, TraceRequest};

const VERSION: u8 = 3;

/// Bytes at which a block is written: much longer than its header, but short enough that little is lost.
const BLOCK_BYTES: usize = 1 << 16;

/// Writes the format to any [`Write`]; [`finish`](Self::finish) must be called, or the file is truncated.
pub struct NativeWriter<W: Write> {
    out: W,
    before: Before,
    payload: Vec<u8>,
    records_in_block: u32,
    blocks: u64,
    records: u64,
    latest_ns: u64,
}

fn wrong(what: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, what)
}

impl<W: Write> NativeWriter<W> {
    /// Starts a file in `out`, which should be buffered.
    ///
    /// # Errors
    /// Errors of `out`.
    pub fn new(mut out: W) -> io::Result<Self> {
        out.write_all(MAGIC)?;
        out.write_all(&[VERSION])?;
        Ok(Self {
            out,
            before: Before::default(),
            payload: Vec::with_capacity(BLOCK_BYTES + 64),
            records_in_block: 0,
            blocks: 0,
            records: 0,
            latest_ns: 0,
        })
    }

    /// Appends a request, whose arrival must not be before the last one's: a [`TraceRequest`], or a
    /// [`HostRequest`](wordline_core::host::HostRequest).
    ///
    /// # Errors
    /// Errors of `out`; [`io::ErrorKind::InvalidInput`] if time goes back, or if a request has no length although its
    /// operation has an address.
    pub fn write(&mut self, request: impl Into<TraceRequest>) -> io::Result<()> {
        let request = request.into();
        if request.arrival_ns < self.latest_ns {
            return Err(wrong("arrival times of a native trace never go back"));
        }
        let has_address = request.op.has_address();
        if request.op.has_sectors() && request.sectors == 0 {
            return Err(wrong("requests of a native trace have a length"));
        }
        self.latest_ns = request.arrival_ns;
        self.push(&request, has_address);
        self.records += 1;
        self.records_in_block += 1;
        if self.payload.len() >= BLOCK_BYTES { self.end_block() } else { Ok(()) }
    }

    fn push(&mut self, request: &TraceRequest, has_address: bool) {
        let before = &mut self.before;
        let step_ns = request.arrival_ns - before.time_ns;
        let step_sectors = request.sector.wrapping_sub(before.end_sector).cast_signed();
        let of_zones = match request.op {
            TraceOp::Zoned(op) => ZONED.iter().position(|&each| each == op),
            _ => None,
        };
        let op = of_zones.or_else(|| OPS.iter().position(|&op| op == request.op));
        let op = op.expect("the tables have every operation");
        let has_sectors = request.op.has_sectors();
        let more = [
            (CONNECTION, request.connection != before.connection),
            (HANDLE, request.handle != before.handle),
            (OF_ZONES, of_zones.is_some()),
        ];
        let more = more.iter().fold(0, |more, &(bit, set)| if set { more | bit } else { more });
        let bits = [
            (SAME_TIME, step_ns == 0),
            (SEQUENTIAL, has_address && step_sectors == 0),
            (SAME_LENGTH, has_sectors && request.sectors == before.sectors),
            (FUA, request.fua),
            (MORE, more != 0),
        ];
        let tag = bits.iter().fold(op as u8, |tag, &(bit, set)| if set { tag | bit } else { tag });
        self.payload.push(tag);
        if more != 0 {
            self.payload.push(more);
        }
        if tag & SAME_TIME == 0 {
            varint::push(&mut self.payload, step_ns);
        }
        if has_address && tag & SEQUENTIAL == 0 {
            varint::push(&mut self.payload, varint::zigzag(step_sectors));
        }
        if has_sectors && tag & SAME_LENGTH == 0 {
            varint::push(&mut self.payload, u64::from(request.sectors));
        }
        if more & CONNECTION != 0 {
            varint::push(&mut self.payload, u64::from(request.connection));
        }
        if more & HANDLE != 0 {
            varint::push(&mut self.payload, u64::from(request.handle));
        }
        before.time_ns = request.arrival_ns;
        (before.connection, before.handle) = (request.connection, request.handle);
        if has_address {
            before.end_sector = request.sector.wrapping_add(u64::from(request.sectors));
        }
        if has_sectors {
            before.sectors = request.sectors;
        }
    }

    /// Writes the current block, if it has records.
    fn end_block(&mut self) -> io::Result<()> {
        if self.records_in_block == 0 {
            return Ok(());
        }
        let header = BlockHeader { payload_bytes: self.payload.len() as u32, records: self.records_in_block };
        self.block(header)?;
        self.before = Before::default();
        self.payload.clear();
        self.records_in_block = 0;
        Ok(())
    }

    fn block(&mut self, header: BlockHeader) -> io::Result<()> {
        self.out.write_all(&header.payload_bytes.to_le_bytes())?;
        self.out.write_all(&header.records.to_le_bytes())?;
        self.out.write_all(&header.checksum(VERSION, self.blocks, &self.payload).to_le_bytes())?;
        self.out.write_all(&self.payload)?;
        self.blocks += 1;
        Ok(())
    }

    /// Writes the current records as a block of their own, and flushes `out`: everything up to here can be read,
    /// although the file has no end yet.
    ///
    /// # Errors
    /// Errors of `out`.
    pub fn flush(&mut self) -> io::Result<()> {
        self.end_block()?;
        self.out.flush()
    }

    /// Writes the end and returns `out`, flushed.
    ///
    /// # Errors
    /// Errors of `out`.
    pub fn finish(mut self) -> io::Result<W> {
        self.end_block()?;
        self.payload.extend(self.records.to_le_bytes());
        self.block(BlockHeader { payload_bytes: 0, records: 0 })?;
        self.out.flush()?;
        Ok(self.out)
    }
}
