//! Slot `folding`: what goes through the SLC cache, and when does it leave it?
//!
//! Data in the cache lie in blocks of one bit a cell. Folding moves the live pages of such a block to blocks of the chip's
//! own mode, and erases it. Which block is folded first is the choice of a policy of slot `gc` (`slc.victim`).

mod external;
mod idle;
mod off;
mod watermark;

pub use external::ExternalFolding;

use super::{DeviceView, NoParameters, Policy, policies};
use crate::engine::Ns;
use crate::flash::Writer;

/// What a folding policy sees of a pool. All numbers are of groups of blocks.
#[derive(Clone, Copy, Debug)]
pub struct FoldView {
    /// Full groups of the cache.
    pub full: u32,
    /// Groups that the cache may have as things are.
    pub limit: u32,
    /// Full groups of the cache that are free for the chip's own mode, too, when they are folded.
    pub full_dynamic: u32,
    /// GC is due: free groups are fewer than `gc.threshold` asks for.
    pub is_short: bool,
    /// The host has asked for nothing for as long as [`FoldingPolicy::idle_after`] says.
    pub is_idle: bool,
}

/// What the cache takes, and when it is folded. What a policy keeps in a run is in its fields.
pub trait FoldingPolicy: Policy {
    /// There is a cache.
    fn uses_cache() -> bool {
        true
    }

    /// At the beginning of a run.
    fn new(keys: &Self::Parameters, device: &DeviceView<'_>) -> Self;

    /// Whether data of a request go to the cache, where it has room; otherwise they go around it.
    fn takes(&self, writer: &Writer) -> bool;

    /// The host counts as idle when it has asked for nothing for so long, ns; nothing where the policy does not care.
    fn idle_after(&self) -> Option<Ns>;

    /// Whether a group is folded now. Asked when a pool has no job and has written or erased something, and when the host
    /// becomes idle.
    fn folds(&self, view: &FoldView) -> bool;
}

policies! {
    /// The policies of the slot.
    FoldingName, FoldingKeys [
        off::Off,
        idle::Idle,
        watermark::Watermark,
        external::External,
    ]

    ask FoldingPolicy {
        /// See [`FoldingPolicy::uses_cache`].
        fn uses_cache() -> bool;
    }

    run Folding: FoldingPolicy (device: &DeviceView<'_>) {
        /// See [`FoldingPolicy::takes`].
        fn takes(&self, writer: &Writer) -> bool;
        /// See [`FoldingPolicy::idle_after`].
        fn idle_after(&self) -> Option<Ns>;
        /// See [`FoldingPolicy::folds`].
        fn folds(&self, view: &FoldView) -> bool;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    fn folding(policy: FoldingName, change: impl Fn(&mut FoldingKeys)) -> Folding {
        let mut keys = FoldingKeys::default();
        change(&mut keys);
        Folding::new(policy, &keys, &Config::default().device_view())
    }

    const QUIET: FoldView = FoldView { full: 0, limit: 10, full_dynamic: 0, is_short: false, is_idle: false };

    #[test]
    fn an_idle_drive_is_folded_and_one_that_is_short_of_room() {
        let idle = folding(FoldingName::Idle, |_| {});
        let folds = |view: FoldView| idle.folds(&view);
        assert!(!folds(FoldView { full: 10, full_dynamic: 10, ..QUIET }), "nothing asks for it");
        assert!(folds(FoldView { full: 1, is_idle: true, ..QUIET }));
        assert!(!folds(FoldView { is_idle: true, ..QUIET }), "there is nothing to fold");
        assert!(folds(FoldView { full: 3, full_dynamic: 1, is_short: true, ..QUIET }));
        assert!(!folds(FoldView { full: 3, is_short: true, ..QUIET }), "static groups win no room");
        assert_eq!(idle.idle_after(), Some(1_000_000_000));
    }

    #[test]
    fn a_watermark_folds_what_is_above_it() {
        let mark = folding(FoldingName::Watermark, |keys| keys.watermark.fold_above = 0.5);
        assert!(!mark.folds(&FoldView { full: 5, ..QUIET }));
        assert!(mark.folds(&FoldView { full: 6, ..QUIET }));
        assert!(mark.folds(&FoldView { full: 1, full_dynamic: 1, is_short: true, ..QUIET }));
        assert!(!mark.folds(&FoldView { full: 5, is_idle: true, ..QUIET }));
        assert_eq!(mark.idle_after(), None);
    }

    #[test]
    fn large_requests_go_around_if_that_is_asked_for() {
        let takes = |around_bytes, sectors| {
            let policy = folding(FoldingName::Idle, |keys| keys.idle.around_bytes = around_bytes);
            policy.takes(&Writer::new(0, sectors))
        };
        assert!(takes(0, 65_535));
        assert_eq!((takes(131_072, 255), takes(131_072, 256), takes(131_072, 257)), (true, false, false));
        assert!(!folding(FoldingName::Off, |_| {}).takes(&Writer::new(0, 8)));
    }
}
