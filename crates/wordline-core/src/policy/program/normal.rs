//! `normal`: every program takes tPROG of its page type.

use super::{NoParameters, Policy, ProgramContext, ProgramPolicy};
use crate::flash::{Phase, Phases};

/// Every program takes tPROG.
#[derive(Clone, Copy, Debug)]
pub struct Normal;

impl Policy for Normal {
    const NAME: &'static str = "normal";
    const HELP: &'static str = "every program takes tPROG of its page type";
    type Parameters = NoParameters;
}

impl ProgramPolicy for Normal {
    #[inline]
    fn phases(context: &ProgramContext<'_>) -> Phases {
        Phases::of(&[Phase::Program(context.program)])
    }
}
