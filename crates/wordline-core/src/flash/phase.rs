//! The phases of a flash operation, and short lists of them.

use serde::{Deserialize, Serialize};

use crate::engine::Ns;

/// One step of a flash operation on a die. Policies produce phases; the controller carries them out and knows no
/// technique by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
    /// Stop in the middle of a program or pulse.
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

/// Bits of a packed phase that hold its time.
const TIME_BITS: u32 = 60;

/// A few phases, to be carried out one after the other; packed, since every command carries some.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Phases {
    items: [u64; PHASES_MAX],
    len: u8,
    next: u8,
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
        for (item, phase) in list.items[..phases.len()].iter_mut().zip(phases) {
            *item = phase.pack();
        }
        list.len = phases.len() as u8;
        list
    }

    /// The same phases behind another one; nothing else where that takes no time.
    ///
    /// # Panics
    /// On more than four.
    #[must_use]
    #[inline]
    pub fn behind(self, first: Phase) -> Phases {
        if first.ns() == 0 { self } else { self.after(first) }
    }

    #[cold]
    fn after(mut self, first: Phase) -> Phases {
        let rest: Vec<Phase> = std::iter::from_fn(|| self.next_phase()).collect();
        Phases::of(&[&[first], &rest[..]].concat())
    }

    /// Takes the next phase.
    #[inline]
    pub fn next_phase(&mut self) -> Option<Phase> {
        if self.next == self.len {
            return None;
        }
        self.next += 1;
        Some(Phase::unpack(self.items[self.next as usize - 1]))
    }

    /// Time of all phases that are left.
    #[must_use]
    pub fn ns(mut self) -> Ns {
        std::iter::from_fn(|| self.next_phase()).map(Phase::ns).sum()
    }

    /// True when no phase is left.
    #[must_use]
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.next == self.len
    }
}

impl Phase {
    #[inline]
    fn pack(self) -> u64 {
        let kind: u64 = match self {
            Phase::Sense(_) => 0,
            Phase::Predict(_) => 1,
            Phase::Program(_) => 2,
            Phase::Pulse(_) => 3,
            Phase::Verify(_) => 4,
            Phase::Reset(_) => 5,
            Phase::SetFeature(_) => 6,
            Phase::Suspend(_) => 7,
        };
        kind << TIME_BITS | self.ns()
    }

    #[inline]
    fn unpack(packed: u64) -> Phase {
        let ns = packed & ((1 << TIME_BITS) - 1);
        match packed >> TIME_BITS {
            0 => Phase::Sense(ns),
            1 => Phase::Predict(ns),
            2 => Phase::Program(ns),
            3 => Phase::Pulse(ns),
            4 => Phase::Verify(ns),
            5 => Phase::Reset(ns),
            6 => Phase::SetFeature(ns),
            _ => Phase::Suspend(ns),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phases_come_out_as_they_went_in() {
        let all = [
            Phase::Sense(78_000),
            Phase::Predict(2_500),
            Phase::Program(1),
            Phase::Pulse(3_500_000),
            Phase::Verify(100),
            Phase::Reset(5_000),
            Phase::SetFeature(1_000),
            Phase::Suspend((1 << TIME_BITS) - 1),
        ];
        for four in all.chunks(4) {
            let mut phases = Phases::of(four);
            for &phase in four {
                assert_eq!(phases.next_phase(), Some(phase));
            }
            assert!(phases.is_empty() && phases.next_phase().is_none());
        }
    }

    #[test]
    fn a_phase_goes_before_the_others() {
        let mut phases = Phases::of(&[Phase::Sense(1), Phase::Program(2)]);
        assert_eq!(phases.behind(Phase::Pulse(0)), phases);
        assert_eq!(phases.next_phase(), Some(Phase::Sense(1)));
        assert_eq!(phases.behind(Phase::Pulse(3)), Phases::of(&[Phase::Pulse(3), Phase::Program(2)]));
    }
}
