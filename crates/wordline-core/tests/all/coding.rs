//! Merging states over invalid bits (IDA, Section III-B): the paper's figures, and properties over all
//! codings, all invalid sets and random Gray codings.

use proptest::prelude::*;
use wordline_cells::coding::{GrayCoding, Merge, Merged};
use wordline_core::config::{Layer, resolve};
use wordline_core::policy::coding::CodingName;

const LSB: u8 = 1;
const CSB: u8 = 2;

fn merge(scheme: CodingName, invalid: u8) -> Merge {
    Merge::new(&scheme.gray(), invalid)
}

/// States as the paper numbers them, from 1.
fn kept(merge: &Merge) -> Vec<usize> {
    merge.kept().map(|state| state + 1).collect()
}

#[test]
fn fig_5_an_invalid_lsb_leaves_four_states_of_tlc() {
    let merge = merge(CodingName::Tlc124, LSB);
    let moves: Vec<_> = merge.moves().map(|(from, to)| (from + 1, to + 1)).collect();
    assert_eq!(moves, [(1, 8), (2, 7), (3, 6), (4, 5)]);
    assert_eq!(kept(&merge), [5, 6, 7, 8]);
    assert_eq!(merge.read_voltages(1), [6], "CSB");
    assert_eq!(merge.read_voltages(2), [5, 7], "MSB");
    assert_eq!((merge.senses(0), merge.senses(1), merge.senses(2)), (0, 1, 2));
}

#[test]
fn with_lsb_and_csb_invalid_the_msb_takes_one_sense() {
    let merge = merge(CodingName::Tlc124, LSB | CSB);
    assert_eq!(kept(&merge), [7, 8]);
    assert_eq!(merge.read_voltages(2), [7]);
}

#[test]
fn fig_6_two_invalid_bits_of_qlc_leave_four_states() {
    let coding = CodingName::Qlc1248;
    assert_eq!((coding.gray().senses(3), coding.gray().senses(2)), (8, 4));
    let merge = merge(coding, 0b0011);
    assert_eq!(kept(&merge), [13, 14, 15, 16]);
    assert_eq!((merge.senses(3), merge.senses(2)), (2, 1));
    assert_eq!((merge.read_voltages(3), merge.read_voltages(2)), (vec![13, 15], vec![14]));
}

#[test]
fn an_invalid_lsb_of_mlc_leaves_the_msb_one_sense() {
    assert_eq!(CodingName::Mlc12.gray().senses(1), 2);
    assert_eq!(merge(CodingName::Mlc12, LSB).senses(1), 1);
}

/// 2-3-2 with the LSB invalid: the remaining states are not neighbours, so a read voltage has to be chosen.
#[test]
fn the_other_tlc_coding_gains_at_the_csb() {
    let merge = merge(CodingName::Tlc232, LSB);
    assert_eq!(kept(&merge), [2, 6, 7, 8]);
    assert_eq!((merge.senses(1), merge.senses(2)), (1, 2));
    // Between S2 and S6 lie V2 to V5.
    assert_eq!(merge.read_voltages(2), [3, 7]);
}

#[test]
fn the_adjustment_takes_half_an_msb_program_for_the_papers_example() {
    let share = merge(CodingName::Tlc124, LSB).ispp_share();
    assert!((share - 0.5).abs() <= 0.1, "{share}");
    assert_eq!(merge(CodingName::Tlc124, LSB | CSB).ispp_share(), 0.25);
    assert_eq!(merge(CodingName::Tlc124, 0).ispp_share(), 0.0);
}

/// IDA, Table II: the time on the array by senses, 48 us on the channel, 20 us to decode.
#[test]
fn reads_of_merged_wordlines_take_the_times_of_fewer_senses() {
    let presets = [
        ("ida", include_str!("../../../../presets/ssd/ida.toml")),
        ("ida-mlc", include_str!("../../../../presets/ssd/ida-mlc.toml")),
    ];
    let times = |preset: usize, invalid: u8| -> Vec<f64> {
        let (name, text) = presets[preset];
        let config = resolve(&[Layer::file(name, text)]).unwrap().config;
        let scheme = config.coding.scheme.resolve(config.coding.cell);
        let merged = Merged::new(&scheme.gray());
        let channel_us = f64::from(config.ssd.page_bytes) / config.channel.rate_mb_s;
        let senses = (0..scheme.bits()).map(|page| merged.senses(invalid, page)).filter(|&n| n > 0);
        senses.map(|n| config.nand.read_us[n - 1] + channel_us + config.ecc.decode_us).collect()
    };
    for (got, stated) in [
        (times(0, 0), &[118.0, 168.0, 218.0][..]),
        (times(0, LSB), &[118.0, 168.0]),
        (times(0, LSB | CSB), &[118.0]),
        (times(1, 0), &[133.0, 183.0]),
        (times(1, LSB), &[133.0]),
    ] {
        assert_eq!(got.len(), stated.len());
        assert!(got.iter().zip(stated).all(|(got, stated)| (got - stated).abs() < 0.001), "{got:?}");
    }
}

