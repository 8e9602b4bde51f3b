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
pub use fixed::whole;
pub use plane::{DpesParams, PlaneProgress, PlaneView, PulseOrder, SchemeParams, Stage, Step};
pub use round::{RoundTimes, round};
pub use scheme::Scheme;

use serde::{Deserialize, Serialize};

/// The policies of the slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Erase {
    /// One pulse of tBERS.
    Fixed,
    /// See [`Scheme::Ispe`].
    Ispe,
    /// See [`Scheme::MIspe`].
    #[serde(alias = "m_ispe")]
    MIspe,
    /// See [`Scheme::IIspe`].
    #[serde(alias = "i_ispe")]
    IIspe,
    /// See [`Scheme::Dpes`].
    Dpes,
    /// See [`Scheme::AeroCons`].
    #[serde(alias = "aero_cons")]
    AeroCons,
    /// See [`Scheme::Aero`].
    Aero,
}

impl Erase {
    /// The scheme that erases loop by loop; `None` for [`Erase::Fixed`].
    #[must_use]
    pub fn scheme(self) -> Option<Scheme> {
        match self {
            Erase::Fixed => None,
            Erase::Ispe => Some(Scheme::Ispe),
            Erase::MIspe => Some(Scheme::MIspe),
            Erase::IIspe => Some(Scheme::IIspe),
            Erase::Dpes => Some(Scheme::Dpes),
            Erase::AeroCons => Some(Scheme::AeroCons),
            Erase::Aero => Some(Scheme::Aero),
        }
    }
}
