//! `slc`: one bit a cell.

use super::{Coding, GrayCoding, NoParameters, Policy};

/// One bit.
#[derive(Clone, Copy, Debug)]
pub struct Slc;

impl Policy for Slc {
    const NAME: &'static str = "slc";
    const HELP: &'static str = "one bit";
    type Parameters = NoParameters;
}

impl Coding for Slc {
    fn gray() -> GrayCoding {
        GrayCoding::reflected(1)
    }

    fn is_plain() -> bool {
        true
    }
}
