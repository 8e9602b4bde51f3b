//! DiskSim's ASCII traces: `time_ms device lba sectors flags`, separated by blanks.
//!
//! Traces for MQSim with decimal seconds have the same columns, and the same bit for a read: `crate::time_unit` tells them
//! apart by their rates.
//!
//! The flags are hexadecimal, bit 0 set means read; lba and sectors count 512 bytes. Source: the DiskSim 4.0 reference
//! manual, "Traces", and its `iotrace_ascii_get_ioreq_event`.

use wordline_core::host::Op;

use super::Format;
use super::fields::Fields;
use super::options::TraceOptions;
use super::text::{Line, LineFormat};
use crate::error::Bad;
use crate::unit::TimeUnit;

const READ_FLAG: u64 = 1;

pub(crate) struct Disksim {
    unit_ns: u64,
}

impl Default for Disksim {
    fn default() -> Self {
        Self { unit_ns: TimeUnit::Milliseconds.ns() }
    }
}

impl LineFormat for Disksim {
    const TIME_UNITS: &'static [TimeUnit] = &[TimeUnit::Milliseconds, TimeUnit::Seconds];

    fn new(options: &TraceOptions) -> Self {
        Self { unit_ns: options.time_unit_ns(Format::Disksim) }
    }

    fn fits(line: &[u8]) -> bool {
        // MQSim's format also has five numbers per line. DiskSim always writes a decimal point in the time, which
        // decides.
        matches!(Self::default().parse(line, 1), Ok(Line::Request(_)))
            && Fields::new(line).word().contains(&b'.')
    }

    #[inline]
    fn parse(&mut self, line: &[u8], _number: u64) -> Result<Line, Bad> {
        let mut fields = Fields::new(line);
        if fields.at_end() {
            return Ok(Line::Other);
        }
        let time_ns = fields.time(self.unit_ns, "a time in ms")?;
        let device = fields.uint32("a device number")?;
        let sector = fields.uint("a block number in 512-byte sectors")?;
        let sectors = fields.uint32("a size in 512-byte sectors")?;
        let flags = fields.hex("flags in hexadecimal (bit 0 set = read)")?;
        fields.end()?;
        let op = if flags & READ_FLAG != 0 { Op::Read } else { Op::Write };
        Ok(Line::of_sectors(time_ns, device, op, sector, sectors))
    }
}
