//! Claims `pnar2.rpt.*`: the read-timing parameter table, by profiling the model.

use wordline_cells::coding::{GrayCoding, Merged};
use wordline_cells::read::{Condition, Profile, ReadModel, ReadTimingTable, TimingCut};

use super::population::{BLOCKS, CAPABILITY, PAGES, SEED, cells, condition, constants, largest, places};

/// The words of the states, the lowest first; the lowest bit is the LSB page's.
const TLC_232: [u8; 8] = [0b111, 0b110, 0b100, 0b000, 0b010, 0b011, 0b001, 0b101];

fn table(profile: &Profile) -> ReadTimingTable {
    let cells = cells();
    ReadTimingTable::profile(&cells, places(&cells, BLOCKS), profile, |cycles| cycles as f32)
}

#[test]
fn cuts_range_from_40_to_54_percent() {
    let table = table(&Profile::default());
    assert_eq!(table.cuts().len(), 36);
    assert_eq!(table.bytes(), 144, "pnar2.rpt.size");
    let least = table.cuts().iter().copied().fold(1.0, f32::min);
    let most = table.cuts().iter().copied().fold(0.0, f32::max);
    assert!(least >= 0.395, "pnar2.rpt.range: {least}");
    assert!((most - 0.54).abs() <= 0.01, "pnar2.rpt.max: {most}");
    assert!(least < most, "the cut depends on the condition");
}

#[test]
fn cuts_get_no_deeper_with_cycles_and_months() {
    let table = table(&Profile::default());
    for cycles in (0..=2000).step_by(50) {
        for months in 0..=12 {
            let cut = table.cut(cycles, months as f32);
            assert!(table.cut(cycles + 50, months as f32) <= cut);
            assert!(table.cut(cycles, months as f32 + 1.0) <= cut);
        }
    }
    assert_eq!(table.cut(2001, 1.0), 0.0, "nothing was profiled beyond the last cell");
    assert_eq!(table.cut(0, 12.5), 0.0);
    assert_eq!(table.cut(1001, 6.5), table.cut(1500, 9.0), "the next cell that is no better");
}

#[test]
fn the_margin_covers_the_cold() {
    let table = table(&Profile::default());
    let cells = cells();
    for cycles in [0, 500, 1000, 1500, 2000] {
        for months in [0.0, 3.0, 6.0, 12.0] {
            let effect = cells.cut(TimingCut::precharge(f64::from(table.cut(cycles, months))));
            let condition = condition(cycles as f32, months, 30.0);
            let bits = largest(&cells, &condition, |page| cells.errors(page, page.near_optimal(), effect));
            assert!(bits <= CAPABILITY, "{bits} bits at {cycles} cycles and {months} months");
        }
    }
}

#[test]
fn incomplete_erases_leave_less_to_cut() {
    let plain = table(&Profile::default());
    let aero = table(&Profile { residual_bits: 25.0, ..Profile::default() });
    assert!(plain.cuts().iter().zip(aero.cuts()).all(|(plain, aero)| aero <= plain));
    assert!(aero.cut(0, 0.0) < plain.cut(0, 0.0));
}

#[test]
fn merged_wordlines_have_tables_of_their_own() {
    let constants = constants();
    let tlc = Merged::new(&GrayCoding::new(&TLC_232).expect("a Gray coding"));
    let merges = tlc.reads();
    let reads = ReadModel::of_chip(&constants, cells(), SEED).with_merges(merges.clone());
    let tables = reads.timing_tables(CAPABILITY, 1, 512, PAGES).expect("a chip");
    let (mut shorter, mut lost) = (0, 0);
    for cycles in [0, 1000, 5000] {
        for months in [0.5, 3.0, 9.0] {
            let cut = tables.cut(0, cycles, months, 0.0, true);
            let plain = tables.cut(0, cycles, months, 0.0, false);
            assert!(cut <= plain, "{cut} and {plain} at {cycles} cycles and {months} months");
            shorter += u32::from(cut < plain);
            let condition = Condition { stress: cycles as f32, months, ..Condition::default() };
            let (safe, unsafe_cut) = (reads.cut(cut), reads.cut(plain));
            for page in 0..PAGES {
                for &merge in &merges {
                    let page = reads.merged_page(0, 7, page, &condition, merge);
                    let at = page.state.near_optimal();
                    assert!(cut == 0.0 || reads.errors(&page, at, &safe) <= CAPABILITY);
                    lost += u32::from(reads.errors(&page, at, &unsafe_cut) > CAPABILITY);
                }
            }
        }
    }
    assert!(shorter > 0 && lost > 0, "the table of plain wordlines would cut too much");
}
