//! The log of a lab's own recorder: `@time_us op sector+sectors`, such as `@125.5 W 4096+8`.
//!
//! Time is in us with or without a fraction, op is `R`, `W`, `T` (trim) or `F` (flush, without an address), sectors are of
//! 512 bytes.

use wordline_core::host::Op;

use super::fields::Fields;
use super::text::{Line, LineFormat};
use crate::error::Bad;

/// The parser; it has nothing to remember from line to line.
#[derive(Default)]
pub(crate) struct LabLog;

impl LineFormat for LabLog {
    fn fits(line: &[u8]) -> bool {
        line.starts_with(b"@") && Self.parse(line, 1).is_ok()
    }

    fn parse(&mut self, line: &[u8], _number: u64) -> Result<Line, Bad> {
        const ADDRESS: &str = "an address as sector+sectors";
        if line.is_empty() {
            return Ok(Line::Other);
        }
        let Some(line) = line.strip_prefix(b"@") else { return Err(Bad::new("@ and a time in us", line)) };
        let mut fields = Fields::new(line);
        let time_ns = fields.time(1000, "a time in us")?;
        let op = match fields.word() {
            b"R" => Op::Read,
            b"W" => Op::Write,
            b"T" => Op::Trim,
            b"F" => {
                fields.end()?;
                return Ok(Line::flush(time_ns, 0));
            }
            other => return Err(Bad::new("R, W, T or F", other)),
        };
        let address = fields.word();
        fields.end()?;
        let Some(plus) = address.iter().position(|&b| b == b'+') else {
            return Err(Bad::new(ADDRESS, address));
        };
        let sector = Fields::new(&address[..plus]).uint("a sector")?;
        let sectors = Fields::new(&address[plus + 1..]).uint32("a number of sectors")?;
        Ok(Line::of_sectors(time_ns, 0, op, sector, sectors))
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use wordline_core::host::{HostRequest, Op};

    use crate::{Format, TraceError, TraceOptions};

    fn read(text: &'static str) -> Result<Vec<HostRequest>, TraceError> {
        let reader = TraceOptions::new().read_from("lab.log", Cursor::new(text))?;
        assert_eq!(reader.format(), Format::LabLog);
        reader.collect()
    }

    #[test]
    fn a_log_is_detected_and_read() {
        let expected = [
            HostRequest::new(0, Op::Write, 4096, 8),
            HostRequest::new(500, Op::Flush, 0, 0),
            HostRequest::new(2500, Op::Read, 16, 1),
        ];
        assert_eq!(read("@125 W 4096+8\n@125.5 F\n\n@127.5 R 16+1\n").unwrap(), expected);
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        for (line, expected) in [
            ("127 R 16+1", "@ and a time"),
            ("@127 X 16+1", "R, W, T or F"),
            ("@127 R 16", "sector+sectors"),
            ("@127 R x+1", "a sector"),
            ("@127 R 16+1 1", "the end of the line"),
        ] {
            let text = format!("@125 W 4096+8\n{line}\n").leak();
            let error = read(text).unwrap_err().to_string();
            assert!(error.starts_with("lab.log:2: ") && error.contains(expected), "{line}: {error}");
        }
    }
}
