//! Zones (NVMe Zoned Namespace Command Set): the state of each, and what a command does to it.
//!
//! Nothing here knows flash or time. A command gets an answer at once: how it ends, and what the drive has to do for it. The
//! section numbers in comments are those of the Zoned Namespace Command Set Specification 1.1.
//!
//! - A write begins at the write pointer of its zone, an append at the start of its zone, and neither leaves the zone's capacity.
//! - A write or an append opens a zone implicitly. Where the limit of open zones is reached, the drive closes the zone that it
//!   opened implicitly and that was written longest ago. Zones that the host has opened stay open.
//! - An open or closed zone is active. No command makes room where the limit of active zones is reached.

mod zone;

pub use zone::{Zone, ZoneState};

use serde::{Deserialize, Serialize};

use crate::engine::state;
use crate::flash::Status;

/// The shape of the zones and what the drive allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ZoneShape {
    /// Number of zones.
    pub count: u32,
    /// Sectors from the start of a zone to the start of the next.
    pub size: u64,
    /// Sectors of a zone that can be written.
    pub capacity: u64,
    /// Sectors of a logical block, of which writes and appends have whole ones.
    pub block: u64,
    /// Zones that may be open at once; 0 = any number.
    pub max_open: u32,
    /// Zones that may be open or closed at once; 0 = any number.
    pub max_active: u32,
    /// Sectors of an append at most; 0 = any number.
    pub max_append: u64,
    /// Zones that can only be read, the last ones before those that are offline.
    pub read_only: u32,
    /// Zones that are offline, the last ones.
    pub offline: u32,
}

impl ZoneShape {
    /// The zones that are written before a run, where a share of those that can be written is, and the sectors of each.
    pub fn filled(&self, share: f64) -> impl Iterator<Item = (u32, u64)> + use<> {
        let blocks = self.capacity / self.block;
        let zones = self.count - self.offline - self.read_only;
        let (all, block) = ((f64::from(zones) * blocks as f64 * share) as u64, self.block);
        (0..zones)
            .map(move |zone| (zone, all.saturating_sub(u64::from(zone) * blocks).min(blocks) * block))
            .take_while(|&(_, sectors)| sectors > 0)
    }
}

/// What a reset throws away.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Discarded {
    /// The zone.
    pub zone: u32,
    /// Sectors that the host wrote.
    pub written: u64,
    /// The zone was written in part: programs of it may be under way, or not full.
    pub was_active: bool,
}

/// What a finish leaves to fill.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unwritten {
    /// The zone.
    pub zone: u32,
    /// Sectors of its capacity that the host did not write; 0 where the zone was empty or full.
    pub sectors: u64,
}

/// All zones of a drive.
#[derive(Debug)]
pub struct Zones {
    shape: ZoneShape,
    zones: Vec<Zone>,
    open: u32,
    active: u32,
    /// Writes and appends so far.
    clock: u64,
}

state! {
    Zones {
        values: zones, open, active, clock;
        derived: shape;
        checked: is_sound;
    }
}

impl Zones {
    /// All zones are empty, but for those that cannot be written.
    #[must_use]
    pub fn new(shape: ZoneShape) -> Zones {
        let mut zones = vec![Zone::default(); shape.count as usize];
        let (offline, read_only) = (shape.offline as usize, shape.read_only as usize);
        let usable = zones.len() - offline - read_only;
        zones[usable..].iter_mut().for_each(|zone| zone.state = ZoneState::ReadOnly);
        zones[usable + read_only..].iter_mut().for_each(|zone| zone.state = ZoneState::Offline);
        Zones { shape, zones, open: 0, active: 0, clock: 0 }
    }

    /// Whether there are as many zones as there should be, and as many of them open and active as are counted.
    fn is_sound(&self) -> bool {
        let count = |is_such: fn(ZoneState) -> bool| {
            self.zones.iter().filter(|zone| is_such(zone.state)).count() as u32
        };
        self.zones.len() == self.shape.count as usize
            && (self.open, self.active) == (count(ZoneState::is_open), count(ZoneState::is_active))
            && self
                .zones
                .iter()
                .all(|zone| zone.pointer <= self.shape.capacity && zone.written <= zone.pointer)
    }

    /// The shape of the zones.
    #[must_use]
    pub fn shape(&self) -> &ZoneShape {
        &self.shape
    }

    /// The zones, in order.
    #[must_use]
    pub fn all(&self) -> &[Zone] {
        &self.zones
    }

