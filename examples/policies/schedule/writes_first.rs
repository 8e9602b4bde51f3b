//! `writes-first`: programs go before reads, and erases last.

use super::{LunView, NoParameters, Policy, SchedulePolicy};
use crate::flash::Class;

const ORDER: [Class; 6] = [
    Class::UserWrite,
    Class::InternalWrite,
    Class::MapRead,
    Class::UserRead,
    Class::InternalRead,
    Class::Erase,
];

/// Programs go before reads.
#[derive(Clone, Copy, Debug)]
pub struct WritesFirst;

impl Policy for WritesFirst {
    const NAME: &'static str = "writes-first";
    const HELP: &'static str = "programs go before reads, and erases last";
    type Parameters = NoParameters;
}

impl SchedulePolicy for WritesFirst {
    fn choose(view: &LunView<'_>) -> Option<Class> {
        ORDER.into_iter().find(|&class| view.has(class))
    }
}
