//! What a result says of placement handles.

use schemars::JsonSchema;
use serde::Serialize;
use wordline_core::config::{Config, Isolation};
use wordline_core::metrics::{HANDLE_EVENTS, HandleCounters, HandleEvent, HandleEventKind};
use wordline_core::{Accounts, Ssd};

use super::times::s;

/// Placement handles: what a host with Flexible Data Placement (FDP) or write hints names with a write.
// NVMe counts bytes for all of them together (`written_bytes`); those by handle are Wordline's own.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Placement {
    /// `initially` or `persistently` isolated, or `mixed`; null where there are streams for hints, and no FDP.
    pub isolation: Option<&'static str>,
    /// Reclaim groups.
    #[schemars(extend("x-unit" = "count"))]
    pub reclaim_groups: u32,
    /// Bytes of a reclaim unit: a group of blocks without its parity (RUNS of NVMe's FDP configuration).
    #[schemars(extend("x-unit" = "bytes"))]
    pub reclaim_unit_bytes: u64,
    /// How long a reclaim unit may stay open to which nobody writes (`ftl.open_timeout_ms`); null where there is no limit.
    #[schemars(extend("x-unit" = "s"))]
    pub time_limit_s: Option<f64>,
    /// Each handle of each reclaim group, in the order of the drive's placement identifiers.
    pub handles: Vec<Handle>,
    /// Data of no handle, or of several, as initially isolated data are when they have moved.
    pub mixed: HandleBytes,
    /// How often each event of NVMe's FDP log has happened.
    pub events: FdpEvents,
    /// The last of these events since the drive was new, the oldest first: 63 of the host, and 63 of the controller.
    pub event_log: Vec<FdpEvent>,
}

/// One handle.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Handle {
    /// Its number, from 0: the reclaim unit handle identifier (RUHID) of NVMe.
    #[schemars(extend("x-unit" = "index"))]
    pub handle: u32,
    /// Its reclaim group, from 0.
    #[schemars(extend("x-unit" = "index"))]
    pub reclaim_group: u32,
    /// NVMe's placement identifier: the group in the upper bits, as many as there have to be, and the handle in the lower ones.
    #[schemars(extend("x-unit" = "index"))]
    pub placement_identifier: u32,
    /// Data that move stay with it.
    pub is_persistent: bool,
    /// The host has written to the handle since the drive was new, in any reclaim group (RUHA of NVMe's usage log).
    pub is_used: bool,
    /// Bytes programmed for it over those that the host wrote to it; null where it wrote none. Of initially isolated handles what moves for
    /// the second time counts for none of them.
    #[schemars(extend("x-unit" = "ratio"))]
    pub write_amplification: Option<f64>,
    /// Bytes programmed for it, by cause.
    pub written_bytes: HandleBytes,
    /// Bytes that its reclaim unit has yet to take, as it stands (RUAMW of NVMe).
    #[schemars(extend("x-unit" = "bytes"))]
    pub available_bytes: u64,
    /// How long its reclaim unit may stay as it is before it is closed (EARUTR of NVMe, in whole seconds there); null where there is no
    /// limit, or none is open.
    #[schemars(extend("x-unit" = "s"))]
    pub time_left_s: Option<f64>,
}

/// Media bytes of a handle, by cause; with those of mixed data they add up to all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(extend("x-unit" = "bytes"))]
pub struct HandleBytes {
    /// All of them.
    pub media: u64,
    /// Written by the host, in mapping units.
    pub host: u64,
    /// Moved by garbage collection out of blocks of the handle: what it bears.
    pub gc: u64,
    /// Moved by garbage collection, whosever data, while the handle was the last that had opened a group of blocks: what it causes. It is
    /// no part of `media`.
    pub gc_caused: u64,
    /// Moved by wear levelling and refresh.
    pub other_moves: u64,
    /// Pages of the mapping table and of its journal.
    pub mapping: u64,
    /// Programmed again after a loss of power.
    pub redone: u64,
    /// Padding.
    pub padding: u64,
    /// Parity of superblocks.
    pub parity: u64,
}

