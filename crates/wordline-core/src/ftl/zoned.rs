//! The flash behind zones: each zone has a stream of its own, whose open superblock takes what is written to it.
//!
//! - A write is acknowledged when it has its place, since the controller has its data until they are programmed; only so much may be
//!   programmed at once. What waits for its program to be full does not count: every zone may have such a program.
//! - A zone that is finished is filled up with padding, as much at once as may be programmed of writes.
//! - A zone that takes no further write has its superblock closed when all programs of it are done.
//! - A zone that is reset gives its superblock to the job that erases it, which begins when no program of it is under way.

use serde::{Deserialize, Serialize};

use super::write::pages::Pages;
use super::write::put::{Placing, To};
use crate::config::Config;
use crate::engine::state;
use crate::error::SimError;
use crate::flash::{BlockState, Outbox, Owner, StreamId};
use crate::ftl::{Ftl, Step};
use crate::nand::{BlockId, Lpn, PoolId};
use crate::zones::{Discarded, Unwritten};

/// Programs of each die that may be under way for writes, where the configuration gives no number of bytes.
const PROGRAMS_PER_DIE: u32 = 2;

/// A pool and a stream.
type Frontier = (PoolId, StreamId);

/// Zones whose units are on their way.
#[derive(Debug)]
pub(super) struct Zoned {
    /// Units that may be programmed at once, of writes and of padding.
    limit: u32,
    /// Units that the host wrote, and of padding, which are not programmed.
    written: u32,
    padding: u32,
    /// Of those that the host wrote, by zone: units that wait for their program to be full.
    waiting: Vec<u32>,
    waiting_sum: u32,
    /// Units that a zone has been given, padding among them.
    taken: Vec<u64>,
    /// Units of a zone, and how many zones there are.
    capacity: u64,
    zones: usize,
    /// Zones that take no further write, until their superblocks are closed.
    ending: Vec<Ending>,
}

/// A zone that takes no further write.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Ending {
    zone: u32,
    /// Units of padding that it is still to be given.
    left: u64,
    /// Who waits for the end.
    owner: Option<Owner>,
}

state! {
    Zoned {
        values: written, padding, waiting, waiting_sum, taken, ending;
        derived: limit, capacity, zones;
        checked: is_sound;
    }
}

impl Zoned {
    /// No zone is written; `None` on a drive without zones.
    pub fn new(config: &Config) -> Option<Zoned> {
        let shape = config.zone_shape()?;
        let unit = u64::from(config.unit_bytes());
        let zones = shape.count as usize;
        let programs = PROGRAMS_PER_DIE * config.geometry().dies() * config.units_of_program();
        Some(Zoned {
            limit: match config.zones.buffer_bytes {
                0 => programs,
                bytes => ((bytes / unit) as u32).max(1),
            },
            written: 0,
            padding: 0,
            waiting: vec![0; zones],
            waiting_sum: 0,
            taken: vec![0; zones],
            capacity: shape.capacity * 512 / unit,
            zones,
            ending: Vec::new(),
        })
    }

    /// Whether there is an entry of each zone, and what waits is counted.
    fn is_sound(&self) -> bool {
        let is_zone = |ending: &Ending| (ending.zone as usize) < self.zones;
        self.waiting.len() == self.zones
            && self.taken.len() == self.zones
            && self.waiting.iter().map(|&units| u64::from(units)).sum::<u64>() == u64::from(self.waiting_sum)
            && self.waiting_sum <= self.written
            && self.ending.iter().all(is_zone)
    }

    /// No further write is taken at present.
    pub fn is_full(&self) -> bool {
        self.written - self.waiting_sum >= self.limit
    }

    /// Checked mode, when a run has ended: what is not programmed waits for its program to be full.
    pub fn verify(&self, waiting: usize) -> Result<(), String> {
        let is_sound = self.written == self.waiting_sum && self.padding == 0 && self.ending.is_empty();
        if is_sound && self.waiting_sum as usize == waiting {
            return Ok(());
        }
        Err(format!(
            "the run is over, but {} units of zones and {} of padding are not programmed, {waiting} wait for their programs to be \
             full, and {} zones are not closed",
            self.written,
            self.padding,
            self.ending.len()
        ))
    }

    /// A unit of a zone has its place, and so many of its program wait for others.
    fn placed(&mut self, zone: u32, waiting: u32) {
        let place = &mut self.waiting[zone as usize];
        self.waiting_sum = self.waiting_sum - *place + waiting;
        *place = waiting;
        self.taken[zone as usize] += 1;
    }
}

impl Ftl {
    /// The pool of all superblocks.
    fn zone_pool(&self) -> PoolId {
        PoolId::new(0)
    }

