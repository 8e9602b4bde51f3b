//! The mapping table: where each unit is and what of it holds data, and what of the table is written to flash.

pub(super) mod format;
pub(super) mod journal;
pub(super) mod mapping;
pub(super) mod sector_map;
pub(super) mod undone;
