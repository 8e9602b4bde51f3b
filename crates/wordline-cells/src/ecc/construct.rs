//! Makes the shifts of the circulants.

use super::bits::BLOCK_BITS;
use super::matrix::{COLUMNS, ROWS, Shifts, has_circulant};
use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg64;

/// The most candidates for each column of [`construct`].
const CANDIDATES: u32 = 20_000_000;
/// Seed of [`construct`].
const SEED: u64 = 4096;

/// Makes the shifts, column by column. Among many random candidates that close no cycle of length 4 with the earlier
/// columns, it takes the one that closes the fewest cycles of length 6.
///
/// A cycle of 4 through rows a, b and columns c, d needs s(a,c) - s(b,c) = s(a,d) - s(b,d); a cycle of 6 through three
/// rows and three columns needs three such differences with sum 0 (Fossorier 2004, Theorem 2.1). The first circulant of
/// each column has shift 0, because renumbering the bits of a column changes no cycle.
#[must_use]
pub fn construct() -> Shifts {
    let mut random = Pcg64::seed_from_u64(SEED);
    let mut shifts: Shifts = [[None; COLUMNS]; ROWS];
    let mut cycles = Cycles::new();
    for column in 0..COLUMNS {
        let mut best: Option<(u32, [Option<u16>; ROWS])> = None;
        for _ in 0..CANDIDATES {
            let mut bits = random.next_u64();
            let mut is_first = true;
            let candidate: [Option<u16>; ROWS] = std::array::from_fn(|row| {
                has_circulant(row, column).then(|| {
                    bits >>= 10;
                    let shift = if is_first { 0 } else { bits as u16 % BLOCK_BITS as u16 };
                    is_first = false;
                    shift
                })
            });
            let limit = best.as_ref().map_or(u32::MAX, |best| best.0);
            if let Some(count) = cycles.closed_by(&candidate).filter(|&count| count < limit) {
                best = Some((count, candidate));
                if count == 0 {
                    break;
                }
            }
        }
        let (_, chosen) = best.expect("36 differences fit among 1,024");
        cycles.add(&chosen);
        for (row, shift) in shifts.iter_mut().zip(chosen) {
            row[column] = shift;
        }
    }
    shifts
}

/// The cycles of length 4 and 6 that another column would close.
struct Cycles {
    columns: Vec<[Option<u16>; ROWS]>,
    /// By ordered pair of rows: whether a column has this difference.
    differences: Vec<[bool; BLOCK_BITS]>,
    /// By ordered path of three rows a-b-c: number of pairs of columns with s(a,·) - s(b,·) + s(b,·') - s(c,·').
    paths: Vec<[u32; BLOCK_BITS]>,
}

fn difference(column: &[Option<u16>; ROWS], a: usize, b: usize) -> Option<usize> {
    let (a, b) = (usize::from(column[a]?), usize::from(column[b]?));
    Some((a + BLOCK_BITS - b) % BLOCK_BITS)
}

fn path(a: usize, b: usize, c: usize) -> usize {
    (a * ROWS + b) * ROWS + c
}

fn row_triples() -> impl Iterator<Item = (usize, usize, usize)> {
    (0..ROWS.pow(3))
        .map(|i| (i / ROWS / ROWS, i / ROWS % ROWS, i % ROWS))
        .filter(|&(a, b, c)| a != b && b != c && a != c)
}

impl Cycles {
    fn new() -> Self {
        Self {
            columns: Vec::new(),
            differences: vec![[false; BLOCK_BITS]; ROWS * ROWS],
            paths: vec![[0; BLOCK_BITS]; ROWS.pow(3)],
        }
    }

    /// The number of cycles of length 6, or `None` if there is one of length 4.
    fn closed_by(&self, column: &[Option<u16>; ROWS]) -> Option<u32> {
        for a in 0..ROWS {
            for b in a + 1..ROWS {
                if difference(column, a, b).is_some_and(|d| self.differences[a * ROWS + b][d]) {
                    return None;
                }
            }
        }
        let mut count = 0;
        // Each cycle appears in both directions; a < c keeps one of them.
        for (a, b, c) in row_triples().filter(|&(a, _, c)| a < c) {
            if let Some(d) = difference(column, a, c) {
                count += self.paths[path(a, b, c)][d];
            }
        }
        Some(count)
    }

    fn add(&mut self, column: &[Option<u16>; ROWS]) {
        for (a, b, c) in row_triples() {
            for other in &self.columns {
                for (first, second) in [(column, other), (other, column)] {
                    if let (Some(d), Some(e)) = (difference(first, a, b), difference(second, b, c)) {
                        self.paths[path(a, b, c)][(d + e) % BLOCK_BITS] += 1;
                    }
                }
            }
        }
        for a in 0..ROWS {
            for b in 0..ROWS {
                if let Some(d) = difference(column, a, b) {
                    self.differences[a * ROWS + b][d] = true;
                }
            }
        }
        self.columns.push(*column);
    }
}

/// Counts the cycles of length 4 and of length 6 in a matrix. Each stands for 1,024 cycles in its graph.
#[must_use]
pub fn short_cycles(shifts: &Shifts) -> (u32, u32) {
    let step = |a: usize, b: usize, column: usize| -> Option<usize> {
        let (a, b) = (shifts[a][column]?, shifts[b][column]?);
        Some((usize::from(a) + BLOCK_BITS - usize::from(b)) % BLOCK_BITS)
    };
    let (mut four, mut six) = (0, 0);
    for c in 0..COLUMNS {
        for d in (0..COLUMNS).filter(|&d| d != c) {
            for a in 0..ROWS {
                for b in a + 1..ROWS {
                    four += u32::from(step(a, b, c).is_some() && step(a, b, c) == step(a, b, d));
                }
            }
            for e in (0..COLUMNS).filter(|&e| e != c && e != d) {
                for (x, y, z) in row_triples() {
                    if let (Some(i), Some(j), Some(k)) = (step(x, y, c), step(y, z, d), step(z, x, e)) {
                        six += u32::from((i + j + k) % BLOCK_BITS == 0);
                    }
                }
            }
        }
    }
    // Each cycle was counted from each of its columns, and one of length 6 in both directions too.
    (four / 2, six / 6)
}

#[cfg(test)]
mod tests {
    use super::super::shifts::shifts;
    use super::*;

    #[test]
    fn the_shifts_are_those_constructed() {
        assert_eq!(*shifts(), construct());
    }

    #[test]
    fn the_girth_is_8() {
        assert_eq!(short_cycles(shifts()), (0, 0));
        let mut random = Pcg64::seed_from_u64(1);
        let drawn = std::array::from_fn(|row| {
            std::array::from_fn(|column| {
                has_circulant(row, column).then(|| random.next_u64() as u16 % BLOCK_BITS as u16)
            })
        });
        let (four, six) = short_cycles(&drawn);
        assert!(four > 0 && six > 0, "random shifts close short cycles: {four} of length 4, {six} of 6");
    }
}
