//! Slot `schedule`: which of a unit's queues is served next?

mod fifo;
mod mqsim_priority;
mod read_first;
mod turn;

pub use turn::Turn;

use super::{NoParameters, Policy, policies};
use crate::engine::Ns;
use crate::flash::{CLASSES, Class};

/// What a scheduling policy sees of one unit (a die, or a chip).
#[derive(Clone, Copy, Debug)]
pub struct UnitView<'a> {
    /// Queues that have something, a bit each.
    pub waiting: u8,
    /// When the head of each of those was asked for.
    pub heads: &'a [Ns; CLASSES],
    /// GC must go before user I/O here.
    pub urgent: bool,
    /// User reads served in a row while writes waited, or were suspended.
    pub reads_in_a_row: u32,
    /// The keys of all policies.
    pub keys: &'a ScheduleKeys,
}

impl UnitView<'_> {
    /// True when a queue has something.
    #[inline]
    #[must_use]
    pub fn has(&self, class: Class) -> bool {
        self.waiting >> class as u32 & 1 == 1
    }
}

/// Which queue of a unit is served next: a pure function, asked with every command.
pub trait SchedulePolicy: Policy {
    /// Picks a queue, if any has something.
    fn choose(view: &UnitView<'_>) -> Option<Class>;

    /// True when a suspended program goes on although user reads wait.
    fn lets_program_go_on(_view: &UnitView<'_>) -> bool {
        false
    }

    /// True where user I/O waits by the priority of its flow, and goes in turns ([`Turn`]).
    fn is_by_priority() -> bool {
        false
    }
}

policies! {
    /// The policies of the slot.
    Schedule, ScheduleKeys [
        read_first::ReadFirst,
        fifo::Fifo,
        mqsim_priority::MqsimPriorityOutOfOrder,
    ]

    ask SchedulePolicy {
        /// See [`SchedulePolicy::choose`].
        fn choose(view: &UnitView<'_>) -> Option<Class>;
        /// See [`SchedulePolicy::lets_program_go_on`].
        fn lets_program_go_on(view: &UnitView<'_>) -> bool;
        /// See [`SchedulePolicy::is_by_priority`].
        fn is_by_priority() -> bool;
    }
}