/// Events of NVMe's FDP log, counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(extend("x-unit" = "count"))]
pub struct FdpEvents {
    /// Reclaim units that the host closed before they were full (type 0h).
    pub not_fully_written: u64,
    /// Reclaim units that were closed since nobody wrote to them (type 1h; `ftl.open_timeout_ms`).
    pub time_limit_exceeded: u64,
    /// Reclaim units that a loss of power has closed (type 2h).
    pub reset_modified: u64,
    /// Writes with a placement identifier that the drive does not have, which went to the first handle (type 3h).
    pub invalid_placement_identifier: u64,
    /// Groups of blocks out of which GC, wear levelling or refresh moved data (type 80h).
    pub media_reallocated: u64,
    /// Reclaim units that were full, so that their handles went on in others (type 81h).
    pub implicitly_modified: u64,
}

/// One event of NVMe's FDP log.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct FdpEvent {
    /// When, since the drive was new.
    #[schemars(extend("x-unit" = "s"))]
    pub at_s: f64,
    /// NVMe's event type, such as 128 for 80h.
    #[serde(rename = "type")]
    #[schemars(extend("x-unit" = "code"))]
    pub number: u8,
    /// The placement identifier; that which a write named, where the drive does not have it; null for data of several handles.
    #[schemars(extend("x-unit" = "index"))]
    pub placement_identifier: Option<u32>,
    /// Bytes that move; null but for type 80h.
    #[schemars(extend("x-unit" = "bytes"))]
    pub moved_bytes: Option<u64>,
    /// Logical address of the first of them, in sectors of 512 bytes; null where that is no address of the host.
    #[schemars(extend("x-unit" = "sectors"))]
    pub sector: Option<u64>,
}

/// NVMe's placement identifiers of a drive.
#[derive(Clone, Copy, Debug)]
struct Identifiers {
    handles: u32,
    group_shift: u32,
}

impl Identifiers {
    fn new(config: &Config) -> Identifiers {
        let groups = config.fdp.groups();
        let bits = u32::BITS - (groups - 1).leading_zeros();
        let handles = if config.fdp.is_on() { config.fdp.handles } else { config.ftl.streams };
        Identifiers { handles, group_shift: u16::BITS - bits }
    }

    /// Reclaim group and handle of a place in the drive's list.
    fn parts(self, place: u32) -> (u32, u32) {
        (place / self.handles, place % self.handles)
    }

    fn of(self, place: u32) -> u32 {
        let (group, handle) = self.parts(place);
        group.checked_shl(self.group_shift).unwrap_or(0) | handle
    }
}

impl FdpEvents {
    fn of(counts: [u64; HANDLE_EVENTS.len()]) -> FdpEvents {
        let of = |kind| {
            HANDLE_EVENTS.iter().zip(counts).find(|&(&other, _)| other == kind).map_or(0, |(_, count)| count)
        };
        FdpEvents {
            not_fully_written: of(HandleEventKind::NotFullyWritten),
            time_limit_exceeded: of(HandleEventKind::TimeLimitExceeded),
            reset_modified: of(HandleEventKind::ResetModified),
            invalid_placement_identifier: of(HandleEventKind::InvalidIdentifier),
            media_reallocated: of(HandleEventKind::MediaReallocated),
            implicitly_modified: of(HandleEventKind::ImplicitlyModified),
        }
    }
}

