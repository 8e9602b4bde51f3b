//! What a result says of zones.

use schemars::JsonSchema;
use serde::Serialize;
use wordline_core::Ssd;
use wordline_core::host::Op;
use wordline_core::metrics::LatencySummary;
use wordline_core::zones::ZoneState;

/// The zones of a drive, and the commands for them that were counted.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Zones {
    /// Number of zones.
    #[schemars(extend("x-unit" = "count", "x-measured" = false))]
    pub count: u64,
    /// Zones by their state when the run has ended.
    pub by_state: ZonesByState,
    /// Zones that the host opened.
    #[schemars(extend("x-unit" = "count"))]
    pub opened: u64,
    /// Zones that the host closed.
    #[schemars(extend("x-unit" = "count"))]
    pub closed: u64,
    /// Response times of finishes.
    pub finish_us: LatencySummary,
    /// Response times of resets.
    pub reset_us: LatencySummary,
}

/// Zones by state.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(extend("x-unit" = "count"))]
pub struct ZonesByState {
    /// Nothing is written.
    pub empty: u64,
    /// Opened by a write or an append.
    pub implicitly_opened: u64,
    /// Opened by the host.
    pub explicitly_opened: u64,
    /// Written in part, and not open.
    pub closed: u64,
    /// They take no further write.
    pub full: u64,
    /// They can only be read.
    pub read_only: u64,
    /// They cannot be used.
    pub offline: u64,
}

impl Zones {
    pub(super) fn of(ssd: &Ssd) -> Option<Zones> {
        let (zones, metrics) = (ssd.zones()?.all(), ssd.metrics());
        let in_state = |state| zones.iter().filter(|zone| zone.state == state).count() as u64;
        Some(Zones {
            count: zones.len() as u64,
            by_state: ZonesByState {
                empty: in_state(ZoneState::Empty),
                implicitly_opened: in_state(ZoneState::ImplicitlyOpened),
                explicitly_opened: in_state(ZoneState::ExplicitlyOpened),
                closed: in_state(ZoneState::Closed),
                full: in_state(ZoneState::Full),
                read_only: in_state(ZoneState::ReadOnly),
                offline: in_state(ZoneState::Offline),
            },
            opened: metrics.count_of(Op::ZoneOpen),
            closed: metrics.count_of(Op::ZoneClose),
            finish_us: metrics.of(Op::ZoneFinish).summary(),
            reset_us: metrics.of(Op::ZoneReset).summary(),
        })
    }
}
