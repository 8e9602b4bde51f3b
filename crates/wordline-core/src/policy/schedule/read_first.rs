//! Read first: reads overtake programs and erases, user I/O goes before internal I/O, unless GC has
//! become urgent. MQSim's out-of-order scheduling, with a limit on how long writes may starve.

use super::UnitView;
use crate::controller::Class;

const RELAXED: [Class; 6] = [
    Class::MapRead,
    Class::UserRead,
    Class::UserWrite,
    Class::InternalRead,
    Class::InternalWrite,
    Class::Erase,
];
const URGENT: [Class; 6] = [
    Class::MapRead,
    Class::InternalRead,
    Class::InternalWrite,
    Class::Erase,
    Class::UserRead,
    Class::UserWrite,
];

#[inline]
pub(super) fn choose(view: &UnitView<'_>) -> Option<Class> {
    let chosen = view.first_of(if view.urgent { &URGENT } else { &RELAXED })?;
    let burst_is_over = view.max_read_burst > 0 && view.reads_in_a_row >= view.max_read_burst;
    if chosen == Class::UserRead && burst_is_over && view.has(Class::UserWrite) {
        return Some(Class::UserWrite);
    }
    Some(chosen)
}
