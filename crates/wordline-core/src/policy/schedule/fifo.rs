//! FIFO: whatever was asked for first, of any kind.

use super::{NoParameters, Policy, SchedulePolicy, UnitView};
use crate::flash::Class;

/// Whatever was asked for first, of any kind.
#[derive(Clone, Copy, Debug)]
pub struct Fifo;

impl Policy for Fifo {
    const NAME: &'static str = "fifo";
    const HELP: &'static str = "whatever was asked for first, of any kind";
    type Parameters = NoParameters;
}

impl SchedulePolicy for Fifo {
    #[inline]
    fn choose(view: &UnitView<'_>) -> Option<Class> {
        view.oldest()
    }
}
