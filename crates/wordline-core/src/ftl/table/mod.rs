//! A mapping table that is on flash, in part or as a journal: what of it is read and written.

mod journal;
pub(super) mod translation;
