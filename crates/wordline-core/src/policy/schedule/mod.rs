//! Slot `schedule`: which of a LUN's queues is served next?
//!
//! Whatever the policy prefers, nothing waits without bound: see [`Schedule::next`].

mod fifo;
mod mqsim_out_of_order;
mod mqsim_priority;
mod read_first;
mod turn;

pub use turn::Turn;

use super::{NoParameters, Policy, policies};
use crate::engine::Ns;
use crate::flash::{CLASSES, Class};

/// What a scheduling policy sees of one LUN (a die, or a chip).
#[derive(Clone, Copy, Debug)]
pub struct LunView<'a> {
    /// Queues that have something, a bit each.
    pub waiting: u8,
    /// When the head of each of those was asked for.
    pub heads: &'a [Ns; CLASSES],
    /// Free blocks are so few that GC must get on here.
    pub urgent: bool,
    /// So they are, and GC wins next to no page.
    pub in_vain: bool,
    /// User reads served in a row while something else waited, or was suspended.
    pub reads_in_a_row: u32,
    /// Commands sent in a row although something older waited.
    pub overtaken: u32,
    /// The keys of all policies.
    pub keys: &'a ScheduleKeys,
}

/// The classes, in their order.
const CLASSES_IN_ORDER: [Class; CLASSES] = [
    Class::MapRead,
    Class::UserRead,
    Class::InternalRead,
    Class::UserWrite,
    Class::InternalWrite,
    Class::Erase,
];

/// What is overdue is served after so many commands in a row that overtook it.
const OVERTAKEN_MAX: u32 = 4;

impl LunView<'_> {
    /// True when a queue has something.
    #[inline]
    #[must_use]
    pub fn has(&self, class: Class) -> bool {
        self.waiting >> class as u32 & 1 == 1
    }

    /// The queue whose head was asked for first; of equals the first class.
    #[inline]
    #[must_use]
    pub fn oldest(&self) -> Option<Class> {
        let waiting = CLASSES_IN_ORDER.into_iter().filter(|&class| self.has(class));
        waiting.min_by_key(|&class| self.heads[class as usize])
    }
}

/// Which queue of a LUN is served next: a pure function, asked with every command.
pub trait SchedulePolicy: Policy {
    /// Picks a queue, if any has something.
    fn choose(view: &LunView<'_>) -> Option<Class>;

    /// The class of reads that complete a page which leaves the DRAM cache in part.
    fn reads_for_the_cache() -> Class {
        Class::InternalRead
    }

    /// True when a suspended program or erase goes on although user reads wait.
    fn resumes_before_reads(_view: &LunView<'_>) -> bool {
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
        mqsim_out_of_order::MqsimOutOfOrder,
        mqsim_priority::MqsimPriorityOutOfOrder,
    ]

    ask SchedulePolicy {
        /// See [`SchedulePolicy::choose`].
        fn choose(view: &LunView<'_>) -> Option<Class>;
        /// See [`SchedulePolicy::is_by_priority`].
        fn is_by_priority() -> bool;
        /// See [`SchedulePolicy::reads_for_the_cache`].
        fn reads_for_the_cache() -> Class;
        /// See [`SchedulePolicy::resumes_before_reads`].
        fn resumes_before_reads(view: &LunView<'_>) -> bool;
    }
}

impl Schedule {
    /// True where writes of the host that never pause go before moves of GC which were asked for earlier.
    #[must_use]
    pub fn lets_gc_wait(self, keys: &ScheduleKeys) -> bool {
        let mut heads = [0; CLASSES];
        heads[Class::UserWrite as usize] = 1;
        let waiting = 1 << Class::UserWrite as u8 | 1 << Class::InternalWrite as u8;
        let (urgent, in_vain, reads_in_a_row, overtaken) = (false, false, 0, 0);
        let view = LunView { waiting, heads: &heads, urgent, in_vain, reads_in_a_row, overtaken, keys };
        self.choose(&view) == Some(Class::UserWrite)
    }

    /// The queue that is served next: the policy's, unless what was asked for first, before `overdue_since`, has been
    /// overtaken a few times in a row. So every class gets its turn, whatever else comes.
    #[inline]
    #[must_use]
    pub fn next(self, view: &LunView<'_>, overdue_since: Ns) -> Option<Class> {
        if view.overtaken >= OVERTAKEN_MAX
            && let Some(oldest) = view.oldest()
            && view.heads[oldest as usize] < overdue_since
        {
            return Some(oldest);
        }
        self.choose(view)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    #[test]
    fn all_but_fifo_let_gc_wait() {
        let keys = Config::default().schedule.policies;
        let waits: Vec<_> = Schedule::ALL.iter().map(|policy| policy.lets_gc_wait(&keys)).collect();
        assert_eq!(waits, [true, false, true, true]);
    }
}
