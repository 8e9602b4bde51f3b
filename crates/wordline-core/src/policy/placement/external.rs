//! `external`: the stream that the calling program names.

use super::{DeviceView, HostPage, MovedPage, NoParameters, PlacementPolicy};
use crate::flash::{StreamId, StreamTable};
use crate::policy::external::external;

/// A placement policy of the calling program.
pub trait ExternalPlacement: crate::policy::External {
    /// See [`PlacementPolicy::host`].
    fn host(&mut self, page: &HostPage<'_>, present: &dyn Fn() -> Option<StreamId>) -> StreamId;

    /// See [`PlacementPolicy::moved`].
    fn moved(&mut self, page: &MovedPage<'_>) -> StreamId;
}

external!(ExternalPlacement for PlacementPolicy {
    fn new(_: &NoParameters, device: &DeviceView<'_>, _: &StreamTable) -> External {
        External::made(device)
    }

    fn host(&mut self, page: &HostPage<'_>, present: impl Fn() -> Option<StreamId>) -> StreamId {
        self.0.as_mut().map_or(page.streams.hosts()[0], |policy| policy.host(page, &present))
    }

    fn moved(&mut self, page: &MovedPage<'_>) -> StreamId {
        self.0.as_mut().map_or(page.usual, |policy| policy.moved(page))
    }
});