    /// The first sector of a zone.
    #[must_use]
    pub fn start_of(&self, zone: u32) -> u64 {
        u64::from(zone) * self.shape.size
    }

    /// Zones that are open, and those that are open or closed.
    #[must_use]
    pub fn in_use(&self) -> (u32, u32) {
        (self.open, self.active)
    }

    /// The zone of a sector.
    ///
    /// # Errors
    /// [`Status::LbaOutOfRange`].
    pub fn zone_at(&self, sector: u64) -> Result<u32, Status> {
        let zone = sector / self.shape.size;
        if zone < u64::from(self.shape.count) { Ok(zone as u32) } else { Err(Status::LbaOutOfRange) }
    }

    /// The zone that begins at a sector: what commands for a zone name (3.4.3).
    fn beginning_at(&self, sector: u64) -> Result<u32, Status> {
        let zone = self.zone_at(sector)?;
        if self.start_of(zone) == sector { Ok(zone) } else { Err(Status::InvalidField) }
    }

    /// A read: of one zone, which is not offline (2.1.1.2.1). What was not written reads as zeros.
    ///
    /// # Errors
    /// The status with which it ends.
    pub fn read(&self, sector: u64, sectors: u64) -> Result<(), Status> {
        let zone = self.zone_at(sector)?;
        match self.zones[zone as usize].state {
            ZoneState::Offline => Err(Status::ZoneIsOffline),
            _ if self.zone_at(sector + sectors.max(1) - 1) != Ok(zone) => Err(Status::ZoneBoundaryError),
            _ => Ok(()),
        }
    }

    /// A write at the write pointer.
    ///
    /// # Errors
    /// The status with which it ends; nothing has changed then.
    pub fn write(&mut self, sector: u64, sectors: u64) -> Result<(), Status> {
        let zone = self.zone_at(sector)?;
        self.check_blocks(sector, sectors)?;
        let offset = sector - self.start_of(zone);
        self.check_room(zone, offset.max(self.zones[zone as usize].pointer), sectors)?;
        if offset != self.zones[zone as usize].pointer {
            return Err(Status::ZoneInvalidWrite);
        }
        self.put(zone, sectors)
    }

    /// An append to the zone that begins at a sector; returns where the drive has put it.
    ///
    /// # Errors
    /// The status with which it ends; nothing has changed then.
    pub fn append(&mut self, sector: u64, sectors: u64) -> Result<u64, Status> {
        let zone = self.beginning_at(sector)?;
        self.check_blocks(sector, sectors)?;
        if self.shape.max_append > 0 && sectors > self.shape.max_append {
            return Err(Status::InvalidField);
        }
        let pointer = self.zones[zone as usize].pointer;
        self.check_room(zone, pointer, sectors)?;
        self.put(zone, sectors)?;
        Ok(sector + pointer)
    }

    /// Whether sectors are whole logical blocks.
    fn check_blocks(&self, sector: u64, sectors: u64) -> Result<(), Status> {
        let block = self.shape.block;
        let is_whole = sector.is_multiple_of(block) && sectors.is_multiple_of(block);
        if is_whole { Ok(()) } else { Err(Status::InvalidField) }
    }

    /// Whether a zone takes so many sectors behind others (2.1.1.2.2).
    fn check_room(&self, zone: u32, offset: u64, sectors: u64) -> Result<(), Status> {
        match self.zones[zone as usize].state {
            ZoneState::Full => Err(Status::ZoneIsFull),
            ZoneState::ReadOnly => Err(Status::ZoneIsReadOnly),
            ZoneState::Offline => Err(Status::ZoneIsOffline),
            _ if offset + sectors > self.shape.capacity => Err(Status::ZoneBoundaryError),
            _ => Ok(()),
        }
    }

    /// Sectors are written at the write pointer of a zone.
    fn put(&mut self, zone: u32, sectors: u64) -> Result<(), Status> {
        if !self.zones[zone as usize].state.is_open() {
            self.make_open(zone, ZoneState::ImplicitlyOpened)?;
        }
        self.clock += 1;
        let place = &mut self.zones[zone as usize];
        place.written_at = self.clock;
        place.pointer += sectors;
        place.written += sectors;
        if place.pointer == self.shape.capacity {
            self.leave(zone, ZoneState::Full);
        }
        Ok(())
    }

