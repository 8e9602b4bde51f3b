//! Which bits each state of a cell stands for, and what is left when states merge.
//!
//! A Gray coding ([`GrayCoding`]) gives each page's bit changes to some of the 2^bits - 1 borders between
//! states; reading the page takes one sense per change. When pages of a wordline are invalid, states that
//! differ only in them can be merged ([`Merge`]), and the pages that remain need fewer senses: that is IDA.

mod gray;
mod merge;

pub use gray::{BITS_MAX, CodingError, GrayCoding, STATES_MAX};
pub use merge::{Merge, Merged};
