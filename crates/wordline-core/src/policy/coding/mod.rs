//! Slot `coding`: how many senses a page of a wordline takes, and what refresh does with the wordline.
//!
//! A Gray coding ([`GrayCoding`]) gives each page's bit changes to some of the 2^bits - 1 borders between
//! states; reading the page takes one sense per change. When pages of a wordline are invalid, states that
//! differ only in them can be merged ([`Merge`]), and the pages that remain need fewer senses: that is IDA.
//! What refresh does with a wordline follows from which of its pages are valid ([`refresh_case`]).

mod refresh;
mod scheme;

pub use refresh::{Action, Case, refresh_action, refresh_case};
pub use scheme::CodingScheme;
pub use wordline_cells::coding::{BITS_MAX, CodingError, GrayCoding, Merge, Merged, STATES_MAX};
