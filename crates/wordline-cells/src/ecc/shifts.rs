//! The shifts of the circulants, made by `construct.rs`; a test makes them again and compares.

use super::bits::BLOCK_BITS;
use super::matrix::{COLUMNS, ROWS, Shifts};

/// The shifts of this code.
#[must_use]
pub fn shifts() -> &'static Shifts {
    &SHIFTS
}

/// Stands for "no circulant" below.
const NONE: u16 = BLOCK_BITS as u16;

const SHIFTS: Shifts = optional([
    [
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, NONE,
        0, 0, 0,
    ],
    [
        748, 473, 151, 933, 728, 359, 46, 185, 273, 197, 506, 765, 586, 708, 621, 472, 901, 630, 644, 28,
        566, 459, 528, 967, 640, 220, 421, 652, 498, 5, 65, 76, 0, NONE, 981, 407,
    ],
    [
        324, 134, 1004, 910, 1013, 139, 155, 624, 661, 77, 492, 443, 981, 684, 746, 58, 359, 80, 202, 83,
        141, 293, 723, 743, 181, 387, 175, 859, 622, 774, 939, 657, 917, 97, NONE, 1023,
    ],
    [
        1001, 983, 892, 624, 814, 294, 10, 263, 702, 92, 776, 887, 873, 734, 201, 226, 840, 808, 949, 1012,
        471, 266, 483, 750, 517, 272, 732, 476, 186, 948, 195, 71, 432, 875, 739, NONE,
    ],
]);

const fn optional(plain: [[u16; COLUMNS]; ROWS]) -> Shifts {
    let mut shifts: Shifts = [[None; COLUMNS]; ROWS];
    let mut i = 0;
    while i < ROWS * COLUMNS {
        let shift = plain[i / COLUMNS][i % COLUMNS];
        if shift != NONE {
            shifts[i / COLUMNS][i % COLUMNS] = Some(shift);
        }
        i += 1;
    }
    shifts
}
