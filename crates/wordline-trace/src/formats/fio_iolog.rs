//! fio's I/O logs (`write_iolog`), versions 2 and 3.
//!
//! After the header `fio version N iolog`, version 2 has `file action [offset length]`, version 3 a time in us in
//! front of it. Offset and length are bytes. Version 2 knows time only by `wait`, whose offset is the us since the
//! `wait` before. Source: fio's manual, "Trace file format v2" and "v3", and `log_io_u` in its `iolog.c`. Files are numbered
//! as devices in the order of their first appearance; `sync`, `datasync` and `sync_file_range` are flushes.

use wordline_core::host::Op;

use super::fields::Fields;
use super::{Line, Record, byte_request};
use crate::error::Bad;

pub(super) fn fits(line: &[u8]) -> bool {
    version(line).is_some()
}

fn version(line: &[u8]) -> Option<u8> {
    match line.trim_ascii() {
        b"fio version 2 iolog" => Some(2),
        b"fio version 3 iolog" => Some(3),
        _ => None,
    }
}

/// What the lines before this one settled.
#[derive(Default)]
pub(crate) struct Parser {
    version: u8,
    waited_us: u64,
    files: Vec<Vec<u8>>,
}

impl Parser {
    pub fn parse(&mut self, line: &[u8], number: u64) -> Result<Line, Bad> {
        const WHEN: &str = "a time in us";
        if number == 1 {
            const HEADER: &str = "`fio version 2 iolog` or `fio version 3 iolog`";
            self.version = version(line).ok_or_else(|| Bad::new(HEADER, line))?;
            return Ok(Line::Other);
        }
        let mut fields = Fields::new(line);
        if fields.at_end() {
            return Ok(Line::Other);
        }
        let time_us = if self.version == 3 { fields.uint(WHEN)? } else { self.waited_us };
        let file = fields.word();
        let action = fields.word();
        if let b"add" | b"open" | b"close" | b"unlink" = action {
            fields.end()?;
            return Ok(Line::Other);
        }
        let op = match action {
            b"read" => Op::Read,
            b"write" => Op::Write,
            b"trim" => Op::Trim,
            b"sync" | b"datasync" | b"sync_file_range" => Op::Flush,
            b"wait" if self.version == 2 => {
                self.waited_us = self.waited_us.saturating_add(fields.uint("a wait in us")?);
                return Ok(Line::Other);
            }
            other => {
                return Err(Bad::new(
                    "read, write, trim, sync, datasync, wait (v2), add, open or close",
                    other,
                ));
            }
        };
        let time_ns = time_us.checked_mul(1000).ok_or_else(|| Bad::new(WHEN, line))?;
        let device = self.device(file);
        if op == Op::Flush {
            return Ok(Line::Request(Record { time_ns, device, sector: 0, sectors: 0, op }));
        }
        let offset_bytes = fields.uint("an offset in bytes")?;
        let size_bytes = fields.uint("a length in bytes")?;
        fields.end()?;
        byte_request(time_ns, device, op, offset_bytes, size_bytes)
    }

    fn device(&mut self, file: &[u8]) -> u32 {
        let known = self.files.iter().position(|f| f == file);
        let index = known.unwrap_or_else(|| {
            self.files.push(file.to_vec());
            self.files.len() - 1
        });
        u32::try_from(index).expect("a file name takes more than a byte, so there are fewer than 2^32")
    }
}
