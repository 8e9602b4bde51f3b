//! Slot `erase`: which pulse next?

mod aero;
mod aero_cons;
mod dpes;
pub mod ept;
mod felp;
mod fixed;
mod i_ispe;
mod ispe;
mod m_ispe;
mod plane;
mod round;
mod scheme;

pub use ept::Ept;
pub use plane::{DpesParams, PlaneProgress, PlaneView, PulseOrder, SchemeParams, Stage, Step};
pub use round::{RoundTimes, round};
pub use scheme::Scheme;

use serde::{Deserialize, Serialize};

use crate::controller::Phases;
use crate::engine::Ns;

/// The policies of the slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Erase {
    /// One pulse of tBERS.
    Fixed,
}

/// What a policy knows of the erase it steers.
#[derive(Clone, Copy, Debug)]
pub struct EraseContext {
    /// tBERS of a plain erase.
    pub erase: Ns,
}

/// How far an erase has come; policies keep their own state here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EraseProgress {
    /// Erase loops that have ended.
    pub loops: u8,
}

impl Erase {
    /// The phases of the next loop; none when the block is erased.
    #[must_use]
    pub fn next_loop(self, progress: &EraseProgress, context: &EraseContext) -> Phases {
        match self {
            Erase::Fixed => fixed::next_loop(progress, context),
        }
    }
}
