//! The program side of the cells: how long data last and how often bits are wrong, by how fast they were
//! written.
//!
//! A larger step of the program voltage (dVpp) programs in fewer pulses and leaves wider states, whose
//! margins retention uses up sooner. The model is that of OFWAR (Section 4.1, Eq. 1-8); [`ProgramCells`]
//! keeps what the simulator asks it for in tables.
//!
//! Two things follow from the equations as they stand. A block that was never cycled loses nothing, as mu_d
//! grows from zero; and on a young block errors fall a little with age, because most are erased cells above
//! their read voltage, and those lose charge too.

mod constants;
mod density;
mod fast;
mod model;
mod normal;
mod retention;
mod speed;
mod table;

pub use constants::{ProgramConstants, ReadVoltages};
pub(crate) use density::Density;
pub use fast::{FastProgram, WideStates};
pub(crate) use model::{CellCondition, Model, fixed_reads};
pub use retention::{Sensitivity, sensitivity};
pub use speed::{retention_days, written_rber};
pub use table::ProgramCells;

#[cfg(test)]
mod tests;
