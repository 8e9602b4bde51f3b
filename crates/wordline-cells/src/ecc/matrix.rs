//! The parity-check matrix: 4 x 36 circulants of 1,024 bits, rate 8/9, for 4 KiB of data.
//!
//! A circulant of shift `s` in row `r` and column `c` says that check `j` of row `r` covers bit `(j + s) % 1024` of
//! column `c`. The first 32 columns are data and have a circulant in each row. The last 4 are parity and have none on
//! the diagonal. So every check covers 35 bits, a data bit is in 4 checks and a parity bit in 3. Without the diagonal
//! the parity part has an inverse: its determinant has 9 terms (the derangements of 4), and a sum of an odd number of
//! powers of x has an inverse among polynomials modulo x^1024 + 1. A full 4 x 4 part would have 24 terms and no
//! inverse.
//!
//! RiF's slides name no code. We assume 4-KiB chunks and this shape, the usual choice.

use super::bits::BLOCK_BITS;

/// Rows of circulants.
pub const ROWS: usize = 4;
/// Columns of circulants.
pub const COLUMNS: usize = 36;
/// Columns that hold data; parity follows.
pub const DATA_COLUMNS: usize = COLUMNS - ROWS;
/// Data bits of a codeword: 4 KiB.
pub const DATA_BITS: usize = DATA_COLUMNS * BLOCK_BITS;
/// Bits of a codeword.
pub const CODE_BITS: usize = COLUMNS * BLOCK_BITS;
/// Checks, and so bits of a syndrome.
pub const CHECKS: usize = ROWS * BLOCK_BITS;
/// Bits that one check covers.
pub const CHECK_WEIGHT: usize = COLUMNS - 1;

/// Shifts by row and column of circulants; `None` if there is no circulant.
pub type Shifts = [[Option<u16>; COLUMNS]; ROWS];

/// Whether row `row` has a circulant in column `column`.
#[must_use]
pub const fn has_circulant(row: usize, column: usize) -> bool {
    column < DATA_COLUMNS || column - DATA_COLUMNS != row
}
