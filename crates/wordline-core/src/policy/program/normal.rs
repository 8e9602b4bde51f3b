//! `normal`: every program takes tPROG of its page type.

use super::ProgramContext;
use crate::flash::{Phase, Phases};

#[inline]
pub(super) fn phases(context: &ProgramContext) -> Phases {
    Phases::of(&[Phase::Program(context.program)])
}
