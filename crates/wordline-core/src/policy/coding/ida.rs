//! `ida`: refresh leaves pages in place and merges the states of their wordlines, by which of its pages are valid (IDA,
//! Section III and Table I).

use super::action::all;
use super::{Action, CodingKeys, Policy, RefreshedWordline};
use crate::parameter::{choices, section};

choices! {
    /// How long IDA's voltage adjustment of a wordline takes.
    pub enum AdjustTime {
        /// As long as an MSB program
        MsbProgram = "msb-program",
        /// The share of it that the ISPP range takes
        IsppRange = "ispp-range",
    }
}

choices! {
    /// How long a page of a merged wordline takes to read.
    pub enum MergedRead {
        /// As long as its senses, which the merged states need
        Senses = "senses",
        /// As long as an LSB, whatever its senses
        Lsb = "lsb",
    }
}

choices! {
    /// What errors a page of a merged wordline has.
    pub enum MergedErrors {
        /// Those of the states that are left, the highest
        States = "states",
        /// Those of a page that was not merged
        Plain = "plain",
    }
}

section! {
    /// The keys of `ida`.
    #[derive(Copy)]
    pub struct Keys {
        /// Share of the pages that stay which the adjustment breaks and which are written elsewhere.
        ida_error_rate: f64 = 0.2,
            fraction().source("IDA section IV-C, E20").when("coding.policy", &["ida"]);
        /// How long the adjustment of a wordline takes.
        ida_adjust_time: AdjustTime = AdjustTime::MsbProgram,
            word(AdjustTime::CHOICES).source("IDA section III-B").when("coding.policy", &["ida"]);
        /// How long a page of a merged wordline takes to read.
        ida_read_time: MergedRead = MergedRead::Senses,
            word(MergedRead::CHOICES).source("IDA Fig. 5; section V-A says `lsb`").when("coding.policy", &["ida"]);
        /// What errors a page of a merged wordline has.
        ida_errors: MergedErrors = MergedErrors::States, word(MergedErrors::CHOICES)
            .source("assumed: the highest states lose charge fastest; IDA section V-F gives both codings the same errors")
            .when("coding.policy", &["ida"]);
    }
}

/// Pages stay in place, in wordlines whose states are merged.
#[derive(Clone, Copy, Debug)]
pub struct Ida;

impl Policy for Ida {
    const NAME: &'static str = "ida";
    const HELP: &'static str = "refresh leaves pages in place and merges the states of their wordlines";
    type Parameters = Keys;
}

impl RefreshedWordline for Ida {
    fn merges() -> bool {
        true
    }

    fn action(_: &CodingKeys, bits: usize, valid_mask: u8) -> Action {
        refresh_action(bits, valid_mask)
    }

    fn adjust_share(keys: &CodingKeys, ispp_share: f64) -> f64 {
        match keys.ida.ida_adjust_time {
            AdjustTime::MsbProgram => 1.0,
            AdjustTime::IsppRange => ispp_share,
        }
    }

    fn broken_share(keys: &CodingKeys) -> f64 {
        keys.ida.ida_error_rate
    }

    fn timed_senses(keys: &CodingKeys, senses: usize) -> usize {
        match keys.ida.ida_read_time {
            MergedRead::Senses => senses,
            MergedRead::Lsb => senses.min(1),
        }
    }

    fn has_errors_of_states(keys: &CodingKeys) -> bool {
        keys.ida.ida_errors == MergedErrors::States
    }
}

/// One of the eight cases of Table I: a TLC wordline by its valid pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Case {
    /// 1 to 8, as in the table.
    pub number: u8,
    /// What is done.
    pub action: Action,
}

/// Table I for any number of bits per cell: a wordline whose MSB is valid is adjusted, once its LSB has
/// moved; from any other, all valid pages move.
///
/// For three bits this is the table. The paper has none for two and four; the rule is the same there, so
/// that of a QLC wordline bits 2 to 4 stay. Bits of `valid_mask` beyond `bits` mean nothing.
#[must_use]
pub fn refresh_action(bits: usize, valid_mask: u8) -> Action {
    let valid = valid_mask & all(bits);
    let msb = 1 << (bits - 1);
    if bits > 1 && valid & msb != 0 {
        Action { moves: valid & 1, stays: valid & !1 }
    } else {
        Action { moves: valid, stays: 0 }
    }
}

/// The case of a TLC wordline with these valid pages (bit 0 LSB, bit 1 CSB, bit 2 MSB).
#[must_use]
pub fn refresh_case(valid_mask: u8) -> Case {
    // The table counts the invalid LSB by 1, the invalid CSB by 2, the invalid MSB by 4.
    Case { number: 1 + (!valid_mask & all(3)), action: refresh_action(3, valid_mask) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::coding::CodingName;
    use wordline_cells::coding::Merged;

    const LSB: u8 = 1;
    const CSB: u8 = 2;
    const MSB: u8 = 4;

    #[test]
    fn the_eight_cases_are_those_of_table_i() {
        // (valid, case, moves, stays)
        let table = [
            (LSB | CSB | MSB, 1, LSB, CSB | MSB),
            (CSB | MSB, 2, 0, CSB | MSB),
            (LSB | MSB, 3, LSB, MSB),
            (MSB, 4, 0, MSB),
            (LSB | CSB, 5, LSB | CSB, 0),
            (CSB, 6, CSB, 0),
            (LSB, 7, LSB, 0),
            (0, 8, 0, 0),
        ];
        for (valid, number, moves, stays) in table {
            assert_eq!(
                refresh_case(valid),
                Case { number, action: Action { moves, stays } },
                "case {number}"
            );
        }
    }

    #[test]
    fn no_valid_page_is_forgotten_and_adjusting_pays() {
        for &scheme in CodingName::ALL.iter().filter(|scheme| scheme.is_plain()) {
            let bits = scheme.gray().bits();
            let merged = Merged::new(&scheme.gray());
            for valid in 0..1 << bits {
                let action = refresh_action(bits, valid);
                assert_eq!(action.moves | action.stays, valid);
                assert_eq!(action.moves & action.stays, 0);
                assert!(
                    !action.adjusts() || merged.saves(action.invalid(bits)),
                    "{} {valid:b}",
                    scheme.name()
                );
            }
        }
    }

    /// Cases 1 and 2 leave a CSB of one sense and an MSB of two, cases 3 and 4 an MSB of one.
    #[test]
    fn adjusted_wordlines_are_read_as_the_paper_says() {
        let merged = Merged::new(&CodingName::Tlc124.gray());
        for (valid, csb, msb) in [(7, 1, 2), (6, 1, 2), (5, 0, 1), (4, 0, 1)] {
            let invalid = refresh_case(valid).action.invalid(3);
            assert_eq!((merged.senses(invalid, 1), merged.senses(invalid, 2)), (csb, msb));
        }
    }
}
