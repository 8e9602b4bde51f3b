//! Slot `refresh`: which block's data has to be read, corrected and written anew?
//!
//! A run may have several policies, joined by `+`: a block is due where one of them says so. What is then done with it is
//! decided by the slot `coding`.

mod age;
mod errors;
mod external;
mod list;
mod reads;

pub use external::ExternalRefresh;
pub use list::{RefreshList, Refreshes};

use super::{DeviceView, Policy, policies};
use crate::engine::Ns;
use crate::flash::{Block, BlockHealth};

/// What a refresh policy sees of a full block with valid pages.
#[derive(Clone, Copy, Debug)]
pub struct RefreshView<'a> {
    /// The block.
    pub block: &'a Block,
    /// What it has been through.
    pub health: &'a BlockHealth,
    /// Age of its data, ns.
    pub age: Ns,
    /// Senses of the block since its last erase; 0 where no policy counts them.
    pub reads: u32,
    /// The most errors that the ECC has corrected in 1 KiB of it since then, bits; 0 where no policy counts reads.
    pub errors: u32,
}

/// When data is refreshed. What a policy keeps in a run is in its fields.
pub trait RefreshPolicy: Policy {
    /// It wants to know of reads.
    fn counts_reads() -> bool {
        false
    }

    /// Blocks are due for it because of their reads.
    fn reclaims_reads(&self) -> bool {
        Self::counts_reads()
    }

    /// At the beginning of a run.
    fn new(keys: &Self::Parameters, device: &DeviceView<'_>) -> Self;

    /// Time from one look at all blocks to the next, ns; `None` where the policy is off.
    fn looks_every(&self) -> Option<Ns>;

    /// Whether the data of a block is due.
    fn is_due(&self, view: &RefreshView<'_>) -> bool;
}

policies! {
    /// The policies of the slot.
    RefreshName, RefreshKeys [
        age::Age,
        reads::Reads,
        errors::Errors,
        external::External,
    ]

    ask RefreshPolicy {
        /// See [`RefreshPolicy::counts_reads`].
        fn counts_reads() -> bool;
    }

    run RefreshRun: RefreshPolicy (device: &DeviceView<'_>) {
        /// See [`RefreshPolicy::reclaims_reads`].
        fn reclaims_reads(&self) -> bool;
        /// See [`RefreshPolicy::looks_every`].
        fn looks_every(&self) -> Option<Ns>;
        /// See [`RefreshPolicy::is_due`].
        fn is_due(&self, view: &RefreshView<'_>) -> bool;
    }
}
