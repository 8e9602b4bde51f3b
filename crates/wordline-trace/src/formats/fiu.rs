//! FIU (IODedup, SRCMap): `ts pid process lba size op major minor md5`, separated by blanks.
//!
//! `ts` is in ns, lba and size count 512-byte sectors, op is `R` or `W`. The content hashes at the end, one for each
//! 4096 or (home traces) 512 bytes, are not used. Source: README of the traces at SNIA IOTTA; Koller and Rangaswami,
//! "I/O Deduplication", FAST '10. A process name may contain blanks, so the parser searches for the two numbers before
//! the op to find its end. Devices are numbered in the order of their first appearance.

use wordline_core::host::Op;

use super::fields::Fields;
use super::text::{Line, LineFormat};
use crate::error::Bad;

/// The devices seen so far, by major and minor number.
#[derive(Default)]
pub(crate) struct Fiu {
    devices: Vec<(u32, u32)>,
}

impl LineFormat for Fiu {
    fn fits(line: &[u8]) -> bool {
        matches!(Self::default().parse(line, 1), Ok(Line::Request(_)))
    }

    fn follow(&mut self, before: &mut Self) {
        self.devices = std::mem::take(&mut before.devices);
    }

    #[inline]
    fn parse(&mut self, line: &[u8], _number: u64) -> Result<Line, Bad> {
        let mut fields = Fields::new(line);
        if fields.at_end() {
            return Ok(Line::Other);
        }
        let time_ns = fields.whole_time(1, "a time in ns")?;
        fields.uint("a process id")?;
        skip_process(&mut fields);
        let sector = fields.uint("an LBA in 512-byte sectors")?;
        let sectors = fields.uint32("a size in 512-byte sectors")?;
        let op = match fields.word() {
            b"R" => Op::Read,
            b"W" => Op::Write,
            other => return Err(Bad::new("R or W", other)),
        };
        let major = fields.uint32("a major device number")?;
        let minor = fields.uint32("a minor device number")?;
        if fields.at_end() {
            return Err(fields.bad_here("a hash of the content"));
        }
        let device = self.device(major, minor);
        Ok(Line::of_sectors(time_ns, device, op, sector, sectors))
    }
}

/// Skips the name of the process: everything up to the two numbers before an operation.
fn skip_process(fields: &mut Fields<'_>) {
    fields.word();
    let mut ahead = fields.clone();
    while !ahead.at_end() {
        let mut numbers = ahead.clone();
        if numbers.uint("").is_ok() && numbers.uint("").is_ok() && matches!(numbers.word(), b"R" | b"W") {
            *fields = ahead;
            return;
        }
        if ahead.word().is_empty() {
            break;
        }
    }
    // There is no such place: the error is reported for the fields after a name without blanks.
}

impl Fiu {
    fn device(&mut self, major: u32, minor: u32) -> u32 {
        let known = self.devices.iter().position(|&device| device == (major, minor));
        let index = known.unwrap_or_else(|| {
            self.devices.push((major, minor));
            self.devices.len() - 1
        });
        u32::try_from(index).expect("a device takes more than a byte, so there are fewer than 2^32")
    }
}
