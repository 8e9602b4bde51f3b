//! From a unit that is complete in the controller to its program: its stream and pool, its place, and what it shares a program with.

pub(super) mod closing;
pub(super) mod entries;
pub(super) mod merge;
mod neighbours;
pub(super) mod open_timeout;
mod packing;
pub(super) mod pages;
pub(super) mod parking;
mod place;
pub(super) mod placement;
mod preload;
mod programs;
pub(super) mod put;
mod run;
