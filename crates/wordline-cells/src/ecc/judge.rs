//! The ECC as the simulator sees it: whether a page decodes, and how long that takes, in a few nanoseconds.

use serde::{Deserialize, Serialize};

use super::curve::{CAPABILITY_LEVEL, Curve};
use super::soft::SoftSenses;
use super::tally::ITERATIONS_MAX;
use crate::Ns;

/// Rows of a page table per bit in 1 KiB.
const ROWS_PER_BIT: f32 = 4.0;
/// Errors per 1 KiB of the last row of hard decisions; with more, nothing decodes.
pub(super) const ERRORS_PER_KIB_MAX: f32 = 128.0;
/// The same of soft decisions.
const SOFT_ERRORS_PER_KIB_MAX: f32 = 210.0;
/// Entries of a row: more than the number of iterations, and a multiple of the vector width.
const ENTRIES: usize = 24;

/// The result of the ECC for a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verdict {
    /// Whether all its chunks decoded.
    pub ok: bool,
    /// The most iterations of any chunk; 0 with an engine that does not iterate.
    pub iterations: u8,
}

/// The ECC of the simulator.
#[derive(Clone, Debug)]
pub enum Code {
    /// Corrects up to this many bits per 1 KiB, in a fixed time (PR2/AR2: 72).
    Bounded {
        /// Bits per 1 KiB.
        bits_per_kib: f32,
    },
    /// The QC-LDPC code and its decoder.
    Ldpc(Box<PageTable>),
}

/// For pages of some chunks, by raw errors: the share decoded within 0, 1, … iterations.
#[derive(Clone, Debug)]
pub struct PageTable {
    /// Probabilities, in units of 2^-32.
    rows: Vec<[u32; ENTRIES]>,
    limit: u8,
}

/// The table row for some errors per 1 KiB, in a table of so many rows.
#[inline]
pub(super) fn row_of(errors_per_kib: f32, rows: usize) -> usize {
    // A float that is too large for an integer becomes the largest one.
    ((errors_per_kib.max(0.0) * ROWS_PER_BIT + 0.5) as usize).min(rows - 1)
}

/// Errors per 1 KiB of each row, up to `most`.
pub(super) fn rows(most: f32) -> impl Iterator<Item = f64> {
    (0..=(most * ROWS_PER_BIT) as usize).map(|row| row as f64 / f64::from(ROWS_PER_BIT))
}

/// Converts a probability to a share of 2^32, to compare with 32 random bits; the largest value stands for certainty.
pub(super) fn chance(probability: f64) -> u32 {
    (probability.clamp(0.0, 1.0) * 4_294_967_295.0 + 0.5) as u32
}

/// Cuts 32 bits of a hash to values below certainty.
#[inline]
pub(super) fn draw(bits: u32) -> u32 {
    bits.min(u32::MAX - 1)
}

impl PageTable {
    /// Builds the table for pages of `chunks` chunks, which fail independently, and a decoder that gives up after
    /// `limit` iterations, at most [`ITERATIONS_MAX`]. It ends at `most` errors per 1 KiB.
    #[must_use]
    fn new(curve: &Curve, chunks: u32, limit: u8, most: f32) -> Self {
        let limit = limit.min(ITERATIONS_MAX as u8);
        let row = |errors_per_kib: f64| {
            let point = curve.at(errors_per_kib / super::BITS_PER_KIB);
            let mut row = [u32::MAX; ENTRIES];
            for (entry, undecoded) in row.iter_mut().zip(point.undecoded).take(usize::from(limit) + 1) {
                *entry = chance(libm::pow(1.0 - undecoded, f64::from(chunks)));
            }
            row
        };
        Self { rows: rows(most).map(row).collect(), limit }
    }

    #[inline]
    fn judge(&self, errors_per_kib: f32, hash: u64) -> Verdict {
        let bits = draw((hash >> 32) as u32);
        let row = &self.rows[row_of(errors_per_kib, self.rows.len())];
        // Rows ascend: the number of entries at or below the draw is the number of iterations that were not enough.
        let count = row.iter().map(|&entry| u32::from(entry <= bits)).sum::<u32>() as u8;
        Verdict { ok: count <= self.limit, iterations: count.min(self.limit) }
    }
}

/// The decoding time of a page.
#[derive(Clone, Copy, Debug)]
pub struct DecodeTime {
    /// For every page, ns.
    pub fixed_ns: Ns,
    /// For each iteration, ns.
    pub iteration_ns: Ns,
    /// If set, for a page that does not decode, in place of the others, ns.
    pub fail_ns: Option<Ns>,
}

