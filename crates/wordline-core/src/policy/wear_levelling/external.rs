//! `external`: the block that the calling program names.

use super::{DeviceView, WearKeys, WearPolicy, WearView};
use crate::policy::NoParameters;
use crate::policy::external::external;
use wordline_cells::geometry::BlockId;

/// A policy of wear levelling of the calling program.
pub trait ExternalWear: crate::policy::External {
    /// See [`WearPolicy::choose`]: one of [`WearView::candidates`], or none.
    fn choose(&mut self, view: &WearView<'_>) -> Option<BlockId>;
}

external!(ExternalWear for WearPolicy {
    fn moves_data(_: &WearKeys) -> bool {
        true
    }

    fn new(_: &NoParameters, device: &DeviceView<'_>) -> External {
        External::made(device)
    }

    fn choose(&mut self, view: &WearView<'_>) -> Option<BlockId> {
        self.0.as_mut()?.choose(view)
    }
});
