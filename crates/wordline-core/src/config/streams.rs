//! The streams of open blocks that a configuration asks for.

use super::{Config, Frontier, UnmappedRead};
use crate::flash::{ModeId, Purpose, StreamTable};
use crate::policy::placement::PlacementName;

impl Config {
    /// Streams of the host: one for each placement identifier, where there are handles.
    #[must_use]
    pub fn host_streams(&self) -> u32 {
        if self.fdp.is_on() { self.fdp.handles * self.fdp.groups() } else { self.ftl.streams }
    }

    /// The handle of a request, or its hint, says which stream its data go to.
    #[must_use]
    pub fn places_by_handle(&self) -> bool {
        self.fdp.is_on() || self.ftl.placement == PlacementName::Handle
    }

    /// All streams, the host's first.
    #[must_use]
    pub fn streams(&self) -> StreamTable {
        let mut table = StreamTable::default();
        for number in 0..self.host_streams() {
            table.add(Purpose::Host(number as u16));
        }
        let hosts = table.hosts().to_vec();
        let moved = match self.gc.frontier {
            Frontier::Separate => Some(table.add(Purpose::Moved)),
            Frontier::Shared => None,
        };
        if self.wear.policy.moves_data(&self.wear.policies) {
            table.add(Purpose::Cold);
        }
        if self.ftl.unmapped_read == UnmappedRead::Preloaded {
            table.add(Purpose::Preload);
        }
        if self.program.policy.fast_dvpp(&self.program.policies).is_some() {
            table.add(Purpose::Fast);
        }
        let cache = self
            .slc
            .policy
            .uses_cache()
            .then(|| (table.add_in(ModeId::SLC, Purpose::Cache), table.add(Purpose::Folded)));
        if self.has_journal() {
            table.add(Purpose::Map);
        }
        if self.has_zones() {
            (0..self.zone_count()).for_each(|zone| _ = table.add(Purpose::Zone(zone)));
        }
        let is_host = |id, table: &StreamTable| table.hosts().contains(&id);
        let is_persistent = |number: u16| self.fdp.is_persistent(u32::from(number) % self.fdp.handles);
        // None where the data of each handle stay with it.
        let shared = (0..).zip(&hosts).find(|&(number, _)| !is_persistent(number)).map(|(_, &host)| host);
        for id in table.ids() {
            match moved {
                Some(moved) => table.moves_to(id, moved),
                // Behind the host's writes of all handles. Without handles behind those of the same stream; what is in no stream of
                // the host joins the first.
                None if self.fdp.is_on() || !is_host(id, &table) => {
                    shared.into_iter().for_each(|to| table.moves_to(id, to));
                }
                None => {}
            }
        }
        for (number, host) in (0..).zip(hosts) {
            if is_persistent(number) {
                let goes_to = if moved.is_some() { table.add(Purpose::MovedOf(number)) } else { host };
                table.moves_to(host, goes_to);
                table.moves_to(goes_to, goes_to);
                table.stays_apart(host);
                table.stays_apart(goes_to);
            }
        }
        if self.fdp.groups() > 1 {
            table.divide(self.fdp.handles);
        }
        if let Some((cache, folded)) = cache {
            table.moves_to(cache, folded);
        }
        table
    }
}
