//! The inverse of the matrix's parity part, as sums of rotations.
//!
//! Circulants are polynomials modulo x^1024 + 1 over GF(2). The inverse is the adjugate divided by the determinant d.
//! Squaring is additive in GF(2), so d(x)^1024 = d(x^1024) = d(1) = 1, because d has an odd number of terms: 1/d =
//! d^1023 = d(x) d(x^2) d(x^4) … d(x^512). Each factor has as few terms as d, so the whole costs a few hundred
//! rotations, and no dense matrix is stored.

use super::bits::{BLOCK_BITS, BLOCK_WORDS, Block, add_rotated};
use super::matrix::{DATA_COLUMNS, ROWS};
use super::shifts::shifts;

/// A sum of powers of x^-1: the shifts of some rotations. Equal terms cancel.
type Polynomial = Vec<u16>;

/// Solves P p = `open` for the parity blocks p, where P is the parity part.
pub(super) fn solve(open: &[Block; ROWS]) -> [Block; ROWS] {
    let determinant = permanent(&[0, 1, 2, 3], &[0, 1, 2, 3]);
    std::array::from_fn(|column| {
        let mut block = [0; BLOCK_WORDS];
        for (row, open) in open.iter().enumerate() {
            for shift in minor(row, column) {
                add_rotated(&mut block, open, shift);
            }
        }
        for power in (0..BLOCK_BITS.ilog2()).map(|i| 1u32 << i) {
            let mut product = [0; BLOCK_WORDS];
            for &shift in &determinant {
                add_rotated(&mut product, &block, (u32::from(shift) * power % BLOCK_BITS as u32) as u16);
            }
            block = product;
        }
        block
    })
}

/// The determinant of the parity part without a row and a column.
fn minor(row: usize, column: usize) -> Polynomial {
    let others = |left_out: usize| (0..ROWS).filter(|&i| i != left_out).collect::<Vec<_>>();
    permanent(&others(row), &others(column))
}

/// The determinant of some rows and columns of the parity part; in GF(2) signs do not matter.
fn permanent(rows: &[usize], columns: &[usize]) -> Polynomial {
    let Some((&row, rows)) = rows.split_first() else { return vec![0] };
    let mut sum = Polynomial::new();
    for &column in columns {
        let Some(shift) = shifts()[row][DATA_COLUMNS + column] else { continue };
        let others: Vec<usize> = columns.iter().copied().filter(|&other| other != column).collect();
        sum.extend(permanent(rows, &others).into_iter().map(|term| (term + shift) % BLOCK_BITS as u16));
    }
    sum
}
