//! `external`: what the calling program sends through the SLC cache, and when it has it folded.

use super::{DeviceView, FoldView, FoldingPolicy, NoParameters};
use crate::engine::Ns;
use crate::flash::Writer;
use crate::policy::external::external;

/// A folding policy of the calling program.
pub trait ExternalFolding: crate::policy::External {
    /// See [`FoldingPolicy::takes`].
    fn takes(&self, writer: &Writer) -> bool;

    /// See [`FoldingPolicy::idle_after`].
    fn idle_after(&self) -> Option<Ns>;

    /// See [`FoldingPolicy::folds`].
    fn folds(&self, view: &FoldView) -> bool;
}

external!(ExternalFolding for FoldingPolicy {
    fn new(_: &NoParameters, device: &DeviceView<'_>) -> External {
        External::made(device)
    }

    fn takes(&self, writer: &Writer) -> bool {
        self.0.as_ref().is_some_and(|policy| policy.takes(writer))
    }

    fn idle_after(&self) -> Option<Ns> {
        self.0.as_ref()?.idle_after()
    }

    fn folds(&self, view: &FoldView) -> bool {
        self.0.as_ref().is_some_and(|policy| policy.folds(view))
    }
});
