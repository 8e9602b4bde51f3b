//! `two-pass`: a page is programmed in two passes, a coarse and a fine one, each of 0.6 tPROG, as chips do whose cells
//! disturb their neighbours. The share is assumed: the example is about the slot, not about a chip.

use super::{NoParameters, Policy, ProgramContext, ProgramPolicy};
use crate::engine::Ns;
use crate::flash::{Phase, Phases};

/// Time of a pass over tPROG.
const PASS: f64 = 0.6;

/// A coarse and a fine pass.
#[derive(Clone, Copy, Debug)]
pub struct TwoPass;

impl Policy for TwoPass {
    const NAME: &'static str = "two-pass";
    const HELP: &'static str = "a coarse and a fine pass of 0.6 tPROG each";
    type Parameters = NoParameters;
}

impl ProgramPolicy for TwoPass {
    fn phases(context: &ProgramContext<'_>) -> Phases {
        let pass = Phase::Program((context.program as f64 * PASS) as Ns);
        Phases::of(&[pass, pass])
    }
}
