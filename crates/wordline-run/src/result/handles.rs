//! What a result says of placement handles.

use schemars::JsonSchema;
use serde::Serialize;
use wordline_core::config::{Config, Isolation};
use wordline_core::metrics::HandleCounters;
use wordline_core::{Accounts, Ssd};

/// Placement handles: what a host with Flexible Data Placement (FDP) or write hints names with a write.
// NVMe counts bytes for all of them together (`written_bytes`); those by handle are Wordline's own.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Placement {
    /// `initially` or `persistently` isolated; null where there are streams for hints, and no FDP.
    pub isolation: Option<&'static str>,
    /// Bytes of a reclaim unit: a group of blocks without its parity (RUNS of NVMe's FDP configuration).
    #[schemars(extend("x-unit" = "bytes"))]
    pub reclaim_unit_bytes: u64,
    /// Each handle, in their order.
    pub handles: Vec<Handle>,
    /// Data of no handle, or of several, as initially isolated data are when they have moved.
    pub mixed: HandleBytes,
    /// Writes to handles that the drive does not have.
    pub events: FdpEvents,
}

/// One handle.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Handle {
    /// Its number, from 0: the reclaim unit handle identifier (RUHID) of NVMe.
    #[schemars(extend("x-unit" = "index"))]
    pub handle: u32,
    /// Bytes programmed for it over those that the host wrote to it; null where it wrote none. Of initially isolated handles what moves for
    /// the second time counts for none of them.
    #[schemars(extend("x-unit" = "ratio"))]
    pub write_amplification: Option<f64>,
    /// Bytes programmed for it, by cause.
    pub written_bytes: HandleBytes,
    /// Bytes that its reclaim unit has yet to take, as it stands (RUAMW of NVMe).
    #[schemars(extend("x-unit" = "bytes"))]
    pub available_bytes: u64,
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
    /// Writes with a placement identifier that the drive does not have, which went to the first handle (type 3h).
    pub invalid_placement_identifier: u64,
}

impl HandleBytes {
    fn of(counters: &HandleCounters, unit_bytes: u64) -> HandleBytes {
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
        let of_handle = |(handle, counters): (u32, &HandleCounters)| {
            let written_bytes = HandleBytes::of(counters, unit_bytes);
            Handle {
                handle,
                write_amplification: (written_bytes.host > 0)
                    .then(|| written_bytes.media as f64 / written_bytes.host as f64),
                written_bytes,
                available_bytes: ssd.ftl().room_of_handle(handle as usize) * unit_bytes,
            }
        };
        let ftl = &accounts.ftl;
        Some(Placement {
            isolation: (config.fdp.isolation != Isolation::Off).then(|| config.fdp.isolation.name()),
            reclaim_unit_bytes: u64::from(ssd.ftl().units_per_group()) * unit_bytes,
            handles: (0..).zip(handles).map(of_handle).collect(),
            mixed: HandleBytes::of(mixed, unit_bytes),
            events: FdpEvents {
                not_fully_written: ftl.closed_on_request,
                time_limit_exceeded: ftl.closed_groups.saturating_sub(ftl.closed_on_request),
                invalid_placement_identifier: ftl.invalid_handles,
            },
        })
    }
}
