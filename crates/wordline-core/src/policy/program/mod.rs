//! Slot `program`: how fast to program a page?

mod normal;
pub mod ofwar;

use serde::{Deserialize, Serialize};

use crate::engine::Ns;
use crate::flash::{Phases, Speed};

/// The policies of the slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Program {
    /// tPROG of the page's type.
    Normal,
    /// Fast while many pages wait, and rewritten later (OFWAR).
    Ofwar,
}

/// What a policy knows of the program it steers.
#[derive(Clone, Copy, Debug)]
pub struct ProgramContext {
    /// tPROG of the slowest page of the command.
    pub program: Ns,
    /// How fast its pages are wanted.
    pub speed: Speed,
    /// Time of a fast program over tPROG.
    pub fast_share: f64,
}

impl Program {
    /// The phases that program the pages of a command.
    #[inline]
    #[must_use]
    pub fn phases(self, context: &ProgramContext) -> Phases {
        match self {
            Program::Normal => normal::phases(context),
            Program::Ofwar => ofwar::phases(context),
        }
    }
}
