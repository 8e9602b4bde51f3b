//! Slot `flush`: when does a dirty page leave the DRAM cache?
//!
//! Whatever the policy, a page leaves when its line is needed, and when the host asks for a flush.

mod eager;
mod full;
mod hot_cold;
mod watermark;

use super::{DeviceView, NoParameters, Policy, Refusal, policies};
use crate::engine::Ns;
use wordline_cells::geometry::Lpn;

/// What a policy sees of the cache after a page was written.
#[derive(Clone, Copy, Debug)]
pub struct CacheView {
    /// Dirty pages.
    pub dirty: usize,
    /// Pages that the cache holds at most.
    pub capacity: usize,
    /// The page that was just written.
    pub written: Lpn,
    /// All sectors of that page are dirty.
    pub is_whole: bool,
    /// Simulated time.
    pub now: Ns,
}

/// A page that leaves the cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leaves {
    /// None.
    Nothing,
    /// The page that was just written.
    Written,
    /// The dirty page that was written longest ago; then the policy is asked again.
    Oldest,
}

/// When dirty pages leave. What a policy keeps in a run is in its fields.
pub trait FlushPolicy: Policy {
    /// At the beginning of a run.
    fn new(keys: &Self::Parameters, device: &DeviceView<'_>) -> Self;

    /// A page was written: which one leaves.
    fn written(&mut self, view: &CacheView) -> Leaves;

    /// Pages only pass through the cache: one that is written while it is on its way to flash leaves again at once, and
    /// none stays once the flash has it.
    fn only_passes(&self) -> bool {
        false
    }

    /// How long a page that was written in part stays at most, ns.
    fn fill_wait(&self) -> Option<Ns> {
        None
    }

    /// No page stays once the flash has all of it.
    fn drops_clean(&self) -> bool {
        self.only_passes()
    }
}

policies! {
    /// The policies of the slot.
    FlushName, FlushKeys [
        full::Full,
        watermark::Watermark,
        eager::Eager,
        hot_cold::HotCold,
    ]

    run Flush: FlushPolicy (device: &DeviceView<'_>) {
        /// See [`FlushPolicy::written`].
        fn written(&mut self, view: &CacheView) -> Leaves;
        /// See [`FlushPolicy::only_passes`].
        fn only_passes(&self) -> bool;
        /// See [`FlushPolicy::fill_wait`].
        fn fill_wait(&self) -> Option<Ns>;
        /// See [`FlushPolicy::drops_clean`].
        fn drops_clean(&self) -> bool;
    }
}
