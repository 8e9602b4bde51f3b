//! Which stream of open blocks data go to: asks the policy, and knows the streams that are not the host's.

use crate::config::{Config, UnmappedRead};
use crate::engine::state;
use crate::flash::{Purpose, StreamId, StreamTable, Writer};
use crate::nand::Lpn;
use crate::policy::placement::{HostPage, MovedPage, Placement as PlacementRun, PlacementName, Reason};

/// All streams, and the policy that chooses among them.
#[derive(Debug)]
pub(in crate::ftl) struct Placement {
    pub streams: StreamTable,
    policy: PlacementRun,
    /// The stream of data that have no other: the mapping table, and pages that were written fast and are written again.
    pub normal: StreamId,
    /// The handle of a request says where its data go.
    pub by_handle: bool,
    /// Where wear levelling parks cold pages.
    pub cold: StreamId,
    /// Where pages go that are read before the run wrote them; none where such a read finds nothing.
    pub preload: Option<StreamId>,
    /// Where fast writes go (OFWAR).
    pub fast: Option<StreamId>,
    /// The SLC cache.
    pub cache: Option<StreamId>,
    /// The journal of the mapping table and its checkpoints; `normal` where there is none.
    pub map: StreamId,
    /// Where the zones' data go, on a drive that has zones.
    zones: Option<ZoneStreams>,
}

/// The streams of zones, which follow each other.
#[derive(Clone, Copy, Debug)]
struct ZoneStreams {
    first: usize,
    count: usize,
    /// Units from the start of a zone to the start of the next.
    units: u64,
}

state! {
    Placement {
        parts: policy;
        derived: streams, normal, by_handle, cold, preload, fast, cache, map, zones;
    }
}

impl Placement {
    /// The streams that a configuration asks for.
    pub fn new(config: &Config) -> Placement {
        let streams = config.streams();
        let normal = streams.hosts()[0];
        let cold = streams.of(Purpose::Cold).unwrap_or(normal);
        let preload = match config.ftl.unmapped_read {
            UnmappedRead::Frontier => Some(normal),
            UnmappedRead::Preloaded => streams.of(Purpose::Preload),
            UnmappedRead::Zero => None,
        };
        let (fast, cache) = (streams.of(Purpose::Fast), streams.of(Purpose::Cache));
        let map = streams.of(Purpose::Map).unwrap_or(normal);
        let name = if config.fdp.is_on() { PlacementName::Handle } else { config.ftl.placement };
        let keys = &config.ftl.placements;
        let policy = PlacementRun::new(name, keys, &config.device_view(), &streams);
        let by_handle = config.places_by_handle();
        let zones = config.zone_shape().zip(streams.of(Purpose::Zone(0))).map(|(shape, first)| ZoneStreams {
            first: first.into(),
            count: shape.count as usize,
            units: shape.size / u64::from(config.sectors_per_unit()),
        });
        Placement { streams, policy, normal, by_handle, cold, preload, fast, cache, map, zones }
    }

    /// The stream of a page of the host; `present` is that of the block that holds it now.
    #[inline]
    pub fn host(&mut self, lpn: Lpn, writer: Writer, present: impl Fn() -> Option<StreamId>) -> StreamId {
        if let Some(zones) = self.zones {
            return StreamId::at(zones.first + (u64::from(lpn) / zones.units) as usize);
        }
        let page = HostPage { streams: &self.streams, writer, lpn };
        self.policy.host(&page, present)
    }

    /// The stream of a zone.
    pub fn stream_of_zone(&self, zone: u32) -> StreamId {
        StreamId::at(self.zones.map_or(0, |zones| zones.first) + zone as usize)
    }

    /// The zone of a stream, if it is one.
    pub fn zone_of(&self, stream: StreamId) -> Option<u32> {
        let ZoneStreams { first, count, .. } = self.zones?;
        usize::from(stream).checked_sub(first).filter(|&zone| zone < count).map(|zone| zone as u32)
    }

    /// The first unit of a zone.
    pub fn start_of_zone(&self, zone: u32) -> u64 {
        self.zones.map_or(0, |zones| zones.units) * u64::from(zone)
    }

    /// The stream of a page that moves away from a block of a stream.
    #[inline]
    pub fn moved(&mut self, lpn: Lpn, from: StreamId, reason: Reason) -> StreamId {
        let usual = match reason {
            _ if self.streams.kept_apart(from).is_some() => self.streams.get(from).moves_to,
            Reason::Gc | Reason::Refresh | Reason::Fold | Reason::Reset => self.streams.get(from).moves_to,
            Reason::Wear => self.cold,
            Reason::Rewrite => self.normal,
        };
        self.policy.moved(&MovedPage { streams: &self.streams, lpn, from, reason, usual })
    }

    /// The stream of a page whose program in a block of a stream was cut off: the host's, as far as the page was.
    pub fn again(&self, from: StreamId) -> StreamId {
        match self.streams.get(from).purpose {
            Purpose::Host(_) | Purpose::Map | Purpose::Zone(_) => from,
            Purpose::MovedOf(number) => self.streams.hosts()[usize::from(number)],
            Purpose::Moved
            | Purpose::Cold
            | Purpose::Preload
            | Purpose::Fast
            | Purpose::Cache
            | Purpose::Folded => self.normal,
        }
    }
}
