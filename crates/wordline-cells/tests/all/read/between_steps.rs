//! Pages of wordlines that have had the first of two steps of their program, in every built-in chip.

use proptest::prelude::*;
use wordline_cells::Chip;
use wordline_cells::read::{
    BetweenStepsConstants, Cells, Condition, CutEffect, PageState, Place, ReadAt, ReadConstants, TimingCut,
    tail,
};

use super::population::{PAGES, condition};

/// Chips whose reads are known.
const CHIPS: [&str; 6] = ["mlc-48l", "mlc-micron", "qlc", "tlc-2d", "tlc-48l", "tlc-micron"];

/// Bits per cell of a chip, and its cells, with rough states of this width.
fn cells(name: &str, width: f64) -> (u32, Cells) {
    let chip = Chip::built_in(name).expect("listed").expect("it reads");
    let read = chip.read.expect("its reads are known");
    let read = ReadConstants { between_steps: Some(BetweenStepsConstants { width }), ..read };
    let cells = Cells::new(&read, chip.cell, chip.geometry.layers, PAGES, 7).in_two_steps(&read);
    (chip.cell.bits(), cells)
}

fn chips(width: f64) -> impl Iterator<Item = (&'static str, u32, Cells)> {
    CHIPS.into_iter().map(move |name| {
        let (bits, cells) = cells(name, width);
        (name, bits, cells)
    })
}

/// A page of the first step in the middle of a block.
fn first_step(cells: &Cells) -> Place {
    let place = cells.place(3, 40, 289);
    if place.page_type == 0 { place } else { cells.place(3, 40, 290) }
}

/// Errors of a first-step page at its best voltages over those that it has when its wordline is finished.
fn growth(cells: &Cells, condition: &Condition) -> f64 {
    let place = first_step(cells);
    let [rough, finished] = [cells.page_between_steps(place, condition), cells.page(place, condition)];
    f64::from(rough.floor_bits / finished.floor_bits)
}

#[test]
fn all_chips_are_guessed_alike() {
    let mut known = 0;
    for name in Chip::names() {
        let Some(read) = Chip::built_in(name).expect("listed").expect("it reads").read else { continue };
        assert_eq!(read.between_steps, Some(BetweenStepsConstants { width: 2.0 }), "{name}");
        known += 1;
    }
    assert_eq!(known, CHIPS.len());
}

/// Twice as wide, twice as far apart, and twice as many cells in each state.
#[test]
fn states_that_keep_their_margin_have_twice_the_errors() {
    for (name, _, cells) in chips(2.0) {
        for (stress, months) in [(0.0, 0.0), (1000.0, 0.0), (1500.0, 12.0), (4000.0, 6.0)] {
            let growth = growth(&cells, &condition(stress, months, 85.0));
            assert!((growth - 2.0).abs() < 1e-4, "{name}: {growth}");
        }
    }
}

/// `2 Q(2 m / width) / Q(m)`: one width gives the margin m, from which the others follow.
#[test]
fn errors_follow_the_width_of_the_states() {
    let condition = condition(1000.0, 3.0, 85.0);
    let by_width = |width| chips(width).map(|(_, _, cells)| growth(&cells, &condition)).collect();
    let [narrow, wide]: [Vec<f64>; 2] = [1.0, 3.0].map(by_width);
    for (narrow, wide) in narrow.into_iter().zip(wide) {
        let of = |margin: f64, width: f64| 2.0 * tail(2.0 * margin / width) / tail(margin);
        let (mut low, mut high) = (0.0, 8.0);
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if of(middle, 3.0) > wide { high = middle } else { low = middle }
        }
        assert!((1.5..4.0).contains(&low), "{low} deviations");
        let expected = of(low, 1.0);
        assert!(narrow < 0.1 && (narrow / expected - 1.0).abs() < 0.01, "{narrow}, not {expected}");
    }
}

