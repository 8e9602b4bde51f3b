//! `flow`: each flow has a stream, as far as there are streams; flow i has stream i modulo their number.

use super::{DeviceView, HostPage, NoParameters, PlacementPolicy, Policy};
use crate::flash::{StreamId, StreamTable};
use wordline_cells::Divider;

/// The stream of the flow.
#[derive(Clone, Debug)]
pub struct Flow {
    streams: Divider,
}

impl Policy for Flow {
    const NAME: &'static str = "flow";
    const HELP: &'static str = "the stream of its flow: flow i has stream i modulo their number";
    type Parameters = NoParameters;
}

impl PlacementPolicy for Flow {
    fn new(_: &NoParameters, _: &DeviceView<'_>, streams: &StreamTable) -> Flow {
        Flow { streams: Divider::new(streams.hosts().len() as u32) }
    }

    #[inline]
    fn host(&mut self, page: &HostPage<'_>, _: impl Fn() -> Option<StreamId>) -> StreamId {
        page.streams.hosts()[self.streams.remainder(page.writer.flow) as usize]
    }
}
