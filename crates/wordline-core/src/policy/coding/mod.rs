//! Slot `coding`: how many senses a page of a wordline takes, and what refresh does with the wordline.
//!
//! A Gray coding ([`GrayCoding`]) gives each page's bit changes to some of the 2^bits - 1 borders between
//! states; reading the page takes one sense per change. When pages of a wordline are invalid, states that
//! differ only in them can be merged ([`Merge`]), and the pages that remain need fewer senses: that is IDA.
//! What refresh does with a wordline follows from which of its pages are valid ([`refresh_case`]).

mod action;
mod conventional;
mod ida;
mod scheme;

pub use action::Action;
pub use ida::{AdjustTime, Case, refresh_action, refresh_case};
pub use scheme::CodingScheme;
pub use wordline_cells::coding::{BITS_MAX, CodingError, GrayCoding, Merge, Merged, STATES_MAX};

use super::{NoParameters, Policy, policies};

/// What refresh does with the wordlines of an old block: pure functions.
pub trait RefreshedWordline: Policy {
    /// States of wordlines may be merged: a block that is refreshed stays, its pages are read, and the policy is asked for
    /// each of its wordlines.
    fn merges() -> bool {
        false
    }

    /// What is done with a wordline of so many pages, by which of them are valid (a bit each, the LSB lowest).
    fn action(bits: usize, valid_mask: u8) -> Action;
}

policies! {
    /// The policies of the slot.
    CodingPolicy, CodingKeys [
        conventional::Conventional,
        ida::Ida,
    ]

    ask RefreshedWordline {
        /// See [`RefreshedWordline::merges`].
        fn merges() -> bool;
        /// See [`RefreshedWordline::action`].
        fn action(bits: usize, valid_mask: u8) -> Action;
    }
}
