//! Tencent Cloud block storage (CBS): `Timestamp,Offset,Size,IOType,VolumeID`.
//!
//! Timestamp is in s, Offset and Size count 512-byte sectors, IOType is 0 for a read, 1 for a write. Source: README of
//! the traces, SNIA IOTTA 27917; Zhang et al., "OSCA", ATC '20. A file interleaves many volumes: see
//! [`DeviceMode`](crate::DeviceMode). All requests of a second have the same timestamp.

use wordline_core::host::Op;

use super::fields::Fields;
use super::text::{Line, LineFormat, is_header};
use crate::error::Bad;
use crate::order::{SORT_WINDOW, TimeBack};

const HEADER: &str = "Timestamp,Offset,Size,IOType,VolumeID";

#[derive(Default)]
pub(crate) struct TencentCbs;

impl LineFormat for TencentCbs {
    const TIME_BACK: TimeBack = SORT_WINDOW;

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
        let time_ns = fields.time(1_000_000_000, "a timestamp in s")?;
        fields.comma("an offset in 512-byte sectors")?;
        let sector = fields.uint("an offset in 512-byte sectors")?;
        fields.comma("a size in 512-byte sectors")?;
        let sectors = fields.uint32("a size in 512-byte sectors")?;
        fields.comma("0 (read) or 1 (write)")?;
        let op = match fields.word() {
            b"0" => Op::Read,
            b"1" => Op::Write,
            other => return Err(Bad::new("0 (read) or 1 (write)", other)),
        };
        fields.comma("a volume id")?;
        let device = fields.uint32("a volume id")?;
        fields.end()?;
        Ok(Line::of_sectors(time_ns, device, op, sector, sectors))
    }
}
