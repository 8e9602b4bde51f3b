//! `qlc-1-2-4-8`: four bits a cell, of 1, 2, 4 and 8 senses (IDA, Fig. 6).

use super::{Coding, GrayCoding, NoParameters, Policy};

/// Four bits.
#[derive(Clone, Copy, Debug)]
pub struct Qlc1248;

impl Policy for Qlc1248 {
    const NAME: &'static str = "qlc-1-2-4-8";
    const HELP: &'static str = "four bits";
    type Parameters = NoParameters;
}

impl Coding for Qlc1248 {
    fn gray() -> GrayCoding {
        GrayCoding::reflected(4)
    }

    fn is_plain() -> bool {
        true
    }
}