/// The same step of the retry table is half as much of a valley that is twice as wide.
#[test]
fn voltages_beside_the_best_ones_cost_less_than_in_a_finished_wordline() {
    let condition = condition(1000.0, 3.0, 85.0);
    for (name, _, cells) in chips(2.0) {
        let place = first_step(&cells);
        let beside = |page: &PageState| {
            let at = ReadAt::Steps(page.optimum_steps + 1.0);
            cells.errors(page, at, CutEffect::NONE) - page.floor_bits
        };
        let (rough, finished) =
            (beside(&cells.page_between_steps(place, &condition)), beside(&cells.page(place, &condition)));
        assert!(0.0 < rough && rough < 0.8 * finished, "{name}: {rough} and {finished} bits");
    }
}

#[test]
fn a_chip_that_says_nothing_reads_as_if_it_were_finished() {
    let chip = Chip::built_in("qlc").expect("listed").expect("it reads");
    let read = ReadConstants { between_steps: None, ..chip.read.expect("its reads are known") };
    let cells = Cells::new(&read, chip.cell, chip.geometry.layers, PAGES, 7).in_two_steps(&read);
    let (place, condition) = (cells.place(0, 0, 0), condition(1000.0, 3.0, 30.0));
    assert_eq!(cells.page_between_steps(place, &condition), cells.page(place, &condition));
}

#[test]
fn wordlines_hold_their_pages_in_the_order_of_the_steps() {
    for (name, bits, cells) in chips(2.0) {
        let types: Vec<u32> = (0..2 * bits).map(|page| cells.place(0, 0, page).page_type).collect();
        let first: Vec<u32> = (0..bits - 1).collect();
        let expected = [&first[..], &first, &[bits - 1], &[0]].concat();
        assert_eq!(types[..2 * bits as usize - 1], expected[..2 * bits as usize - 1], "{name}");
        let of_type =
            |page_type| (0..PAGES).filter(|&page| cells.place(0, 0, page).page_type == page_type).count();
        assert!((0..bits).all(|page_type| of_type(page_type) == (PAGES / bits) as usize), "{name}");
    }
}

/// Errors with the default voltages and near the best ones, with a cut of tPRE and without.
fn errors(cells: &Cells, page: &PageState) -> [f32; 4] {
    let cut = cells.cut(TimingCut::precharge(0.4));
    let near = page.near_optimal();
    [(ReadAt::Entry(0), CutEffect::NONE), (near, CutEffect::NONE), (ReadAt::Entry(0), cut), (near, cut)]
        .map(|(at, cut)| cells.errors(page, at, cut))
}

proptest! {
    // Each case makes chips of its own.
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn wear_age_and_residue_never_reduce_the_errors(
        (chip, width) in (0..6usize, 0.5f64..4.0),
        before in (0.0f32..8000.0, 0.0f32..24.0, 0.0f32..85.0, 0.0f32..40.0),
        (stress, months, residual) in (0.0f32..3000.0, 0.0f32..12.0, 0.0f32..30.0),
        page in 0..PAGES,
    ) {
        let (name, (bits, cells)) = (CHIPS[chip], cells(CHIPS[chip], width));
        let place = cells.place(0, 9, page);
        prop_assume!(place.page_type + 1 < bits);
        let before = Condition { residual_bits: before.3, ..condition(before.0, before.1, before.2) };
        let few = errors(&cells, &cells.page_between_steps(place, &before));
        for (what, after) in [
            ("P/E cycles", Condition { stress: before.stress + stress, ..before }),
            ("months", Condition { months: before.months + months, ..before }),
            ("residue", Condition { residual_bits: before.residual_bits + residual, ..before }),
        ] {
            let many = errors(&cells, &cells.page_between_steps(place, &after));
            for (few, many) in few.iter().zip(many) {
                prop_assert!(many * 1.002 + 0.05 >= *few, "{name}, {what}: {few} bits, then {many}");
            }
        }
    }

    #[test]
    fn wider_states_never_have_fewer_errors(
        (chip, width, more) in (0..6usize, 0.5f64..3.0, 0.0f64..1.0),
        (stress, months) in (0.0f32..8000.0, 0.0f32..24.0),
    ) {
        let floor = |width| growth(&cells(CHIPS[chip], width).1, &condition(stress, months, 85.0));
        prop_assert!(floor(width + more) * 1.0001 >= floor(width));
    }
}
