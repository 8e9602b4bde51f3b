//! Read first: reads overtake programs and erases, user I/O goes before internal I/O, unless GC has
//! become urgent. MQSim's out-of-order scheduling, with a limit on how long writes may starve.

use super::{Policy, SchedulePolicy, UnitView};
use crate::flash::{CLASSES, Class};
use crate::parameter::section;

const RELAXED: Firsts = firsts([
    Class::MapRead,
    Class::UserRead,
    Class::UserWrite,
    Class::InternalRead,
    Class::InternalWrite,
    Class::Erase,
]);
const URGENT: Firsts = firsts([
    Class::MapRead,
    Class::InternalRead,
    Class::InternalWrite,
    Class::Erase,
    Class::UserRead,
    Class::UserWrite,
]);

/// By the queues that have something, a bit each: the first of them in some order.
type Firsts = [Option<Class>; 1 << CLASSES];

/// Works out an order once for all, since it is asked for with every command.
const fn firsts(order: [Class; CLASSES]) -> Firsts {
    let mut table = [None; 1 << CLASSES];
    let mut waiting = 0;
    while waiting < table.len() {
        let mut place = CLASSES;
        while place > 0 {
            place -= 1;
            if waiting >> order[place] as u32 & 1 == 1 {
                table[waiting] = Some(order[place]);
            }
        }
        waiting += 1;
    }
    table
}

section! {
    /// The keys of `read-first`.
    #[derive(Copy)]
    pub struct Keys {
        /// User reads served in a row while writes wait or are suspended; 0 = no limit.
        max_read_burst: u32 = 0, whole(0, 1_000_000).when("schedule.policy", &["read-first"]);
    }
}

/// Reads overtake programs and erases, user I/O goes before internal I/O.
#[derive(Clone, Copy, Debug)]
pub struct ReadFirst;

impl Policy for ReadFirst {
    const NAME: &'static str = "read-first";
    const HELP: &'static str = "reads overtake programs and erases, user I/O goes before internal I/O";
    type Parameters = Keys;
}

impl SchedulePolicy for ReadFirst {
    #[inline]
    fn choose(view: &UnitView<'_>) -> Option<Class> {
        let chosen = first_of(view)?;
        if chosen == Class::UserRead && is_burst_over(view) && view.has(Class::UserWrite) {
            return Some(Class::UserWrite);
        }
        Some(chosen)
    }

    /// Reads overtake a suspended program as they overtake a write that waits.
    #[inline]
    fn lets_program_go_on(view: &UnitView<'_>) -> bool {
        is_burst_over(view)
    }
}

/// The first of the classes that have something.
#[inline]
pub(super) fn first_of(view: &UnitView<'_>) -> Option<Class> {
    let firsts = if view.urgent { &URGENT } else { &RELAXED };
    firsts[view.waiting as usize % firsts.len()]
}

#[inline]
fn is_burst_over(view: &UnitView<'_>) -> bool {
    let limit = view.keys.read_first.max_read_burst;
    limit > 0 && view.reads_in_a_row >= limit
}
