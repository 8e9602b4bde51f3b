//! Which ECC codewords of a page a read is of. Where mapping units are smaller than a page, a read brings the codewords of its
//! units, and fails with these. Where a unit is a page, as in the papers, a page has one number of errors, and is judged as a
//! whole.

use serde::{Deserialize, Serialize};

use crate::config::Config;
use crate::nand::{Ppn, Pun};
use wordline_cells::ecc::{CHUNK_BYTES, Code, Verdict};
use wordline_cells::read::{CODEWORD_BYTES, DEVIATION_MAX, deviation, mean_bits, worst_of};

/// Codewords of a page that a read brings, a bit for each KiB; none for a page that is judged as a whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Codewords {
    page: Ppn,
    all: u64,
    /// Those that have not decoded at any sense. The controller keeps the others.
    left: u64,
}

/// Of how many bytes the units are, where they are smaller than a page.
#[derive(Clone, Copy, Debug)]
pub(super) struct UnitsOfPage {
    unit_bytes: u32,
    units_per_page: u32,
}

impl UnitsOfPage {
    /// Nothing where a unit is a page.
    pub fn new(config: &Config) -> Option<UnitsOfPage> {
        let (unit_bytes, units_per_page) = (config.unit_bytes(), config.units_per_page());
        (units_per_page > 1).then_some(UnitsOfPage { unit_bytes, units_per_page })
    }

    /// The codewords of some units of a page.
    pub fn codewords(&self, page: Ppn, units: impl Iterator<Item = Pun>) -> Codewords {
        let all = units.fold(0, |all, unit| all | self.kib_of(unit));
        Codewords { page, all, left: all }
    }

    /// Those of a unit.
    pub fn kib_of(&self, unit: Pun) -> u64 {
        let first = u64::from(unit) % u64::from(self.units_per_page) * u64::from(self.unit_bytes);
        let kib = u64::from(CODEWORD_BYTES);
        let (begin, end) = (first / kib, (first + u64::from(self.unit_bytes)).div_ceil(kib));
        ((1 << (end - begin)) - 1) << begin
    }
}

impl Codewords {
    /// True where one of these has not decoded.
    pub fn lacks(self, kib: u64) -> bool {
        self.left & kib != 0
    }

    /// Errors that the ECC sees, if the worst codeword of a page has `worst_bits` on average: those of the worst of these, or,
    /// for a code that is judged by the error rate of a page, those of its mean codeword.
    pub fn errors(self, worst_bits: f32, code: &Code, seed: u64) -> f32 {
        match code {
            Code::Bounded { .. } if self.all == 0 => worst_bits,
            Code::Bounded { .. } => self.errors_of(self.all, worst_bits, seed),
            Code::Ldpc(_) => mean_bits(f64::from(worst_bits)) as f32,
        }
    }

    /// Those of the worst of some codewords.
    fn errors_of(self, kib: u64, worst_bits: f32, seed: u64) -> f32 {
        let mean = mean_bits(f64::from(worst_bits)) as f32;
        worst_of(mean, deviation(seed, self.page.into(), kib))
    }