/// What must hold for any coding and any invalid set; counts what does not.
fn counterexamples(coding: &GrayCoding, invalid: u8) -> u32 {
    let merge = Merge::new(coding, invalid);
    let merged = Merged::new(coding);
    let mut wrong = 0;
    let mut require = |holds: bool| wrong += u32::from(!holds);
    for state in 0..coding.words().len() {
        require(merge.target(state) >= state);
        require(merge.kept().any(|kept| kept == merge.target(state)));
    }
    for page in 0..coding.bits() {
        require(merged.senses(invalid, page as u32) == merge.senses(page));
        require(merge.senses(page) <= coding.senses(page));
        if !merge.survives(page) {
            require(merge.senses(page) == 0);
            continue;
        }
        let voltages = merge.read_voltages(page);
        require(voltages.windows(2).all(|w| w[0] < w[1]));
        for state in 0..coding.words().len() {
            // A cell conducts from V_i on when it is in S_i or below: the page's bit is the highest
            // state's, turned over at each read voltage that lies above the cell.
            let above = voltages.iter().filter(|&&v| v > merge.target(state)).count();
            let highest = coding.bit(coding.words().len() - 1, page);
            require((highest ^ (above % 2 == 1)) == coding.bit(state, page));
        }
    }
    let share = merge.ispp_share();
    require((0.0..=1.0).contains(&share) && (share == 0.0) == (merge.moves().count() == 0));
    wrong
}

#[test]
fn every_surviving_bit_reads_back_in_all_named_codings() {
    for &scheme in CodingName::ALL {
        let coding = scheme.gray();
        for invalid in 0..1 << coding.bits() {
            assert_eq!(counterexamples(&coding, invalid), 0, "{} {invalid:04b}", scheme.name());
        }
    }
}

#[test]
fn nothing_invalid_changes_nothing() {
    for &scheme in CodingName::ALL {
        let merge = merge(scheme, 0);
        assert_eq!(merge.moves().count(), 0);
        for page in 0..scheme.gray().bits() {
            let voltages: Vec<usize> = scheme.gray().read_voltages(page).collect();
            assert_eq!(merge.read_voltages(page), voltages);
        }
        assert!(!merge.saves());
    }
}

/// A walk over all words, one bit at a time, led by a sequence of choices; every Gray coding is one.
fn walk(bits: usize, choices: &[u8]) -> GrayCoding {
    fn extend(words: &mut Vec<u8>, bits: usize, choices: &[u8]) -> bool {
        if words.len() == 1 << bits {
            return true;
        }
        let here = words[words.len() - 1];
        let turn = usize::from(choices[words.len() % choices.len()]);
        for i in 0..bits {
            let next = here ^ (1 << ((i + turn) % bits));
            if !words.contains(&next) {
                words.push(next);
                if extend(words, bits, choices) {
                    return true;
                }
                words.pop();
            }
        }
        false
    }
    let mut words = vec![choices[0] % (1 << bits)];
    // Every word of a hypercube begins some walk over all of it.
    assert!(extend(&mut words, bits, choices));
    GrayCoding::new(&words).expect("a walk that changes one bit at a time")
}

/// All Gray codings of two bits, and all of three that begin with the erased word: there are few.
#[test]
fn all_small_codings() {
    fn all(words: &mut Vec<u8>, bits: usize, found: &mut Vec<GrayCoding>) {
        if words.len() == 1 << bits {
            found.push(GrayCoding::new(words).expect("valid"));
            return;
        }
        for page in 0..bits {
            let next = words[words.len() - 1] ^ (1 << page);
            if !words.contains(&next) {
                words.push(next);
                all(words, bits, found);
                words.pop();
            }
        }
    }
    let mut found = Vec::new();
    for bits in 1..=3 {
        all(&mut vec![(1 << bits) - 1], bits, &mut found);
    }
    assert_eq!(found.len(), 1 + 2 + 18);
    let wrong: u32 = found
        .iter()
        .flat_map(|coding| (0..1 << coding.bits()).map(move |invalid| counterexamples(coding, invalid)))
        .sum();
    assert_eq!(wrong, 0);
}

proptest! {
    #[test]
    fn random_codings_read_back_and_never_cost_more(
        bits in 1..=4_usize,
        choices in prop::collection::vec(any::<u8>(), 16),
        invalid in any::<u8>(),
    ) {
        let coding = walk(bits, &choices);
        prop_assert_eq!(counterexamples(&coding, invalid & ((1 << bits) - 1)), 0);
    }

    #[test]
    fn more_invalid_pages_never_lengthen_a_read(
        choices in prop::collection::vec(any::<u8>(), 16),
        invalid in 0..16_u8,
        further in 0..16_u8,
    ) {
        let coding = walk(4, &choices);
        let (few, many) = (Merge::new(&coding, invalid), Merge::new(&coding, invalid | further));
        for page in (0..4).filter(|&page| many.survives(page)) {
            prop_assert!(many.senses(page) <= few.senses(page));
        }
    }
}
