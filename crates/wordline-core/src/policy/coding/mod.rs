//! Slot `coding`: how many senses a page of a wordline takes, and what refresh does with the wordline.
//!
//! A Gray coding ([`GrayCoding`]) gives each page's bit changes to some of the 2^bits - 1 borders between
//! states; reading the page takes one sense per change. When pages of a wordline are invalid, states that
//! differ only in them can be merged ([`Merge`]), and the pages that remain need fewer senses: that is IDA.
//! What refresh does with a wordline follows from which of its pages are valid ([`refresh_case`]).

mod action;
mod conventional;
mod ida;
mod mlc_1_2;
mod qlc_1_2_4_8;
mod scheme;
mod slc;
mod tlc_1_2_4;
mod tlc_2_3_2;

pub use action::Action;
pub use ida::{Case, refresh_action, refresh_case};
pub use scheme::CodingScheme;
pub use wordline_cells::coding::GrayCoding;

use super::{NoParameters, Policy, policies};

/// What refresh does with the wordlines of an old block: pure functions.
pub trait RefreshedWordline: Policy {
    /// States of wordlines may be merged: a block that is refreshed stays, its pages are read, and the policy is asked for
    /// each of its wordlines.
    fn merges() -> bool {
        false
    }

    /// What is done with a wordline of so many pages, by which of them are valid (a bit each, the LSB lowest).
    fn action(keys: &CodingKeys, bits: usize, valid_mask: u8) -> Action;

    /// Time of the adjustment of a wordline over that of an MSB program, where the cells that move cross this share of
    /// the range of an MSB program.
    fn adjust_share(_: &CodingKeys, _ispp_share: f64) -> f64 {
        1.0
    }

    /// Share of the pages that stay which the adjustment breaks; they are written to another block.
    fn broken_share(_: &CodingKeys) -> f64 {
        0.0
    }

    /// Of how many senses a read of a merged wordline takes the time, where its states need so many.
    fn timed_senses(_: &CodingKeys, senses: usize) -> usize {
        senses
    }

    /// Whether the states of a merged wordline decide about its errors, or they are those of a plain one.
    fn has_errors_of_states(_: &CodingKeys) -> bool {
        true
    }
}

/// How the states of a cell stand for bits. The names count senses, LSB first.
pub trait Coding: Policy {
    /// Its states.
    fn gray() -> GrayCoding;

    /// It is what `auto` stands for, with cells of so many bits.
    fn is_plain() -> bool {
        false
    }
}

policies! {
    /// The codings that have a name.
    CodingName, SchemeKeys [
        slc::Slc,
        mlc_1_2::Mlc12,
        tlc_1_2_4::Tlc124,
        tlc_2_3_2::Tlc232,
        qlc_1_2_4_8::Qlc1248,
    ]

    ask Coding {
        /// See [`Coding::gray`].
        fn gray() -> GrayCoding;
        /// See [`Coding::is_plain`].
        fn is_plain() -> bool;
    }
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
        fn action(keys: &CodingKeys, bits: usize, valid_mask: u8) -> Action;
        /// See [`RefreshedWordline::adjust_share`].
        fn adjust_share(keys: &CodingKeys, ispp_share: f64) -> f64;
        /// See [`RefreshedWordline::broken_share`].
        fn broken_share(keys: &CodingKeys) -> f64;
        /// See [`RefreshedWordline::timed_senses`].
        fn timed_senses(keys: &CodingKeys, senses: usize) -> usize;
        /// See [`RefreshedWordline::has_errors_of_states`].
        fn has_errors_of_states(keys: &CodingKeys) -> bool;
    }
}