    fn zone_stream(&self, zone: u32) -> StreamId {
        self.pages.placement.stream_of_zone(zone)
    }

    /// A write of the host has its place: it is acknowledged.
    pub(super) fn note_zone_write(&mut self, write: &Placing, out: &mut Outbox) {
        let stream = self.pages.stream_to(write.to);
        let waiting = self.pages.packing.units_in(self.pages.blocks.frontier(write.pool, stream));
        let Some(zone) = self.pages.placement.zone_of(stream) else { return };
        let Some(zoned) = &mut self.zoned else { return };
        zoned.written += 1;
        zoned.placed(zone, waiting);
        if zoned.taken[zone as usize] == zoned.capacity {
            zoned.ending.push(Ending { zone, left: 0, owner: None });
        }
        out.served.push(write.owner);
    }

    /// A transaction that programs units of a zone is done: others may follow.
    #[inline(never)]
    pub(super) fn zone_programmed(&mut self, id: u32, step: &mut Step<'_>) -> Result<(), SimError> {
        let (mut written, mut padding) = (0, 0);
        let mut next = Some(*step.out.txns.carried(id));
        while let Some(unit) = next {
            *(if unit.lpn == Lpn::NONE { &mut padding } else { &mut written }) += 1;
            next = step.out.txns.after(&unit);
        }
        if let Some(zoned) = &mut self.zoned {
            zoned.written -= written;
            zoned.padding -= padding;
        }
        self.unpark(self.zone_pool(), step)?;
        self.end_zones(step)
    }

    /// Zones that take no further write are filled up, as far as may be at once, and closed.
    fn end_zones(&mut self, step: &mut Step<'_>) -> Result<(), SimError> {
        let Some(zoned) = &mut self.zoned else { return Ok(()) };
        if zoned.ending.is_empty() {
            return Ok(());
        }
        for ending in std::mem::take(&mut zoned.ending) {
            if let Some(still) = self.end_zone(ending, step)? {
                self.zoned.iter_mut().for_each(|zoned| zoned.ending.push(still));
            }
        }
        Ok(())
    }

    /// Goes on with the end of a zone; returns what is left of it.
    fn end_zone(&mut self, ending: Ending, step: &mut Step<'_>) -> Result<Option<Ending>, SimError> {
        let Ending { zone, mut left, owner } = ending;
        let (pool, stream) = (self.zone_pool(), self.zone_stream(zone));
        let frontier = self.pages.blocks.frontier(pool, stream);
        let is_within = |pages: &Pages| pages.packing.packs() && pages.blocks.is_within_program(frontier);
        let may_go_on = |ftl: &Ftl| ftl.zoned.as_ref().is_some_and(|zoned| zoned.padding < zoned.limit);
        while left > 0 && (may_go_on(self) || is_within(&self.pages)) {
            if !self.pad_zone((pool, stream), zone, step)? {
                break;
            }
            left -= 1;
        }
        while left == 0 && self.pages.packing.units_in(frontier) > 0 && is_within(&self.pages) {
            self.pad_zone((pool, stream), zone, step)?;
        }
        let heads: Vec<BlockId> = self.heads_of_zone(zone).collect();
        if left > 0 || heads.iter().any(|&head| self.pages.blocks.unprogrammed_of(head) > 0) {
            return Ok(Some(Ending { left, ..ending }));
        }
        self.pages.blocks.leave_rest(frontier);
        step.out.served.extend(owner);
        Ok(None)
    }

    /// Gives a zone a unit of padding; false where there is no room for it yet.
    fn pad_zone(&mut self, to: Frontier, zone: u32, step: &mut Step<'_>) -> Result<bool, SimError> {
        let frontier = self.pages.blocks.frontier(to.0, to.1);
        let padding = Placing::padding(to.0, To::Stream(to.1), self.pages.class_of(frontier));
        if self.pages.put(&padding, step)?.is_none() {
            return Ok(false);
        }
        let waiting = self.pages.packing.units_in(frontier);
        if let Some(zoned) = &mut self.zoned {
            zoned.padding += 1;
            // Padding behind units of the host waits with them; as a program of its own it waits for no one.
            zoned.placed(zone, waiting.min(zoned.waiting[zone as usize]));
        }
        Ok(true)
    }

