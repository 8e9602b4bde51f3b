//! `external`: the data that the calling program says is due.

use super::{DeviceView, RefreshPolicy, RefreshView};
use crate::engine::Ns;
use crate::policy::NoParameters;
use crate::policy::external::external;

/// A refresh policy of the calling program. It knows of reads.
pub trait ExternalRefresh: crate::policy::External {
    /// See [`RefreshPolicy::looks_every`].
    fn looks_every(&self) -> Option<Ns>;

    /// See [`RefreshPolicy::is_due`].
    fn is_due(&self, view: &RefreshView<'_>) -> bool;
}

external!(ExternalRefresh for RefreshPolicy {
    fn counts_reads() -> bool {
        true
    }

    fn new(_: &NoParameters, device: &DeviceView<'_>) -> External {
        External::made(device)
    }

    fn looks_every(&self) -> Option<Ns> {
        self.0.as_ref()?.looks_every()
    }

    fn is_due(&self, view: &RefreshView<'_>) -> bool {
        self.0.as_ref().is_some_and(|policy| policy.is_due(view))
    }
});
