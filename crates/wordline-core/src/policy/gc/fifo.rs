//! FIFO: the block that has been full for longest.

use super::{DeviceView, GcPolicy, GcView, NoParameters, Policy};
use wordline_cells::geometry::BlockId;

/// The block that has been full for longest.
#[derive(Clone, Copy, Debug)]
pub struct Fifo;

impl Policy for Fifo {
    const NAME: &'static str = "fifo";
    const HELP: &'static str = "the block that has been full for longest";
    type Parameters = NoParameters;
}

impl GcPolicy for Fifo {
    fn new(_: &NoParameters, _: &DeviceView<'_>) -> Fifo {
        Fifo
    }

    fn choose(&mut self, view: &GcView<'_>) -> Option<BlockId> {
        view.candidates().min_by_key(|(_, block)| block.filled_seq).map(|(id, _)| id)
    }
}