    /// Decodes what has not decoded before; whether all has now. `draw` gives random bits for a chunk of the page, by its
    /// number.
    pub fn decode(&mut self, code: &Code, worst_bits: f32, seed: u64, draw: impl Fn(u32) -> u64) -> Verdict {
        let ones = |mask: u64| (0..u64::BITS).map(|i| 1 << i).filter(move |one| mask & one != 0);
        match code {
            // Nothing is drawn.
            Code::Bounded { .. } if self.all == 0 => code.judge(worst_bits, 0),
            Code::Bounded { bits_per_kib } => {
                // Most pages are far from what the code corrects.
                let most = worst_of(worst_bits.max(0.0), DEVIATION_MAX);
                let fails = |one: &u64| self.errors_of(*one, worst_bits, seed) > *bits_per_kib;
                let is_sure = most <= *bits_per_kib;
                self.left = if is_sure { 0 } else { ones(self.left).filter(fails).sum() };
                Verdict { ok: self.left == 0, iterations: 0 }
            }
            Code::Ldpc(_) => {
                let errors = self.errors(worst_bits, code, seed);
                if self.all == 0 {
                    return code.judge(errors, draw(0));
                }
                let chunk_kib = CHUNK_BYTES / CODEWORD_BYTES;
                let mut iterations = 0;
                for chunk in 0..u64::BITS / chunk_kib {
                    let kib = ((1 << chunk_kib) - 1) << (chunk * chunk_kib);
                    if self.left & kib != 0 {
                        let verdict = code.judge(errors, draw(chunk));
                        self.left &= if verdict.ok { !kib } else { !0 };
                        iterations = iterations.max(verdict.iterations);
                    }
                }
                Verdict { ok: self.left == 0, iterations }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOUNDED: Code = Code::Bounded { bits_per_kib: 72.0 };

    fn units() -> UnitsOfPage {
        UnitsOfPage { unit_bytes: 4096, units_per_page: 4 }
    }

    /// Some units of a page, by their numbers in it.
    fn of_page(page: u32, which: &[u32]) -> Codewords {
        units().codewords(Ppn::new(page), which.iter().map(|unit| Pun::new(page * 4 + unit)))
    }

    fn decodes(codewords: &mut Codewords, worst_bits: f32) -> bool {
        codewords.decode(&BOUNDED, worst_bits, 5, |_| 0).ok
    }

    #[test]
    fn a_page_as_a_whole_is_judged_by_its_own_errors() {
        let mut whole = Codewords::default();
        assert_eq!(whole.errors(72.0, &BOUNDED, 1), 72.0);
        assert!(decodes(&mut whole, 72.0) && !decodes(&mut whole, 72.1));
    }

    #[test]
    fn units_of_a_page_have_errors_of_their_own_and_a_read_of_several_those_of_the_worst() {
        let mut mixed = 0;
        for page in 0..500 {
            let errors = |which: &[u32]| of_page(page, which).errors(72.0, &BOUNDED, 5);
            let each = [0, 1, 2, 3].map(|unit| errors(&[unit]));
            assert_eq!(errors(&[0, 1, 2, 3]), each.into_iter().fold(0.0, f32::max));
            let mut all = of_page(page, &[0, 1, 2, 3]);
            assert_eq!(decodes(&mut all, 72.0), each.into_iter().all(|errors| errors <= 72.0));
            let lacking = [0, 1, 2, 3].map(|unit| all.lacks(units().kib_of(Pun::new(page * 4 + unit))));
            assert_eq!(lacking, each.map(|errors| errors > 72.0));
            let failing = lacking.into_iter().filter(|&lacks| lacks).count();
            mixed += u32::from(failing > 0 && failing < 4);
        }
        // Half of all pages are worse than the average page; it is mostly one unit that makes them so.
        assert!((180..320).contains(&mixed), "{mixed} pages have units that decode and units that do not");
    }

    #[test]
    fn what_has_decoded_once_is_kept() {
        let mut page = (0..100).map(|page| of_page(page, &[0, 1, 2, 3]));
        let mut some = page.find(|page| !decodes(&mut page.clone(), 72.0)).expect("a page that fails");
        decodes(&mut some, 72.0);
        let left = some;
        assert!(!decodes(&mut some, 500.0), "a worse sense");
        assert_eq!(some, left);
        assert!(decodes(&mut some, 30.0));
    }

    #[test]
    fn units_smaller_than_a_codeword_share_it() {
        let units = UnitsOfPage { unit_bytes: 512, units_per_page: 32 };
        let of = |unit: u32| units.kib_of(Pun::new(9 * 32 + unit));
        assert_eq!((of(4), of(5), of(6)), (0b100, 0b100, 0b1000));
    }

    #[test]
    fn chunks_of_an_ldpc_code_are_drawn_one_by_one() {
        let code = Code::ldpc(CHUNK_BYTES, 20);
        // The second chunk fails: its draw is the worst possible, at an error rate at which some decode.
        let draw = |chunk| if chunk == 1 { u64::MAX } else { 0 };
        let decodes = |which: &[u32]| of_page(3, which).decode(&code, 85.0, 5, draw).ok;
        assert_eq!([0, 1, 2, 3].map(|unit| decodes(&[unit])), [true, false, true, true]);
        assert!(!decodes(&[0, 1]) && decodes(&[0, 2, 3]));
    }
}
