//! The program side of the cells: retention and bit error rate, by program speed.
//!
//! A larger step of the program voltage (dVpp) programs in fewer pulses but leaves wider states, and retention uses up
//! their margins sooner. The model is OFWAR's (Section 4.1, Eq. 1-8); [`ProgramCells`] keeps tables of it for the
//! simulator.
//!
//! The equations have two consequences. A block without P/E cycles loses no charge, because mu_d grows from zero. On a
//! young block errors fall a little with age, because most are erased cells above their read voltage, and those lose
//! charge too.

mod constants;
mod density;
mod fast;
mod model;
pub mod normal;
mod retention;
mod speed;
mod table;

pub use constants::{ProgramConstants, ReadVoltages};
pub(crate) use density::Density;
pub use fast::{FastProgram, WideStates};
pub(crate) use model::{CellCondition, Model, fixed_reads};
pub use retention::{Sensitivity, sensitivity};
pub use speed::{retention_days, retention_days_by_cycles, written_rber};
pub use table::ProgramCells;

#[cfg(test)]
mod tests;
