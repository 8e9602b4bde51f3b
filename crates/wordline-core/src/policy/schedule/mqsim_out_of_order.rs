//! MQSim's out-of-order scheduling (`TSU_OutOfOrder.cpp`): user I/O goes before internal I/O and reads go before programs;
//! where GC is urgent, all of its operations go before user I/O. Host reads then wait for whole victims: other
//! policies let reads pass.

use super::{LunView, NoParameters, Policy, SchedulePolicy};
use crate::flash::{CLASSES, Class};

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

/// User I/O goes before internal I/O, but urgent GC before all.
#[derive(Clone, Copy, Debug)]
pub struct MqsimOutOfOrder;

impl Policy for MqsimOutOfOrder {
    const NAME: &'static str = "mqsim-out-of-order";
    const HELP: &'static str = "MQSim's: user I/O goes before internal I/O, but urgent GC before all";
    type Parameters = NoParameters;
}

impl SchedulePolicy for MqsimOutOfOrder {
    /// Those of user writes are user reads, wherever the write ends.
    fn reads_for_the_cache() -> Class {
        Class::UserRead
    }

    #[inline]
    fn choose(view: &LunView<'_>) -> Option<Class> {
        first_of(view)
    }
}

/// The first of the classes that have something, in MQSim's order.
#[inline]
pub(super) fn first_of(view: &LunView<'_>) -> Option<Class> {
    // GC that wins nothing must not hold up programs whose pages are allocated: they end what it waits for. MQSim's does.
    let firsts = if view.urgent && !view.in_vain { &URGENT } else { &RELAXED };
    firsts[view.waiting as usize % firsts.len()]
}
