//! Slot `read_retry`: a sense is over, or a page did or did not decode: what next?
//!
//! A read command senses its pages (one, or one in each plane), ships them to the controller and has
//! them decoded. A policy is made of three independent parts, which is what gives `+` a meaning:
//! - where the read voltages go: [`Voltages`], a file each;
//! - whether retry steps are pipelined (`pr2.rs`);
//! - whether their senses are shortened (`ar2.rs`).
//!
//! `name.rs` reads the names, `steer.rs` is what all policies have in common: it turns the three
//! parts into phases. No policy sees how many errors a page has: it is told what decoded, and what
//! the controller can know of a page ([`Hints`]).

mod ar2;
mod ideal;
mod name;
mod one_step;
mod pr2;
mod predictive;
mod pso;
mod regular;
mod rif;
mod sentinel;
mod steer;
mod swift_read;

pub use pso::{Tracked, VrefTracker};
pub use steer::{ReadContext, ReadPlan, ReadProgress, ReadRules};

use serde::{Deserialize, Serialize};

/// Where the read voltages of a read go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Voltages {
    /// No page ever fails to decode.
    Ideal,
    /// A page that fails decodes at the next sense.
    OneStep,
    /// The chip's retry table, from its beginning.
    Regular,
    /// The table, from where the model of the block expects the page to decode.
    Predictive,
    /// The table, from where similar word lines decoded last.
    Pso,
    /// After the first failure an estimate from sentinel cells.
    Sentinel,
    /// After the first failure an estimate from counting cells on the die.
    SwiftRead,
    /// As `SwiftRead`, but the die itself finds out that the page would fail.
    Rif,
}

/// A policy of the slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ReadRetry {
    /// Where the read voltages go.
    pub voltages: Voltages,
    /// The next retry sense starts before it is known whether the last one failed (PR2).
    pub pipelined: bool,
    /// Retry senses precharge for a shorter time (AR2).
    pub shortened: bool,
}

/// What the controller can know of a page, beyond what decoded.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Hints {
    /// Step of the retry table to begin with.
    pub start: u8,
    /// Last step above `start` that is worth trying before those below.
    pub ceiling: u8,
    /// Newest estimate of the best read voltage, in steps of the table.
    pub estimate: f32,
}

impl ReadRetry {
    /// Step of the retry table, from the default V_REF, at which sense number `attempt` of a round reads
    /// a page; a fraction where the voltage lies between two steps. `None` when there is none left.
    #[inline]
    #[must_use]
    pub fn position(self, attempt: u8, hints: &Hints, table_steps: u8) -> Option<f32> {
        match self.voltages {
            Voltages::Ideal => ideal::position(attempt),
            Voltages::OneStep => one_step::position(attempt, hints),
            Voltages::Regular => regular::position(attempt, table_steps),
            Voltages::Predictive => predictive::position(attempt, hints, table_steps),
            Voltages::Pso => pso::position(attempt, hints, table_steps),
            Voltages::Sentinel => sentinel::position(attempt, hints, table_steps),
            Voltages::SwiftRead | Voltages::Rif => swift_read::position(attempt, hints, table_steps),
        }
    }

    /// True for the policy under which no page ever fails: nothing has to be looked up for it.
    #[inline]
    #[must_use]
    pub fn is_ideal(self) -> bool {
        self.voltages == Voltages::Ideal
    }
}
