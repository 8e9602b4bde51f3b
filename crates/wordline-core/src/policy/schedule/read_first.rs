//! Read first: reads overtake programs and erases, and user writes go before internal I/O. A read needs no free
//! block, so reads stay first where GC is urgent. Writes and GC then go in the order in which they were asked for, and
//! get one command after each few reads: GC has few operations in its queue at a time, and the writes beside them have
//! their pages already. Further writes wait for the free blocks that GC makes.

use super::{LunView, Policy, SchedulePolicy};
use crate::flash::Class;
use crate::parameter::section;

section! {
    /// The keys of `read-first`.
    #[derive(Copy)]
    pub struct Keys {
        /// User reads served in a row while anything else waits or is suspended; 0 = no limit but
        /// schedule.max_wait_us.
        max_read_burst: u32 = 0, whole(0, 1_000_000).when("schedule.policy", &["read-first"]);
        /// The same while GC is urgent: it then gets the time of one command after so many reads.
        urgent_read_burst: u32 = 4,
            whole(1, 1_000_000).source("assumed: half of the time where a program takes as long as four reads")
                .when("schedule.policy", &["read-first"]);
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

/// What waits behind reads.
const OTHERS: [Class; 4] = [Class::UserWrite, Class::InternalRead, Class::InternalWrite, Class::Erase];

impl SchedulePolicy for ReadFirst {
    #[inline]
    fn choose(view: &LunView<'_>) -> Option<Class> {
        if view.has(Class::MapRead) {
            return Some(Class::MapRead);
        }
        if view.has(Class::UserRead) {
            let others = if is_burst_over(view) { other_than_read(view) } else { None };
            return others.or(Some(Class::UserRead));
        }
        other_than_read(view)
    }

    /// Reads overtake what is suspended as they overtake what waits.
    #[inline]
    fn resumes_before_reads(view: &LunView<'_>) -> bool {
        is_burst_over(view)
    }
}

#[inline]
fn other_than_read(view: &LunView<'_>) -> Option<Class> {
    let mut others = OTHERS.into_iter().filter(|&class| view.has(class));
    if view.urgent { others.min_by_key(|&class| view.heads[class as usize]) } else { others.next() }
}

#[inline]
fn is_burst_over(view: &LunView<'_>) -> bool {
    let keys = &view.keys.read_first;
    let limit = if view.urgent { keys.urgent_read_burst } else { keys.max_read_burst };
    limit > 0 && view.reads_in_a_row >= limit
}
