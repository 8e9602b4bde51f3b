//! FIFO: commands are served in the order in which they were asked for, whatever their class.

use super::{LunView, NoParameters, Policy, SchedulePolicy};
use crate::flash::Class;

/// Serves the oldest command, whatever its class.
#[derive(Clone, Copy, Debug)]
pub struct Fifo;

impl Policy for Fifo {
    const NAME: &'static str = "fifo";
    const HELP: &'static str = "the oldest command first, of whatever class";
    type Parameters = NoParameters;
}

impl SchedulePolicy for Fifo {
    #[inline]
    fn choose(view: &LunView<'_>) -> Option<Class> {
        view.oldest()
    }
}
