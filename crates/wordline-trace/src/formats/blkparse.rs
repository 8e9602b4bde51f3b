//! The default text of `blkparse`: `maj,min cpu sequence time_s pid action RWBS sector + sectors [process]`.
//!
//! A request is a `D` event: the block layer sends it to the driver, after merging. The other events are steps of the
//! same requests, and an option takes requests from one of them (`Event`): device mappers, md and multipath have no `D`.
//! The summary after the events is not an event. Source: `blkparse(1)`, "Trace actions" and "RWBS
//! description"; RWBS itself: the kernel's `blk_fill_rwbs`.
//!
//! - `R` reads, `W` writes (with or without S, M, A), `D` discards; a flush is an `F` without data. An `F` behind the `W` is FUA; one
//!   before it is a preflush, which the block layer sends as a flush of its own: such a write (`FW…`) counts as the write only. Requests that have no address and are not a flush (SCSI passthrough)
//!   are skipped.
//! - Devices are numbered in the order of their first appearance.
//! - blktrace numbers the events of one CPU in order. If an event's number goes back while its time goes forward, its
//!   timestamp is broken: the recorder's time before the first event has underflowed, and blkparse then sorts the event
//!   after all others, decades late. Such an event gets the time of the previous event in the file.

use wordline_core::host::Op;

use super::fields::Fields;
use super::options::{EVENTS, TraceOptions, ZeroLength};
use super::text::{Line, LineFormat};
use crate::error::Bad;
use crate::order::{SORT_WINDOW, TimeBack};

/// State from earlier lines.
#[derive(Default)]
pub(crate) struct Blkparse {
    /// The event of a request; 0: D.
    event: u8,
    /// Number of events, in the order of `EVENTS`.
    events: [u64; EVENTS.len()],
    devices: Vec<(u32, u32)>,
    clocks: Vec<CpuClock>,
    last_time_ns: u64,
    in_summary: bool,
    /// Number of broken timestamps so far.
    repaired: u64,
}

/// The last event of one CPU's record of one device.
struct CpuClock {
    device: u32,
    cpu: u32,
    sequence: u64,
    time_ns: u64,
}

impl LineFormat for Blkparse {
    const TIME_BACK: TimeBack = SORT_WINDOW;
    const ZERO_LENGTH: ZeroLength = ZeroLength::Skip;

    fn new(options: &TraceOptions) -> Self {
        Self { event: options.event.unwrap_or_default(), ..Self::default() }
    }

    fn follow(&mut self, before: &mut Self) {
        self.devices = std::mem::take(&mut before.devices);
    }

    fn nothing(&self) -> Option<String> {
        let wanted = char::from(if self.event == 0 { b'D' } else { self.event });
        let has: Vec<String> = EVENTS
            .iter()
            .zip(self.events)
            .filter(|(_, count)| *count > 0)
            .map(|((event, what), count)| format!("{count} {} ({what})", char::from(*event)))
            .collect();
        (!has.is_empty()).then(|| {
            format!(
                "it has no {wanted} event, but {}; --event Q takes requests from Q events (in Python event=\"Q\")",
                has.join(", ")
            )
        })
    }

    fn fits(line: &[u8]) -> bool {
        let mut parser = Self::default();
        parser.parse(line, 1).is_ok() && !parser.clocks.is_empty()
    }

    fn repaired_times(&self) -> u64 {
        self.repaired
    }

