//! SYSTOR '17: `Timestamp,Response,IOType,LUN,Offset,Size`.
//!
//! Timestamp is Unix time in s with nine decimals (precise to a microsecond), Offset and Size are bytes, IOType is `R`,
//! `W` or blank. Source: README of the traces, SNIA IOTTA 4964; Lee et al., SYSTOR '17. A blank type means that the
//! recorder missed the response, so the direction is unknown: such lines are skipped and counted.

use wordline_core::host::Op;

use super::fields::Fields;
use super::text::{Line, LineFormat, is_header};
use crate::error::Bad;
use crate::order::{SORT_WINDOW, TimeBack};

const HEADER: &str = "Timestamp,Response,IOType,LUN,Offset,Size";

#[derive(Default)]
pub(crate) struct Systor17;

impl LineFormat for Systor17 {
    const TIME_BACK: TimeBack = SORT_WINDOW;

    fn fits(line: &[u8]) -> bool {
        is_header(line, HEADER) || matches!(Self.parse(line, 1), Ok(Line::Request(_) | Line::Skipped))
    }

    #[inline]
    fn parse(&mut self, line: &[u8], number: u64) -> Result<Line, Bad> {
        if line.is_empty() || number == 1 && is_header(line, HEADER) {
            return Ok(Line::Other);
        }
        let mut fields = Fields::new(line);
        let time_ns = fields.time(1_000_000_000, "a timestamp in s")?;
        fields.comma("a response time in s")?;
        // The recorder lost packets: this field may be empty or negative, and it is not used.
        fields.word();
        fields.comma("R, W or nothing")?;
        let op = match fields.word() {
            b"R" => Some(Op::Read),
            b"W" => Some(Op::Write),
            b"" => None,
            other => return Err(Bad::new("R, W or nothing", other)),
        };
        fields.comma("a LUN index")?;
        let device = fields.uint32("a LUN index")?;
        fields.comma("an offset in bytes")?;
        let offset_bytes = fields.uint("an offset in bytes")?;
        fields.comma("a size in bytes")?;
        let size_bytes = fields.uint("a size in bytes")?;
        fields.end()?;
        match op {
            Some(op) => Line::of_bytes(time_ns, device, op, offset_bytes, size_bytes),
            None => Ok(Line::Skipped),
        }
    }
}
