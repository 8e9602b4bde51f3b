//! The phases of a flash operation, and short lists of them.

use crate::engine::Ns;

/// One step of a flash operation on a die. Policies produce phases; what carries them out never
/// learns a technique's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Sense the pages of the command.
    Sense(Ns),
    /// Judge on the die whether the sensed pages are worth moving (RiF).
    Predict(Ns),
    /// Program the pages of the command.
    Program(Ns),
    /// One erase pulse.
    Pulse(Ns),
    /// Check how far an erase has come.
    Verify(Ns),
    /// Abandon what the array is doing.
    Reset(Ns),
    /// Change a parameter of the die.
    SetFeature(Ns),
    /// Come to a halt in the middle of a program or pulse.
    Suspend(Ns),
}

impl Phase {
    /// How long the phase takes.
    #[must_use]
    pub fn ns(self) -> Ns {
        match self {
            Phase::Sense(ns)
            | Phase::Predict(ns)
            | Phase::Program(ns)
            | Phase::Pulse(ns)
            | Phase::Verify(ns)
            | Phase::Reset(ns)
            | Phase::SetFeature(ns)
            | Phase::Suspend(ns) => ns,
        }
    }

    /// Its name, for timelines.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Phase::Sense(_) => "sense",
            Phase::Predict(_) => "predict",
            Phase::Program(_) => "program",
            Phase::Pulse(_) => "erase pulse",
            Phase::Verify(_) => "verify",
            Phase::Reset(_) => "reset",
            Phase::SetFeature(_) => "set feature",
            Phase::Suspend(_) => "suspend",
        }
    }

    /// True where a read may interrupt.
    #[must_use]
    pub fn is_suspendable(self) -> bool {
        matches!(self, Phase::Program(_) | Phase::Pulse(_))
    }
}

/// Most phases that a policy asks for at once.
const PHASES_MAX: usize = 4;

/// A few phases, to be carried out one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Phases {
    items: [Phase; PHASES_MAX],
    len: u8,
    next: u8,
}

impl Default for Phases {
    fn default() -> Self {
        Phases { items: [Phase::Sense(0); PHASES_MAX], len: 0, next: 0 }
    }
}

impl Phases {
    /// A list of up to four phases.
    ///
    /// # Panics
    /// On more than four.
    #[must_use]
    #[inline]
    pub fn of(phases: &[Phase]) -> Phases {
        let mut list = Phases::default();
        list.items[..phases.len()].copy_from_slice(phases);
        list.len = phases.len() as u8;
        list
    }

    /// Takes the next phase.
    #[inline]
    pub fn next_phase(&mut self) -> Option<Phase> {
        if self.next == self.len {
            return None;
        }
        self.next += 1;
        Some(self.items[self.next as usize - 1])
    }

    /// True when no phase is left.
    #[must_use]
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.next == self.len
    }
}
