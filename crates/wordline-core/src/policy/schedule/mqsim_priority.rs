//! MQSim's out-of-order scheduling by priority (`TSU_Priority_OutOfOrder`): user reads go by the priority of their flow, and so
//! do user writes, each in turns of their own. A command has pages of one priority. Writes stay in order where programs of a
//! block may not overtake each other (`nand.multiplane`).

use super::{LunView, NoParameters, Policy, SchedulePolicy, mqsim_out_of_order};
use crate::flash::Class;

/// As `mqsim-out-of-order`, and user I/O by the priority of its flow.
#[derive(Clone, Copy, Debug)]
pub struct MqsimPriorityOutOfOrder;

impl Policy for MqsimPriorityOutOfOrder {
    const NAME: &'static str = "mqsim-priority-out-of-order";
    const HELP: &'static str = "MQSim's order, and user I/O by the priority of its flow (writes with nand.multiplane = overtaking): urgent first, however long others wait, then 4:2:1";
    type Parameters = NoParameters;
}

impl SchedulePolicy for MqsimPriorityOutOfOrder {
    #[inline]
    fn choose(view: &LunView<'_>) -> Option<Class> {
        mqsim_out_of_order::first_of(view)
    }

    fn reads_for_the_cache() -> Class {
        Class::UserRead
    }

    fn is_by_priority() -> bool {
        true
    }
}
