//! `normal`: every program takes tPROG of its page type.

use super::{NoParameters, Policy, ProgramPolicy};

/// Every program takes tPROG.
#[derive(Clone, Copy, Debug)]
pub struct Normal;

impl Policy for Normal {
    const NAME: &'static str = "normal";
    const HELP: &'static str = "every program takes tPROG of its page type";
    type Parameters = NoParameters;
}

impl ProgramPolicy for Normal {}
