//! The bits that each state of a cell stands for, and the states that are left after a merge.
//!
//! A Gray coding ([`GrayCoding`]) gives each page's bit changes to some of the 2^bits - 1 borders between states; a
//! page read takes one sense per change. If pages of a wordline are invalid, states that differ only in their bits can
//! be merged ([`Merge`]), and the remaining pages need fewer senses. This is IDA.

mod gray;
mod merge;

pub use gray::{BITS_MAX, CodingError, GrayCoding, STATES_MAX};
pub use merge::{Merge, Merged};
