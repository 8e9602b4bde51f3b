//! Which ECC codewords of a page a read is of. Where mapping units are smaller than a page, a read brings the codewords of its
//! units, and fails with these. Where a unit is a page, as in the papers, a page has one number of errors, and is judged as a
//! whole.

use serde::{Deserialize, Serialize};

use crate::config::Config;
use crate::nand::Ppn;
use wordline_cells::ecc::{CHUNK_BYTES, Code, Verdict};
use wordline_cells::read::{CODEWORD_BYTES, DEVIATION_MAX, deviation, mean_bits, worst_of};

/// Codewords of a page: a bit for each KiB; none for a page that is judged as a whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Codewords {
    kib: u64,
    page: Ppn,
}

/// Of how many bytes the units are, where they are smaller than a page.
#[derive(Clone, Copy, Debug)]
pub(super) struct UnitsOfPage {
    unit_bytes: u32,
    pub units_per_page: u32,
}

impl UnitsOfPage {
    /// Nothing where a unit is a page.
    pub fn new(config: &Config) -> Option<UnitsOfPage> {
        let (unit_bytes, units_per_page) = (config.unit_bytes(), config.units_per_page());
        (units_per_page > 1).then_some(UnitsOfPage { unit_bytes, units_per_page })
    }

    /// The page of a unit.
    pub fn page_of(&self, unit: Ppn) -> Ppn {
        Ppn::new(unit.number() / self.units_per_page)
    }

    /// The codewords of some units of a page.
    pub fn codewords(&self, page: Ppn, units: impl Iterator<Item = Ppn>) -> Codewords {
        let kib_of = |unit: Ppn| {
            let first = u64::from(unit.number() % self.units_per_page) * u64::from(self.unit_bytes);
            let kib = u64::from(CODEWORD_BYTES);
            let (begin, end) = (first / kib, (first + u64::from(self.unit_bytes)).div_ceil(kib));
            ((1 << (end - begin)) - 1) << begin
        };
        let kib = units.fold(0, |all, unit| all | kib_of(unit));
        Codewords { kib, page }
    }
}

impl Codewords {
    /// What the ECC has to correct, if the worst codeword of a page has `worst_bits` errors on average: the errors of the worst
    /// of these, or, for a code that is judged by the error rate of a page, those of its mean codeword.
    pub fn errors(self, worst_bits: f32, code: &Code, seed: u64) -> f32 {
        let mean = || mean_bits(f64::from(worst_bits)) as f32;
        match code {
            Code::Bounded { .. } if self.kib == 0 => worst_bits,
            Code::Bounded { .. } => worst_of(mean(), deviation(seed, u64::from(self.page), self.kib)),
            Code::Ldpc(_) => mean(),
        }
    }

    /// The same, or more where that much decodes, too: most pages are far from what a code corrects.
    #[inline]
    pub fn errors_at_most(self, worst_bits: f32, code: &Code, seed: u64) -> f32 {
        if let Code::Bounded { bits_per_kib } = code
            && self.kib != 0
        {
            let most = worst_of(worst_bits.max(0.0), DEVIATION_MAX);
            if most <= *bits_per_kib {
                return most;
            }
        }
        self.errors(worst_bits, code, seed)
    }

    /// Whether all of them decode. `draw` gives random bits for a chunk of the page, by its number.
    pub fn judge(self, code: &Code, errors: f32, draw: impl Fn(u32) -> u64) -> Verdict {
        let chunk_kib = CHUNK_BYTES / CODEWORD_BYTES;
        match code {
            // Nothing is drawn.
            Code::Bounded { .. } => code.judge(errors, 0),
            Code::Ldpc(_) if self.kib == 0 => code.judge(errors, draw(0)),
            Code::Ldpc(_) => (0..u64::BITS / chunk_kib)
                .filter(|chunk| self.kib >> (chunk * chunk_kib) & ((1 << chunk_kib) - 1) != 0)
                .map(|chunk| code.judge(errors, draw(chunk)))
                .fold(Verdict { ok: true, iterations: 0 }, |all, one| Verdict {
                    ok: all.ok && one.ok,
                    iterations: all.iterations.max(one.iterations),
                }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn units() -> UnitsOfPage {
        UnitsOfPage { unit_bytes: 4096, units_per_page: 4 }
    }

    #[test]
    fn a_page_as_a_whole_is_judged_as_it_always_was() {
        let code = Code::Bounded { bits_per_kib: 72.0 };
        let whole = Codewords::default();
        assert_eq!(whole.errors(72.0, &code, 1), 72.0);
        assert!(whole.judge(&code, 72.0, |_| 0).ok && !whole.judge(&code, 72.1, |_| 0).ok);
    }

    #[test]
    fn units_of_a_page_have_errors_of_their_own_and_a_read_of_several_those_of_the_worst() {
        let (code, units) = (Code::Bounded { bits_per_kib: 72.0 }, units());
        let mut mixed = 0;
        for page in 0..500 {
            let errors = |which: &[u32]| {
                units
                    .codewords(Ppn::new(page), which.iter().map(|unit| Ppn::new(page * 4 + unit)))
                    .errors(72.0, &code, 5)
            };
            let each = [0, 1, 2, 3].map(|unit| errors(&[unit]));
            assert_eq!(errors(&[0, 1, 2, 3]), each.into_iter().fold(0.0, f32::max));
            let failing = each.iter().filter(|&&errors| errors > 72.0).count();
            mixed += u32::from(failing > 0 && failing < 4);
        }
        // Half of all pages are worse than the average page; it is mostly one unit that makes them so.
        assert!((180..320).contains(&mixed), "{mixed} pages have units that decode and units that do not");
    }

    #[test]
    fn an_upper_bound_of_the_errors_decodes_what_they_do() {
        let code = Code::Bounded { bits_per_kib: 72.0 };
        for page in 0..200 {
            let codewords = units().codewords(Ppn::new(page), std::iter::once(Ppn::new(page * 4 + page % 4)));
            for worst_bits in [0.0, 20.0, 40.0, 50.0, 60.0, 72.0, 90.0] {
                let exact = codewords.errors(worst_bits, &code, 5);
                let most = codewords.errors_at_most(worst_bits, &code, 5);
                assert!(
                    most >= exact && (most <= 72.0) == (exact <= 72.0),
                    "{worst_bits}: {most} for {exact}"
                );
            }
        }
    }

    #[test]
    fn units_smaller_than_a_codeword_share_it() {
        let units = UnitsOfPage { unit_bytes: 512, units_per_page: 32 };
        let of = |unit: u32| units.codewords(Ppn::new(9), std::iter::once(Ppn::new(9 * 32 + unit)));
        assert_eq!(of(4), of(5));
        assert_ne!(of(4).kib, of(6).kib);
    }

    #[test]
    fn chunks_of_an_ldpc_code_are_drawn_one_by_one() {
        let (code, units) = (Code::ldpc(CHUNK_BYTES, 20), units());
        // The second chunk fails: its draw is the worst possible, at an error rate at which some decode.
        let draw = |chunk| if chunk == 1 { u64::MAX } else { 0 };
        let decodes = |which: &[u32]| {
            units
                .codewords(Ppn::new(3), which.iter().map(|unit| Ppn::new(12 + unit)))
                .judge(&code, 76.0, draw)
                .ok
        };
        assert_eq!([0, 1, 2, 3].map(|unit| decodes(&[unit])), [true, false, true, true]);
        assert!(!decodes(&[0, 1]) && decodes(&[0, 2, 3]));
    }
}
