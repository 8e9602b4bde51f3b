//! The flash array: where things are, how long operations take, and what blocks have been through.

mod cycles;
pub mod erase;
mod erases;
mod health;
mod margin;
mod merged;
mod read_counts;
mod survey;
#[cfg(test)]
mod tests;
mod timing;
mod two_step;

pub use crate::flash::BlockHealth;
pub(crate) use erases::finish;
pub use health::Nand;
pub use merged::MergedWordlines;
pub use read_counts::ReadCounts;
pub use survey::{FirstRead, Retried, Survey};
pub use timing::Timing;
pub(crate) use timing::{femtoseconds_per_byte, transfer};
pub use two_step::ProgramSteps;
pub use wordline_cells::geometry::{
    Address, BlockId, ChannelId, FrontierId, Geometry, IdVec, Lpn, LunId, NONE, PLANES_MAX, PlaneId, PoolId,
    Ppn, Pun, Shape, UnitAddress, UnitGeometry,
};
