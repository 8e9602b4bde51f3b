//! Alibaba block traces: `device_id,opcode,offset,length,timestamp`.
//!
//! Opcode is `R` or `W`, offset and length are bytes, timestamp is in us. Source: README of
//! github.com/alibaba/block-traces; Li et al., IISWC '20. A file interleaves a thousand volumes: see
//! [`DeviceMode`](crate::DeviceMode).

use wordline_core::host::Op;

use super::fields::Fields;
use super::text::{Line, LineFormat, is_header};
use crate::error::Bad;
use crate::order::{SORT_WINDOW, TimeBack};

const HEADER: &str = "device_id,opcode,offset,length,timestamp";

#[derive(Default)]
pub(crate) struct Alibaba;

impl LineFormat for Alibaba {
    const TIME_BACK: TimeBack = SORT_WINDOW;

    fn fits(line: &[u8]) -> bool {
        is_header(line, HEADER) || matches!(Self.parse(line, 1), Ok(Line::Request(_)))
    }

    #[inline]
    fn parse(&mut self, line: &[u8], number: u64) -> Result<Line, Bad> {
        if line.is_empty() || number == 1 && is_header(line, HEADER) {
            return Ok(Line::Other);
        }
        let mut fields = Fields::new(line);
        let device = fields.uint32("a device id")?;
        fields.comma("R or W")?;
        let op = match fields.word() {
            b"R" | b"r" => Op::Read,
            b"W" | b"w" => Op::Write,
            other => return Err(Bad::new("R or W", other)),
        };
        fields.comma("an offset in bytes")?;
        let offset_bytes = fields.uint("an offset in bytes")?;
        fields.comma("a length in bytes")?;
        let size_bytes = fields.uint("a length in bytes")?;
        fields.comma("a timestamp in us")?;
        let time_ns = fields.time(1000, "a timestamp in us")?;
        fields.end()?;
        Line::of_bytes(time_ns, device, op, offset_bytes, size_bytes)
    }
}