impl DecodeTime {
    /// tECC of a page, ns.
    #[inline]
    #[must_use]
    pub fn ns(&self, verdict: Verdict) -> Ns {
        match self.fail_ns {
            Some(fail_ns) if !verdict.ok => fail_ns,
            _ => self.fixed_ns + Ns::from(verdict.iterations) * self.iteration_ns,
        }
    }
}

/// How many times as many errors soft decisions correct as hard ones: the quotient of the rates at which a tenth of all
/// chunks fails.
#[must_use]
pub fn soft_gain(senses: SoftSenses) -> f64 {
    let capability = |soft| Curve::new(&super::table::of(soft)).capability(CAPABILITY_LEVEL);
    capability(Some(senses)) / capability(None)
}

impl Code {
    /// The LDPC code that comes with Wordline, for pages of `page_bytes` in chunks of 4 KiB.
    #[must_use]
    pub fn ldpc(page_bytes: u32, limit: u8) -> Self {
        Self::of_table(None, page_bytes, limit, ERRORS_PER_KIB_MAX)
    }

    /// The same code after `senses` further senses beside each reference, decoded with soft decisions.
    #[must_use]
    pub fn soft_ldpc(page_bytes: u32, limit: u8, senses: SoftSenses) -> Self {
        Self::of_table(Some(senses), page_bytes, limit, SOFT_ERRORS_PER_KIB_MAX)
    }

    fn of_table(soft: Option<SoftSenses>, page_bytes: u32, limit: u8, most: f32) -> Self {
        let curve = Curve::new(&super::table::of(soft));
        Code::Ldpc(Box::new(PageTable::new(&curve, page_bytes.div_ceil(super::CHUNK_BYTES), limit, most)))
    }

    /// Decides whether a page with some raw errors decodes. `errors_per_kib` is the page's raw bit error rate as bits
    /// in 1 KiB (8,192 bits), not negative; with `Ldpc` the numbers of errors of its chunks vary around that. `hash` is
    /// the random draw: the same hash gives the same verdict.
    #[inline]
    #[must_use]
    pub fn judge(&self, errors_per_kib: f32, hash: u64) -> Verdict {
        match self {
            Code::Bounded { bits_per_kib } => Verdict { ok: errors_per_kib <= *bits_per_kib, iterations: 0 },
            Code::Ldpc(table) => table.judge(errors_per_kib, hash),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::table;
    use super::*;
    use crate::variation::{Purpose, hash};

    #[test]
    fn a_bounded_code_corrects_up_to_its_bound() {
        let code = Code::Bounded { bits_per_kib: 72.0 };
        assert!(code.judge(72.0, 0).ok);
        assert!(!code.judge(72.01, u64::MAX).ok);
    }

    #[test]
    fn verdicts_are_as_frequent_as_the_curve_says() {
        let curve = Curve::new(&table::built_in());
        let code = Code::ldpc(16384, 20);
        for errors_per_kib in [40.0f32, 70.0, 74.0, 78.0] {
            let point = curve.at(f64::from(errors_per_kib) / super::super::BITS_PER_KIB);
            let n = 100_000;
            let verdicts: Vec<Verdict> =
                (0..n).map(|i| code.judge(errors_per_kib, hash(1, i, Purpose::VictimChoice))).collect();
            let ok = verdicts.iter().filter(|verdict| verdict.ok).count() as f64 / n as f64;
            let expected = (1.0 - point.frame_error_rate()).powi(4);
            assert!((ok - expected).abs() < 0.005, "{ok} of pages decode, {expected} expected");
            let within =
                |k: usize| verdicts.iter().filter(|v| v.ok && usize::from(v.iterations) <= k).count();
            for k in [3, 6, 10, 15] {
                let expected = (1.0 - point.undecoded[k]).powi(4);
                assert!((within(k) as f64 / n as f64 - expected).abs() < 0.005, "within {k}");
            }
        }
    }

    #[test]
    fn the_ends_are_certain() {
        for limit in [1, 8, 20] {
            let code = Code::ldpc(16384, limit);
            for hash in [0, u64::MAX, 1 << 63] {
                assert_eq!(code.judge(0.0, hash), Verdict { ok: true, iterations: 0 });
                for errors_per_kib in [128.0, 1e9, f32::INFINITY] {
                    assert_eq!(code.judge(errors_per_kib, hash), Verdict { ok: false, iterations: limit });
                }
            }
        }
    }
}
