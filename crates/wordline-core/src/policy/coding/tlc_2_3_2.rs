//! `tlc-2-3-2`: three bits a cell, of 2, 3 and 2 senses (the chips of PR2/AR2, footnote 14).

use super::{Coding, GrayCoding, NoParameters, Policy};

/// PR2/AR2 gives the counts, not the order. This is the usual one of such chips (Cai et al., "Error
/// Characterization, Mitigation, and Recovery in Flash-Memory-Based Solid-State Drives", Proc. IEEE 2017):
/// the LSB changes at V1 and V5, the CSB at V2, V4 and V6, the MSB at V3 and V7.
const TLC_2_3_2: GrayCoding = GrayCoding::by_changes(3, &[0, 1, 2, 1, 0, 1, 2]);

/// Three bits, as in the chips of PR2/AR2.
#[derive(Clone, Copy, Debug)]
pub struct Tlc232;

impl Policy for Tlc232 {
    const NAME: &'static str = "tlc-2-3-2";
    const HELP: &'static str = "three bits, as in the chips of PR2/AR2";
    type Parameters = NoParameters;
}

impl Coding for Tlc232 {
    fn gray() -> GrayCoding {
        TLC_2_3_2
    }
}
