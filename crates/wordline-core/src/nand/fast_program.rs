//! What a larger program step brings and costs: programs take less time, and data last less long.

use super::cells::program::ProgramCells;
use crate::engine::Ns;

/// The fast programs of an SSD.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FastProgram {
    /// Time of a fast program over tPROG.
    pub time_share: f64,
    /// How long data that were programmed fast can be read, ns.
    pub retention: Ns,
}

/// Nanoseconds in a day.
const DAY_NS: f64 = 86_400.0 * 1e9;

impl FastProgram {
    /// For a program step of `dvpp_factor` times the normal one, on cells at their rated P/E cycles (OFWAR,
    /// section 4.1.4).
    #[must_use]
    pub fn new(cells: &ProgramCells, dvpp_factor: f64) -> FastProgram {
        FastProgram {
            time_share: cells.program_us(dvpp_factor) / cells.program_us(1.0),
            retention: (cells.retention_days(dvpp_factor) * DAY_NS) as Ns,
        }
    }
}

impl Default for FastProgram {
    /// Programs that are not fast.
    fn default() -> Self {
        FastProgram { time_share: 1.0, retention: Ns::MAX }
    }
}