impl FdpEvent {
    fn of(event: &HandleEvent, identifiers: Identifiers, ssd: &Ssd) -> FdpEvent {
        let unit_bytes = u64::from(ssd.ftl().geometry().page_bytes);
        let place = event.stream.map(u32::from);
        let is_known = event.kind != HandleEventKind::InvalidIdentifier;
        let of_host = event.moved.map(|(_, lpn)| u64::from(lpn)).filter(|&lpn| lpn < ssd.ftl().host_pages());
        FdpEvent {
            at_s: s(event.at),
            number: event.kind.number(),
            placement_identifier: place.map(|place| if is_known { identifiers.of(place) } else { place }),
            moved_bytes: event.moved.map(|(units, _)| u64::from(units) * unit_bytes),
            sector: of_host.map(|lpn| lpn * unit_bytes / wordline_core::host::SECTOR_BYTES),
        }
    }
}

impl HandleBytes {
    /// The sum of two.
    pub(super) fn plus(self, more: HandleBytes) -> HandleBytes {
        HandleBytes {
            media: self.media + more.media,
            host: self.host + more.host,
            gc: self.gc + more.gc,
            gc_caused: self.gc_caused + more.gc_caused,
            other_moves: self.other_moves + more.other_moves,
            mapping: self.mapping + more.mapping,
            redone: self.redone + more.redone,
            padding: self.padding + more.padding,
            parity: self.parity + more.parity,
        }
    }

    pub(crate) fn of(counters: &HandleCounters, unit_bytes: u64) -> HandleBytes {
        let HandleCounters { host, gc, gc_caused, other_moves, table, redone, padding, parity } = *counters;
        let bytes = |units: u64| units * unit_bytes;
        HandleBytes {
            media: bytes(host + gc + other_moves + table + redone + padding + parity),
            host: bytes(host),
            gc: bytes(gc),
            gc_caused: bytes(gc_caused),
            other_moves: bytes(other_moves),
            mapping: bytes(table),
            redone: bytes(redone),
            padding: bytes(padding),
            parity: bytes(parity),
        }
    }
}

impl Placement {
    pub(super) fn of(config: &Config, ssd: &Ssd, accounts: &Accounts) -> Option<Placement> {
        let (mixed, handles) = accounts.handles.split_last()?;
        let unit_bytes = u64::from(ssd.ftl().geometry().page_bytes);
        let identifiers = Identifiers::new(config);
        let (now, used) = (ssd.began_at() + ssd.now(), ssd.life().handles);
        let of_handle = |(place, counters): (u32, &HandleCounters)| {
            let written_bytes = HandleBytes::of(counters, unit_bytes);
            let (reclaim_group, handle) = identifiers.parts(place);
            Handle {
                handle,
                reclaim_group,
                placement_identifier: identifiers.of(place),
                is_persistent: config.fdp.is_persistent(handle),
                is_used: used >> handle & 1 == 1,
                write_amplification: (written_bytes.host > 0)
                    .then(|| written_bytes.media as f64 / written_bytes.host as f64),
                written_bytes,
                available_bytes: ssd.ftl().room_of_handle(place as usize) * unit_bytes,
                time_left_s: ssd.ftl().time_left_of_handle(place as usize, now).map(s),
            }
        };
        let (events, ftl) = (ssd.ftl().handle_events(), &accounts.ftl);
        let time_limit_s = config.ftl.open_timeout_ms / 1e3;
        Some(Placement {
            isolation: (config.fdp.isolation != Isolation::Off).then(|| config.fdp.isolation.name()),
            reclaim_groups: config.fdp.groups(),
            reclaim_unit_bytes: u64::from(ssd.ftl().units_per_group()) * unit_bytes,
            time_limit_s: (time_limit_s > 0.0).then_some(time_limit_s),
            handles: (0..).zip(handles).map(of_handle).collect(),
            mixed: HandleBytes::of(mixed, unit_bytes),
            events: match events {
                Some(_) => FdpEvents::of(accounts.handle_events),
                None => {
                    FdpEvents { invalid_placement_identifier: ftl.invalid_handles, ..FdpEvents::of([0; 6]) }
                }
            },
            event_log: events
                .map(|events| events.last())
                .unwrap_or_default()
                .iter()
                .map(|event| FdpEvent::of(event, identifiers, ssd))
                .collect(),
        })
    }
}
