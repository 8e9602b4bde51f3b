//! `external`: the victim that the calling program chooses.

use super::{DeviceView, GcPolicy, GcView, NoParameters};
use crate::policy::external::external;
use wordline_cells::geometry::BlockId;

/// A victim policy of the calling program.
pub trait ExternalGc: crate::policy::External {
    /// See [`GcPolicy::choose`]: one of [`GcView::candidates`], or none.
    fn choose(&mut self, view: &GcView<'_>) -> Option<BlockId>;
}

external!(ExternalGc for GcPolicy {
    fn new(_: &NoParameters, device: &DeviceView<'_>) -> External {
        External::made(device)
    }

    fn choose(&mut self, view: &GcView<'_>) -> Option<BlockId> {
        self.0.as_mut()?.choose(view)
    }
});
