//! Properties of any chip in any condition: more wear, age, heat, residue and shorter phases never reduce the errors.

use proptest::prelude::*;
use wordline_cells::Chip;
use wordline_cells::read::{
    Cells, Condition, CutEffect, Disturb, DisturbConstants, MergedRead, PageState, Place, ReadAt,
    ReadConstants, TimingCut, effective_months,
};

use super::population::{PAGES, SEED, cells, condition, places};

/// A built-in chip with its constants of drift, floor, wear and valley multiplied by a factor each.
fn any_chip() -> impl Strategy<Value = Cells> {
    let names: Vec<&'static str> = Chip::names().collect();
    let factor = || 0.6f64..1.6;
    (0..names.len(), factor(), factor(), factor(), factor(), any::<u64>()).prop_filter_map(
        "a chip whose reads are known",
        move |(name, drift, floor, wear, valley, seed)| {
            let chip = Chip::built_in(names[name]).expect("listed").expect("it reads");
            let mut read: ReadConstants = chip.read?;
            read.drift.steps_per_log *= drift;
            read.drift.wear_steps *= wear;
            read.floor.fresh_bits *= floor;
            read.floor.wear_bits *= wear;
            read.floor.early_bits *= wear;
            read.valley.misfit *= valley;
            read.valley.reach_steps *= valley;
            Some(Cells::new(&read, chip.cell, chip.geometry.layers, PAGES, seed))
        },
    )
}

fn any_condition() -> impl Strategy<Value = Condition> {
    (0.0f32..8000.0, 0.0f32..24.0, 0.0f32..85.0, 0.0f32..40.0).prop_map(
        |(stress, months, temperature_c, residual_bits)| Condition {
            stress,
            months,
            temperature_c,
            residual_bits,
            ..Condition::default()
        },
    )
}

fn any_place() -> impl Strategy<Value = (u32, u32, u32)> {
    (0u32..64, 0u32..4096, 0..PAGES)
}

/// Errors with the default voltages and near the best ones, with a cut of tPRE and without.
fn errors(cells: &Cells, page: &PageState) -> [f32; 4] {
    let cut = cells.cut(TimingCut::precharge(0.4));
    [
        (ReadAt::Entry(0), CutEffect::NONE),
        (page.near_optimal(), CutEffect::NONE),
        (ReadAt::Entry(0), cut),
        (page.near_optimal(), cut),
    ]
    .map(|(at, cut)| cells.errors(page, at, cut))
}

/// Rounding of tables and of 32-bit numbers.
const SLACK: f32 = 1.002;

proptest! {
    #[test]
    fn stress_never_reduces_the_errors(
        cells in any_chip(),
        before in any_condition(),
        (chip, block, page) in any_place(),
        (stress, months, residual, heat_c, lost) in (0.0f32..3000.0, 0.0f32..12.0, 0.0f32..30.0, 0.0f64..20.0, 0.0f32..0.9),
    ) {
        let place: Place = cells.place(chip, block, page);
        let few = errors(&cells, &cells.page(place, &before));
        let warm = effective_months(f64::from(before.months), 30.0 + heat_c) as f32;
        for (what, after) in [
            ("P/E cycles", Condition { stress: before.stress + stress, ..before }),
            ("months", Condition { months: before.months + months, ..before }),
            ("residue", Condition { residual_bits: before.residual_bits + residual, ..before }),
            ("heat while kept", Condition { months: warm, ..before }),
            ("a fast program", Condition { margin_lost: lost, ..before }),
        ] {
            let many = errors(&cells, &cells.page(place, &after));
            for (few, many) in few.iter().zip(many) {
                prop_assert!(many * SLACK + 0.05 >= *few, "{what}: {few} bits, then {many}");
            }
        }
    }

    #[test]
    fn reads_of_a_block_and_a_program_at_another_temperature_never_reduce_the_errors(
        cells in any_chip(),
        before in any_condition(),
        (chip, block, page) in any_place(),
        (rber_per_read, wear_power) in (0.0f64..1e-8, 0.0f64..3.0),
        (reads, more) in (0u32..5_000_000, 0u32..5_000_000),
        (little_c, more_c, is_hotter) in (0.0f32..60.0, 0.0f32..60.0, any::<bool>()),
    ) {
        let place: Place = cells.place(chip, block, page);
        let disturb = Disturb::new(&DisturbConstants { rber_per_read, wear_power });
        let after = |reads: u32| {
            let bits = disturb.bits(f64::from(before.stress), reads) as f32;
            errors(&cells, &cells.page(place, &Condition { residual_bits: before.residual_bits + bits, ..before }))
        };
        for (few, many) in after(reads).iter().zip(after(reads + more)) {
            prop_assert!(many * SLACK >= *few, "{reads} reads: {few} bits, then {many}");
        }
        let sign = if is_hotter { 1.0 } else { -1.0 };
        let apart = |degrees: f32| {
            let page = cells.page(place, &Condition { programmed_hotter_c: sign * degrees, ..before });
            [ReadAt::Entry(0), ReadAt::Steps(page.optimum_steps)].map(|at| cells.errors(&page, at, CutEffect::NONE))
        };
        for (few, many) in apart(little_c).iter().zip(apart(little_c + more_c)) {
            prop_assert!(many * SLACK + 0.05 >= *few, "{little_c} and {more_c} degrees: {few} bits, then {many}");
        }
    }

    #[test]
    fn shorter_phases_never_reduce_the_errors(
        cells in any_chip(),
        condition in any_condition(),
        (chip, block, page) in any_place(),
        (precharge, evaluation, discharge, deeper) in (0.0f64..0.6, 0.0f64..0.3, 0.0f64..0.3, 0.0f64..0.2),
    ) {
        let page = cells.page(cells.place(chip, block, page), &condition);
        let bits = |cut: TimingCut| cells.errors(&page, page.near_optimal(), cells.cut(cut));
        let cut = TimingCut { precharge, evaluation, discharge };
        for more in [
            TimingCut { precharge: precharge + deeper, ..cut },
            TimingCut { evaluation: evaluation + deeper, ..cut },
            TimingCut { discharge: discharge + deeper, ..cut },
        ] {
            prop_assert!(bits(more) >= bits(cut));
        }
    }

    #[test]
    fn a_merged_wordline_is_read_by_its_own_references(
        condition in any_condition(),
        (chip, block, page) in any_place(),
    ) {
        let cells = cells();
        let place = cells.place(chip, block, page);
        let bits = |sensed, states| {
            let page = cells.merged_page(place, &condition, MergedRead { sensed, states });
            cells.errors(&page, page.near_optimal(), CutEffect::NONE)
        };
        // With half the states twice as many cells are close to a reference, and a second reference adds errors.
        prop_assert!(bits(0b10_0000, 4) > bits(0b10_0000, 8));
        prop_assert!(bits(0b110_0000, 4) > bits(0b10_0000, 4));
        let whole: f32 = cells.errors(&cells.page(place, &condition), ReadAt::Steps(0.0), CutEffect::NONE);
        prop_assert!(whole > 0.0);
    }
}

#[test]
fn reading_in_the_cold_costs_what_the_paper_measured() {
    let cells = cells();
    let worst = |celsius| {
        let condition = condition(2000.0, 12.0, celsius);
        places(&cells, 1)
            .map(|place| cells.page(place, &condition))
            .map(|page| cells.errors(&page, page.near_optimal(), CutEffect::NONE))
            .fold(0.0, f32::max)
    };
    let more = worst(30.0) - worst(85.0);
    assert!((more - 5.0).abs() < 1.0, "{more} (seed {SEED})");
}
