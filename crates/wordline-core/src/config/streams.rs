//! The streams of open blocks that a configuration asks for.

use super::{Config, Frontier, UnmappedRead};
use crate::flash::{ModeId, Purpose, StreamTable};

impl Config {
    /// All streams, the host's first.
    #[must_use]
    pub fn streams(&self) -> StreamTable {
        let mut table = StreamTable::default();
        for number in 0..self.ftl.streams {
            table.add(Purpose::Host(number as u16));
        }
        let normal = table.hosts()[0];
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
        let is_host = |id, table: &StreamTable| table.hosts().contains(&id);
        for id in table.ids() {
            match moved {
                Some(moved) => table.moves_to(id, moved),
                // Behind the host's writes of the same stream; what is in no stream of the host joins the first.
                None if !is_host(id, &table) => table.moves_to(id, normal),
                None => {}
            }
        }
        if let Some((cache, folded)) = cache {
            table.moves_to(cache, folded);
        }
        table
    }
}
