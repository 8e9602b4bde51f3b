//! `tlc-1-2-4`: three bits a cell, of 1, 2 and 4 senses (IDA, Section II-B and Fig. 2).

use super::{Coding, GrayCoding, NoParameters, Policy};

/// Three bits.
#[derive(Clone, Copy, Debug)]
pub struct Tlc124;

impl Policy for Tlc124 {
    const NAME: &'static str = "tlc-1-2-4";
    const HELP: &'static str = "three bits";
    type Parameters = NoParameters;
}

impl Coding for Tlc124 {
    fn gray() -> GrayCoding {
        GrayCoding::reflected(3)
    }

    fn is_plain() -> bool {
        true
    }
}
