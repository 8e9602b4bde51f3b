//! `by-size`: large requests have a stream of their own, the host's last one, and all others share the first. A large write is
//! often a file that is deleted as a whole, a small one is often overwritten soon. Both kinds go to one stream where
//! `ftl.streams` is 1.

use super::{DeviceView, HostPage, PlacementPolicy, Policy};
use crate::flash::{StreamId, StreamTable};
use crate::parameter::section;

section! {
    /// The keys of `by-size`.
    #[derive(Copy)]
    pub struct Keys {
        /// Requests of this size or more are large.
        large_kib: u32 = 128, whole(1, 16_384).unit("KiB").source("assumed: a large block of a file system")
            .when("ftl.placement", &["by-size"]);
    }
}

/// Large requests in a stream of their own.
#[derive(Clone, Debug)]
pub struct BySize {
    large_sectors: u32,
}

impl Policy for BySize {
    const NAME: &'static str = "by-size";
    const HELP: &'static str = "the last stream for requests of `large_kib` or more, else the first";
    type Parameters = Keys;
}

impl PlacementPolicy for BySize {
    fn new(keys: &Keys, _: &DeviceView<'_>, _: &StreamTable) -> BySize {
        BySize { large_sectors: keys.large_kib * 2 }
    }

    fn host(&mut self, page: &HostPage<'_>, _: impl Fn() -> Option<StreamId>) -> StreamId {
        let hosts = page.streams.hosts();
        let is_large = u32::from(page.writer.sectors) >= self.large_sectors;
        hosts[if is_large { hosts.len() - 1 } else { 0 }]
    }
}