    fn parse(&mut self, line: &[u8], _number: u64) -> Result<Line, Bad> {
        let mut fields = Fields::new(line);
        if self.in_summary || fields.at_end() {
            return Ok(Line::Other);
        }
        fields = Fields::new(line);
        fields.skip_blanks();
        if is_outside_events(line.trim_ascii_start()) {
            self.in_summary = !line.starts_with(b"Input file");
            return Ok(Line::Other);
        }
        let major = fields.uint32("a device as major,minor")?;
        fields.comma("a minor number")?;
        let minor = fields.uint32("a minor number")?;
        let cpu = fields.uint32("a CPU number")?;
        let sequence = fields.uint("a sequence number")?;
        let stamp_ns = fields.time(1_000_000_000, "a time in s")?;
        fields.uint("a process id")?;
        let action = fields.word();
        let device = self.device(major, minor);
        let time_ns = self.trusted_time_ns(device, cpu, sequence, stamp_ns);
        if let [action] = action
            && let Some(place) = EVENTS.iter().position(|(event, _)| event == action)
        {
            self.events[place] += 1;
        }
        if action != [if self.event == 0 { b'D' } else { self.event }] {
            // Its other fields depend on the action; none of them is used.
            return if action.is_empty() { Err(fields.bad_here("an action")) } else { Ok(Line::Other) };
        }
        let rwbs = fields.word();
        let op = match rwbs.iter().find(|b| matches!(b, b'R' | b'W' | b'D' | b'F' | b'N')) {
            Some(b'R') => Op::Read,
            Some(b'W') => Op::Write,
            Some(b'D') => Op::Trim,
            Some(b'F') if rwbs.contains(&b'W') => Op::Write,
            Some(b'F') => Op::Flush,
            Some(_) => return Ok(Line::Skipped),
            None => return Err(Bad::new("RWBS, with one of R, W, D, F or N", rwbs)),
        };
        // The rest of a D event: `sector + sectors`, or only the process.
        if fields.clone().word().starts_with(b"[") {
            return Ok(if rwbs.contains(&b'F') { Line::flush(time_ns, device) } else { Line::Skipped });
        }
        if op == Op::Flush {
            return Ok(Line::flush(time_ns, device));
        }
        let sector = fields.uint("a sector")?;
        let plus = fields.word();
        if plus.starts_with(b"(") || plus.starts_with(b"[") {
            return Ok(Line::Skipped); // a passthrough command: `bytes (command) [process]`
        }
        if plus != b"+" {
            return Err(Bad::new("`+` and a number of sectors", plus));
        }
        let sectors = fields.uint32("a number of sectors")?;
        let is_behind =
            |byte: &u8| rwbs.iter().skip_while(|&&other| other != b'W').any(|other| other == byte);
        let fua = op == Op::Write && is_behind(&b'F');
        Ok(Line::of_sectors(time_ns, device, op, sector, sectors).with_fua(fua))
    }
}

impl Blkparse {
    fn device(&mut self, major: u32, minor: u32) -> u32 {
        let known = self.devices.iter().position(|&d| d == (major, minor));
        let index = known.unwrap_or_else(|| {
            self.devices.push((major, minor));
            self.devices.len() - 1
        });
        u32::try_from(index).expect("a device takes more than a byte, so there are fewer than 2^32")
    }

    fn trusted_time_ns(&mut self, device: u32, cpu: u32, sequence: u64, stamp_ns: u64) -> u64 {
        let clock = match self.clocks.iter_mut().find(|c| c.device == device && c.cpu == cpu) {
            Some(clock) => clock,
            None => {
                self.clocks.push(CpuClock { device, cpu, sequence, time_ns: stamp_ns });
                self.clocks.last_mut().expect("just pushed")
            }
        };
        if sequence < clock.sequence && stamp_ns > clock.time_ns {
            self.repaired += 1;
            return self.last_time_ns;
        }
        if sequence >= clock.sequence {
            (clock.sequence, clock.time_ns) = (sequence, stamp_ns);
        }
        self.last_time_ns = stamp_ns;
        stamp_ns
    }
}

/// The lines that `blkparse` prints before and after the events.
fn is_outside_events(line: &[u8]) -> bool {
    const STARTS: [&[u8]; 6] = [b"CPU", b"Total", b"Throughput", b"Events", b"Skips", b"Input file"];
    STARTS.iter().any(|start| line.starts_with(start))
}
