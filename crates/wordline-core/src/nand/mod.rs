//! The flash array: where things are, how long operations take, and what blocks have been through.

pub mod cells;
mod erases;
mod fast_program;
mod geometry;
mod health;
mod merged;
mod page;
mod read_timing;
mod survey;
mod timing;

pub(crate) use erases::finish;
pub use fast_program::{FastProgram, WideStates};
pub use geometry::{Address, BlockId, Geometry, Lpn, NONE, PLANES_MAX, PlaneId, Ppn, Shape};
pub use health::{BlockHealth, EraseOutcome, Nand};
pub use merged::MergedWordlines;
pub use page::{Page, PrechargeCut, ReadModel};
pub use read_timing::ReadTimingTables;
pub use survey::{FirstRead, Retried, Survey};
pub use timing::Timing;
pub(crate) use timing::{femtoseconds_per_byte, transfer};
