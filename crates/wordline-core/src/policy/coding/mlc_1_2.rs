//! `mlc-1-2`: two bits a cell, of 1 and 2 senses.

use super::{Coding, GrayCoding, NoParameters, Policy};

/// Two bits.
#[derive(Clone, Copy, Debug)]
pub struct Mlc12;

impl Policy for Mlc12 {
    const NAME: &'static str = "mlc-1-2";
    const HELP: &'static str = "two bits";
    type Parameters = NoParameters;
}

impl Coding for Mlc12 {
    fn gray() -> GrayCoding {
        GrayCoding::reflected(2)
    }

    fn is_plain() -> bool {
        true
    }
}
