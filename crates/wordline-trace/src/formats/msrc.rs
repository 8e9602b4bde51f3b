//! MSR Cambridge: `Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime`.
//!
//! Timestamp and ResponseTime count 100-ns ticks (Windows filetime), Offset and Size bytes, Type is `Read` or `Write`.
//! Source: README of the traces, SNIA IOTTA 387; Narayanan et al., "Write Off-Loading", FAST '08. A published file has
//! one host. Disks of further hosts have numbers of their own: 65,536 more for each. The response time is that of the
//! recorded disk and is not used.

use wordline_core::host::Op;

use super::fields::{FILETIME_TICK_NS, Fields};
use super::names::Names;
use super::text::{Line, LineFormat, is_header};
use crate::error::Bad;
use crate::order::{SORT_WINDOW, TimeBack};

const HEADER: &str = "Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime";

/// Disks of one host.
const DISKS: u32 = 1 << 16;

#[derive(Default)]
pub(crate) struct Msrc {
    hosts: Names,
}

impl LineFormat for Msrc {
    const TIME_BACK: TimeBack = SORT_WINDOW;

    fn fits(line: &[u8]) -> bool {
        is_header(line, HEADER) || matches!(Self::default().parse(line, 1), Ok(Line::Request(_)))
    }

    fn follow(&mut self, before: &mut Self) {
        self.hosts = std::mem::take(&mut before.hosts);
    }

    #[inline]
    fn parse(&mut self, line: &[u8], number: u64) -> Result<Line, Bad> {
        const TIME: &str = "a timestamp in Windows filetime ticks (100 ns)";
        let mut fields = Fields::new(line);
        if line.is_empty() || number == 1 && is_header(line, HEADER) {
            return Ok(Line::Other);
        }
        let time_ns = fields.whole_time(FILETIME_TICK_NS, TIME)?;
        fields.comma("a host name")?;
        let host = self.hosts.number(fields.word());
        fields.comma("a disk number")?;
        let disk = fields.uint32("a disk number")?;
        let device = if host == 0 {
            Some(disk)
        } else {
            host.checked_mul(DISKS).and_then(|first| first.checked_add(disk))
        };
        let device = device.ok_or_else(|| Bad::new("fewer hosts and disks", line))?;
        fields.comma("Read or Write")?;
        let op = match fields.word() {
            b"Read" => Op::Read,
            b"Write" => Op::Write,
            b"read" | b"READ" | b"R" => Op::Read,
            b"write" | b"WRITE" | b"W" => Op::Write,
            other => return Err(Bad::new("Read or Write", other)),
        };
        fields.comma("an offset in bytes")?;
        let offset_bytes = fields.uint("an offset in bytes")?;
        fields.comma("a size in bytes")?;
        let size_bytes = fields.uint("a size in bytes")?;
        fields.comma("a response time in ticks")?;
        fields.uint("a response time in ticks")?;
        fields.end()?;
        Line::of_bytes(time_ns, device, op, offset_bytes, size_bytes)
    }
}