    /// Zone Open (3.4.3.1.2).
    ///
    /// # Errors
    /// The status with which it ends; nothing has changed then.
    pub fn open(&mut self, sector: u64) -> Result<(), Status> {
        let zone = self.beginning_at(sector)?;
        match self.zones[zone as usize].state {
            ZoneState::ExplicitlyOpened => Ok(()),
            ZoneState::ImplicitlyOpened => {
                self.zones[zone as usize].state = ZoneState::ExplicitlyOpened;
                Ok(())
            }
            ZoneState::Empty | ZoneState::Closed => self.make_open(zone, ZoneState::ExplicitlyOpened),
            ZoneState::Full | ZoneState::ReadOnly | ZoneState::Offline => Err(Status::InvalidZoneTransition),
        }
    }

    /// Zone Close (3.4.3.1.1).
    ///
    /// # Errors
    /// The status with which it ends; nothing has changed then.
    pub fn close(&mut self, sector: u64) -> Result<(), Status> {
        let zone = self.beginning_at(sector)?;
        match self.zones[zone as usize].state {
            ZoneState::Closed => Ok(()),
            ZoneState::ImplicitlyOpened | ZoneState::ExplicitlyOpened => {
                self.leave(zone, ZoneState::Closed);
                Ok(())
            }
            _ => Err(Status::InvalidZoneTransition),
        }
    }

    /// Zone Finish (3.4.3.1.3): the zone is full, and the drive fills what the host did not write. A zone that was never written has
    /// no flash to fill.
    ///
    /// # Errors
    /// The status with which it ends; nothing has changed then.
    pub fn finish(&mut self, sector: u64) -> Result<Unwritten, Status> {
        let zone = self.beginning_at(sector)?;
        let Zone { state, pointer, .. } = self.zones[zone as usize];
        let sectors = match state {
            ZoneState::Full => 0,
            ZoneState::ReadOnly | ZoneState::Offline => return Err(Status::InvalidZoneTransition),
            _ if pointer == 0 => 0,
            _ => self.shape.capacity - pointer,
        };
        self.zones[zone as usize].pointer = self.shape.capacity;
        self.leave(zone, ZoneState::Full);
        Ok(Unwritten { zone, sectors })
    }

    /// Zone Reset (3.4.3.1.4): the zone is empty.
    ///
    /// # Errors
    /// The status with which it ends; nothing has changed then.
    pub fn reset(&mut self, sector: u64) -> Result<Discarded, Status> {
        let zone = self.beginning_at(sector)?;
        let Zone { state, written, .. } = self.zones[zone as usize];
        if matches!(state, ZoneState::ReadOnly | ZoneState::Offline) {
            return Err(Status::InvalidZoneTransition);
        }
        self.leave(zone, ZoneState::Empty);
        let place = &mut self.zones[zone as usize];
        (place.pointer, place.written) = (0, 0);
        Ok(Discarded { zone, written, was_active: state.is_active() })
    }

    /// An empty zone is written up to a sector of it before the run.
    pub fn fill(&mut self, zone: u32, sectors: u64) {
        let place = &mut self.zones[zone as usize];
        (place.pointer, place.written) = (sectors, sectors);
        if sectors == self.shape.capacity {
            self.leave(zone, ZoneState::Full);
        } else {
            self.active += 1;
            self.zones[zone as usize].state = ZoneState::Closed;
        }
    }

    /// A zone becomes open, where the limits allow it (2.1.1.4).
    fn make_open(&mut self, zone: u32, to: ZoneState) -> Result<(), Status> {
        let is_new = !self.zones[zone as usize].state.is_active();
        if is_new && self.shape.max_active > 0 && self.active == self.shape.max_active {
            return Err(Status::TooManyActiveZones);
        }
        if self.shape.max_open > 0 && self.open == self.shape.max_open {
            let oldest = self.oldest_implicit().ok_or(Status::TooManyOpenZones)?;
            self.leave(oldest, ZoneState::Closed);
        }
        self.active += u32::from(is_new);
        self.open += 1;
        self.zones[zone as usize].state = to;
        Ok(())
    }

    /// The zone that was opened implicitly and written longest ago.
    fn oldest_implicit(&self) -> Option<u32> {
        let implicit = (0..).zip(&self.zones).filter(|(_, zone)| zone.state == ZoneState::ImplicitlyOpened);
        implicit.min_by_key(|(_, zone)| zone.written_at).map(|(at, _)| at)
    }

    /// A zone goes to a state in which it is not open.
    fn leave(&mut self, zone: u32, to: ZoneState) {
        let state = &mut self.zones[zone as usize].state;
        self.open -= u32::from(state.is_open());
        self.active -= u32::from(state.is_active() && !to.is_active());
        *state = to;
    }
}

#[cfg(test)]
mod tests;