    /// The superblocks that hold something of a zone.
    fn heads_of_zone(&self, zone: u32) -> impl Iterator<Item = BlockId> + use<'_> {
        let (stream, blocks) = (self.zone_stream(zone), &self.pages.blocks);
        blocks.grouping().heads(self.zone_pool()).filter(move |&head| {
            let block = blocks.get(head);
            block.stream == stream && matches!(block.state(), BlockState::Open | BlockState::Full)
        })
    }

    /// A zone is finished: it is filled up with padding. The owner is served when all of it is on flash.
    ///
    /// # Errors
    /// See [`Ftl::submit`].
    pub fn finish_zone(
        &mut self,
        what: Unwritten,
        owner: Owner,
        step: &mut Step<'_>,
    ) -> Result<(), SimError> {
        self.reclaim.host_asks(step.now);
        if what.sectors == 0 {
            step.out.served.push(owner);
            return Ok(());
        }
        let left = what.sectors / u64::from(self.pages.geometry.sectors_per_page());
        let ending = Ending { zone: what.zone, left, owner: Some(owner) };
        if let Some(zoned) = &mut self.zoned {
            zoned.ending.push(ending);
        }
        self.end_zones(step)
    }

    /// A zone is reset: nothing of it is left, and its superblocks are erased. The owner is served at once, or when they are where it
    /// waits for that. Returns whether any program of the zone has begun.
    ///
    /// # Errors
    /// See [`Ftl::submit`].
    pub fn reset_zone(
        &mut self,
        what: Discarded,
        (owner, waits): (Owner, bool),
        step: &mut Step<'_>,
    ) -> Result<bool, SimError> {
        self.reclaim.host_asks(step.now);
        let (pool, stream, zone) = (self.zone_pool(), self.zone_stream(what.zone), what.zone);
        // Writes that have no place yet are overtaken.
        let overtaken = self.parking.take_where(pool, |write| write.to == To::Stream(stream));
        step.out.served.extend(overtaken.into_iter().map(|write| write.owner));
        let heads: Vec<BlockId> = self.heads_of_zone(zone).collect();
        let Pages { blocks, packing, .. } = &self.pages;
        let given: u32 = heads.iter().map(|&head| blocks.group(head).next_page).sum();
        let has_begun = given > packing.units_in(blocks.frontier(pool, stream));
        self.forget_zone(what)?;
        self.drop_open_program(zone, pool);
        self.pages.blocks.leave_rest(self.pages.blocks.frontier(pool, stream));
        if let Some(zoned) = &mut self.zoned {
            zoned.taken[zone as usize] = 0;
            // Who waits for its end waits no longer.
            let ended = zoned.ending.extract_if(.., |ending| ending.zone == zone);
            step.out.served.extend(ended.filter_map(|ending| ending.owner));
        }
        let waits_for = if waits { heads.last().copied() } else { None };
        for head in heads {
            let owner = (waits_for == Some(head)).then_some(owner);
            self.reclaim.reset_later(head, owner);
        }
        if waits_for.is_none() {
            step.out.served.push(owner);
        }
        self.reclaim_if_due(pool, step)?;
        Ok(has_begun)
    }

    /// The host has given up all that a zone holds.
    fn forget_zone(&mut self, what: Discarded) -> Result<(), SimError> {
        let per_unit = u64::from(self.pages.geometry.sectors_per_page());
        let first = Lpn::from_index(self.pages.placement.start_of_zone(what.zone) as usize);
        for lpn in first.to(first + what.written.div_ceil(per_unit) as u32) {
            let full = self.pages.format.full_page;
            if let Some(shadow) = &mut self.pages.shadow {
                shadow.trim(lpn, full);
            }
            self.pages.forget(lpn)?;
        }
        Ok(())
    }

    /// What waits for its program to be full is not programmed.
    fn drop_open_program(&mut self, zone: u32, pool: PoolId) {
        let frontier = self.pages.blocks.frontier(pool, self.zone_stream(zone));
        let Pages { packing, blocks, geometry, mapping, shadow, .. } = &mut self.pages;
        if !packing.packs() {
            return;
        }
        let units = packing.take_units(frontier);
        for unit in &units {
            blocks.programmed_at_once(geometry.address(unit.unit));
            if let Some(shadow) = shadow {
                shadow.program_done(unit.unit, mapping.is_valid(unit.unit));
            }
        }
        let Some(zoned) = &mut self.zoned else { return };
        let padding = units.iter().filter(|unit| unit.lpn == Lpn::NONE).count() as u32;
        zoned.padding -= padding;
        zoned.written -= units.len() as u32 - padding;
        zoned.waiting_sum -= std::mem::take(&mut zoned.waiting[zone as usize]);
    }

    /// A zone holds so many units of the host, which are written before the run.
    pub fn note_zone_filled(&mut self, zone: u32, units: u64) {
        if let Some(zoned) = &mut self.zoned {
            zoned.taken[zone as usize] = units;
        }
    }
}
