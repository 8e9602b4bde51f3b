//! fio's I/O logs (`write_iolog`), versions 2 and 3.
//!
//! After the header `fio version N iolog`, version 2 has `file action [offset length]`; version 3 has a time in us
//! before it. Offset and length are bytes. In version 2 only `wait` gives a time: its offset is the us since the
//! previous `wait`. Source: fio's manual, "Trace file format v2" and "v3", and `log_io_u` in its `iolog.c`. Files are
//! numbered as devices in the order of their first appearance; `sync`, `datasync` and `sync_file_range` are flushes.

use wordline_core::host::{HostRequest, Op, SECTOR_BYTES};

use super::fields::Fields;
use super::names::Names;
use super::options::ZeroLength;
use super::text::{Line, LineFormat};
use super::write::{LineWriter, push_uint};
use crate::error::Bad;

fn version(line: &[u8]) -> Option<u8> {
    match line.trim_ascii() {
        b"fio version 2 iolog" => Some(2),
        b"fio version 3 iolog" => Some(3),
        _ => None,
    }
}

/// State from earlier lines.
#[derive(Default)]
pub(crate) struct FioIolog {
    version: u8,
    waited_us: u64,
    files: Names,
}

impl LineFormat for FioIolog {
    const ZERO_LENGTH: ZeroLength = ZeroLength::Skip;

    fn fits(line: &[u8]) -> bool {
        version(line).is_some()
    }

    fn follow(&mut self, before: &mut Self) {
        self.files = std::mem::take(&mut before.files);
    }

    fn parse(&mut self, line: &[u8], number: u64) -> Result<Line, Bad> {
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
        let device = self.files.number(file);
        if op == Op::Flush {
            return Ok(Line::flush(time_ns, device));
        }
        let offset_bytes = fields.uint("an offset in bytes")?;
        let size_bytes = fields.uint("a length in bytes")?;
        fields.end()?;
        Line::of_bytes(time_ns, device, op, offset_bytes, size_bytes)
    }
}

/// Writes version 3, whose lines are `time_us file action offset_bytes length_bytes`. All requests go to a file named
/// `device`; fio's `replay_redirect` names the real one.
#[derive(Default)]
pub(crate) struct FioWriter {
    last_us: u64,
}

impl LineWriter for FioWriter {
    const HEADER: &'static str = "fio version 3 iolog\n0 device add\n0 device open\n";

    fn line(&mut self, request: &HostRequest, out: &mut Vec<u8>) -> Result<(), &'static str> {
        if request.hint != 0 {
            return Err("fio-iolog has no placement handles; native and csv have");
        }
        let action: &[u8] = match request.op {
            Op::Read => b" device read ",
            Op::Write => b" device write ",
            Op::Trim => b" device trim ",
            Op::Flush => b" device sync ",
            Op::Close => return Err("fio-iolog has no request to close open groups; native and csv have"),
            _ => return Err("fio-iolog has no requests to zones; native and csv have"),
        };
        let offset_bytes = request
            .sector
            .checked_mul(SECTOR_BYTES)
            .ok_or("the offset in bytes does not fit fio's 64 bits; native has room")?;
        self.last_us = request.arrival_ns / 1000;
        push_uint(out, self.last_us);
        out.extend(action);
        push_uint(out, offset_bytes);
        out.push(b' ');
        push_uint(out, u64::from(request.sectors) * SECTOR_BYTES);
        Ok(())
    }

    fn footer(&self) -> String {
        format!("{} device close\n", self.last_us)
    }
}
