//! MQSim's ASCII traces, the same as SSDsim's: `time_ns device lba sectors op`, separated by blanks.
//!
//! `op` is 0 for a write, 1 for a read; lba and sectors count 512 bytes. Source: MQSim's README,
//! "Trace-based flows", and its `ASCII_Trace_Definition.h`.

use wordline_core::host::{HostRequest, Op};

use super::Format;
use super::fields::Fields;
use super::options::TraceOptions;
use super::text::{Line, LineFormat};
use super::write::{LineWriter, push_uint};
use crate::error::Bad;
use crate::unit::TimeUnit;

pub(crate) struct Mqsim {
    unit_ns: u64,
}

impl Default for Mqsim {
    fn default() -> Self {
        Self { unit_ns: 1 }
    }
}

impl LineFormat for Mqsim {
    const TIME_UNITS: &'static [TimeUnit] =
        &[TimeUnit::Nanoseconds, TimeUnit::Microseconds, TimeUnit::Milliseconds, TimeUnit::Seconds];

    fn new(options: &TraceOptions) -> Self {
        Self { unit_ns: options.time_unit_ns(Format::Mqsim) }
    }

    fn fits(line: &[u8]) -> bool {
        matches!(Self::default().parse(line, 1), Ok(Line::Request(_)))
    }

    #[inline]
    fn parse(&mut self, line: &[u8], _number: u64) -> Result<Line, Bad> {
        let mut fields = Fields::new(line);
        if fields.at_end() {
            return Ok(Line::Other);
        }
        let time_ns = match self.unit_ns {
            1 => fields.whole_time(1, "a time in ns")?,
            unit_ns => fields.time(unit_ns, "a time")?,
        };
        let device = fields.uint32("a device number")?;
        let sector = fields.uint("an LBA in 512-byte sectors")?;
        let sectors = fields.uint32("a size in 512-byte sectors")?;
        let op = match fields.word() {
            b"0" => Op::Write,
            b"1" => Op::Read,
            other => return Err(Bad::new("0 (write) or 1 (read)", other)),
        };
        fields.end()?;
        Ok(Line::of_sectors(time_ns, device, op, sector, sectors))
    }
}

impl LineWriter for Mqsim {
    fn line(&mut self, request: &HostRequest, out: &mut Vec<u8>) -> Result<(), &'static str> {
        if request.hint != 0 {
            return Err("mqsim has no placement handles; native and csv have");
        }
        let op = match request.op {
            Op::Write => b'0',
            Op::Read => b'1',
            Op::Trim => return Err("mqsim has no trim; native, csv and fio-iolog have"),
            Op::Flush => return Err("mqsim has no flush; native, csv and fio-iolog have"),
            Op::Close => return Err("mqsim has no request to close open groups; native and csv have"),
            _ => return Err("mqsim has no requests to zones; native and csv have"),
        };
        push_uint(out, request.arrival_ns);
        out.extend(b" 0 ");
        push_uint(out, request.sector);
        out.push(b' ');
        push_uint(out, u64::from(request.sectors));
        out.extend([b' ', op]);
        Ok(())
    }
}
