//! `handle`: each placement handle, or write hint, has a stream, as far as there are streams. Handle n has stream n, counted from 1; data
//! without a handle, and those of a handle that the drive does not have, go to the first stream. Where there are reclaim groups, each has a
//! first one, and these take addresses in turn.

use super::{DeviceView, HostPage, NoParameters, PlacementPolicy, Policy};
use crate::flash::{StreamId, StreamTable};

/// The stream of the handle.
#[derive(Clone, Debug)]
pub struct Handle;

impl Policy for Handle {
    const NAME: &'static str = "handle";
    const HELP: &'static str =
        "the stream of its placement handle or write hint; the first where it has none";
    type Parameters = NoParameters;
}

impl PlacementPolicy for Handle {
    fn new(_: &NoParameters, _: &DeviceView<'_>, _: &StreamTable) -> Handle {
        Handle
    }

    #[inline]
    fn host(&mut self, page: &HostPage<'_>, _: impl Fn() -> Option<StreamId>) -> StreamId {
        page.streams.of_handle(page.writer.hint).unwrap_or_else(|| page.streams.without_handle(page.lpn))
    }
}
