//! A drive of zones: what a command does to its zone, before and after its data, and the time that a reset takes.

use serde::{Deserialize, Serialize};

use super::{Ssd, step_of};
use crate::config::{Config, ResetErase};
use crate::engine::{Ns, state};
use crate::error::SimError;
use crate::flash::{Failure, Owner, Status};
use crate::host::{OnItsWay, Op};
use crate::zones::{Discarded, Zones};
use wordline_cells::ns_from_us;

/// Bytes of the head of a report, and of a zone in it (NVMe ZNS, 3.4.2).
const REPORT_BYTES: u64 = 64;

/// Zones, and the times of their resets.
#[derive(Debug)]
pub(super) struct Zoned {
    pub zones: Zones,
    reset: Ns,
    reset_full: Ns,
    reset_open: Ns,
    holds: f64,
    waits_for_erase: bool,
    /// The drive begins nothing before.
    held_until: Ns,
    /// The drive begins no reset before.
    reset_until: Ns,
    /// Resets under way: their requests, and the end of their time.
    resets: Vec<UnderWay>,
}

/// A reset under way.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct UnderWay {
    request: u32,
    until: Ns,
}

state! {
    Zoned {
        parts: zones;
        values: held_until, reset_until, resets;
        derived: reset, reset_full, reset_open, holds, waits_for_erase;
    }
}

impl Zoned {
    /// All zones are empty; `None` on a drive without zones.
    pub fn new(config: &Config) -> Option<Zoned> {
        let keys = &config.zones;
        Some(Zoned {
            zones: Zones::new(config.zone_shape()?),
            reset: ns_from_us(keys.reset_us),
            reset_full: ns_from_us(keys.reset_full_us),
            reset_open: ns_from_us(keys.reset_open_us),
            holds: keys.reset_holds,
            waits_for_erase: keys.reset_erase == ResetErase::Foreground,
            held_until: 0,
            reset_until: 0,
            resets: Vec::new(),
        })
    }

    /// When the drive may begin an operation.
    fn begins_at(&self, op: Op) -> Ns {
        if op == Op::ZoneReset { self.held_until.max(self.reset_until) } else { self.held_until }
    }

    /// The time of a reset; `has_begun` where programs of the zone have.
    fn time_of(&self, what: &Discarded, has_begun: bool) -> Ns {
        let share = what.written as f64 / self.zones.shape().capacity as f64;
        let open = if what.was_active && has_begun { self.reset_open } else { 0 };
        self.reset + (self.reset_full as f64 * share).round() as Ns + open
    }

    /// A reset takes so long from now.
    fn begin_reset(&mut self, request: u32, time: Ns, now: Ns) {
        self.reset_until = now + time;
        self.held_until = now + (time as f64 * self.holds).round() as Ns;
        self.resets.push(UnderWay { request, until: now + time });
    }
}

impl Ssd {
    /// A request is in a drive of zones.
    #[inline(never)]
    pub(super) fn begin_in_zones(&mut self, id: u32) -> Result<(), SimError> {
        let Some(zoned) = &mut self.zoned else { return self.carry_out(id) };
        let request = &mut self.host.requests[id].request;
        let at = zoned.begins_at(request.op);
        if at > self.shared.now {
            self.comes_later(id, OnItsWay::Processed, at);
            return Ok(());
        }
        let (sector, sectors) = (request.sector, u64::from(request.sectors));
        let zones = &mut zoned.zones;
        let answer = match request.op {
            Op::Read => zones.read(sector, sectors),
            Op::Write => zones.write(sector, sectors),
            Op::Append => zones.append(sector, sectors).map(|at| request.sector = at),
            Op::ZoneOpen => zones.open(sector),
            Op::ZoneClose => zones.close(sector),
            Op::ZoneFinish => return self.finish_zone(id, sector),
            Op::ZoneReset => return self.reset_zone(id, sector),
            Op::Flush | Op::ZoneReport => Ok(()),
            Op::Trim | Op::Close => Err(Status::InvalidOpcode),
        };
        match answer {
            Ok(()) => self.carry_out(id),
            Err(status) => self.refuse_with(id, status),
        }
    }

    /// The device does not begin a request, which ends so.
    #[inline(never)]
    pub(super) fn refuse_with(&mut self, id: u32, status: Status) -> Result<(), SimError> {
        self.shared.failures.push(Failure { request: id, status });
        self.refuse(id)
    }

    fn finish_zone(&mut self, id: u32, sector: u64) -> Result<(), SimError> {
        let Some(zoned) = &mut self.zoned else { return Ok(()) };
        match zoned.zones.finish(sector) {
            Ok(what) => {
                self.host.requests[id].pages_left = 1;
                self.ftl.finish_zone(what, Owner::Request(id), &mut step_of(&mut self.shared))
            }
            Err(status) => self.refuse_with(id, status),
        }
    }

    fn reset_zone(&mut self, id: u32, sector: u64) -> Result<(), SimError> {
        let Some(zoned) = &mut self.zoned else { return Ok(()) };
        let what = match zoned.zones.reset(sector) {
            Ok(what) => what,
            Err(status) => return self.refuse_with(id, status),
        };
        let waits = zoned.waits_for_erase;
        self.host.requests[id].pages_left = 1;
        let owner = Owner::Request(id);
        let has_begun = self.ftl.reset_zone(what, (owner, waits), &mut step_of(&mut self.shared))?;
        if let Some(zoned) = &mut self.zoned {
            zoned.begin_reset(id, zoned.time_of(&what, has_begun), self.shared.now);
        }
        Ok(())
    }

    /// Zones that are written before the run, a share of those that can be: the first unit of each, and how many are written.
    pub(super) fn zones_to_fill(&mut self, share: f64) -> Vec<(u64, u64)> {
        let Some(zoned) = &mut self.zoned else { return Vec::new() };
        let zones = &mut zoned.zones;
        let per_unit = u64::from(self.sectors_per_page);
        let mut filled = Vec::new();
        for (zone, sectors) in zones.shape().filled(share) {
            zones.fill(zone, sectors);
            self.ftl.note_zone_filled(zone, sectors / per_unit);
            filled.push((zones.start_of(zone) / per_unit, sectors / per_unit));
        }
        filled
    }

    /// When a reset is over whose zone is empty, at the earliest.
    pub(super) fn end_of_reset(&mut self, id: u32) -> Ns {
        let Some(zoned) = &mut self.zoned else { return 0 };
        let place = zoned.resets.iter().position(|reset| reset.request == id);
        place.map_or(0, |place| zoned.resets.remove(place).until)
    }

    /// Bytes of a report of all zones.
    pub(super) fn report_bytes(&self) -> u64 {
        self.zoned.as_ref().map_or(0, |zoned| REPORT_BYTES * (1 + zoned.zones.all().len() as u64))
    }

    /// The zones, on a drive that has them.
    #[must_use]
    pub fn zones(&self) -> Option<&Zones> {
        self.zoned.as_ref().map(|zoned| &zoned.zones)
    }
}
