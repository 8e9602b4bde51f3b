//! What holds for every block, age and scheme.

use proptest::prelude::*;
use wordline_core::nand::BlockId;
use wordline_core::nand::erase::{Erased, WornBlock};
use wordline_core::policy::erase::{
    MispredictPulse, NextPulse, PlaneProgress, PlaneView, Scheme, SchemeParams,
};

use super::chips::{Bench, REQUIREMENT_BITS};

fn bench() -> &'static (Bench, SchemeParams) {
    static BENCH: std::sync::OnceLock<(Bench, SchemeParams)> = std::sync::OnceLock::new();
    BENCH.get_or_init(|| {
        let bench = Bench::tlc_48l();
        let params = bench.params(REQUIREMENT_BITS);
        (bench, params)
    })
}

proptest! {
    #[test]
    fn an_erase_ends_and_leaves_what_its_scheme_accepts(
        age_pec in 0.0..9000.0_f64, hardness in 0.0..1.0_f64, pec in 0_u32..9000, note in 0_u8..6,
        rate in 0.0..1.0_f32, seed: u64, which in 0..Scheme::ALL.len(),
    ) {
        let (bench, params) = bench();
        let params = SchemeParams { mispredict_rate: rate, ..params.clone() };
        let scheme = Scheme::ALL[which];
        let (cells, note) = (&bench.cells, if which >= 4 { note.min(1) } else { note });
        let block = WornBlock { block: BlockId::new(1), hardness, pec, stress: age_pec, age_pec, note, undone_pulses: 0.0 };
        let erased = Erased::whole(cells, scheme, &params, seed, block);
        prop_assert!(erased.stress > cells.constants.program_share - 1e-6);
        prop_assert!(erased.pulses >= 1 && erased.pulses <= 42);
        prop_assert!(erased.verifies >= 1 && erased.level >= 1 && erased.level <= 5);
        let most = match scheme {
            Scheme::Aero => params.ept.delta,
            _ => params.pass_fail_bits,
        };
        prop_assert!(erased.fail_bits <= most, "{} left", erased.fail_bits);
        if scheme != Scheme::Dpes && scheme != Scheme::Aero {
            prop_assert!(erased.residual_bits == 0.0);
        }
        // A prediction may be wrong and cost a pulse each, but never makes an erase dearer than that.
        if which >= 4 && rate == 0.0 {
            let ispe = Erased::whole(cells, Scheme::Ispe, &params, seed, block);
            prop_assert!(erased.pulses <= ispe.pulses);
        }
    }

    #[test]
    fn pulses_only_bring_cells_further(
        required in 0.5..35.0_f32, levels in prop::collection::vec((1_u8..=5, 1_u8..=7, 0.0..0.1_f64), 1..12),
        draw in 0.0..1.0_f32,
    ) {
        let (bench, _) = bench();
        let cells = &bench.cells;
        let mut erase = wordline_cells::erase::BlockErase {
            required_pulses: required, draw, ..Default::default()
        };
        for (level, pulses, cut) in levels {
            let before = erase;
            cells.apply(&mut erase, level, pulses, cut);
            prop_assert!(erase.done_pulses >= before.done_pulses + f32::from(pulses) * 0.999);
            prop_assert!(erase.damage > before.damage);
            prop_assert!(cells.fail_bits(&erase) <= cells.fail_bits(&before));
            let is_erased = cells.fail_bits(&erase) <= cells.fail_bits.pass();
            prop_assert_eq!(is_erased, erase.done_pulses >= erase.required_pulses);
        }
    }

    #[test]
    fn age_never_makes_a_block_easier(
        age_pec in 0.0..8000.0_f64, more in 0.0..2000.0_f64, hardness in 0.0..1.0_f64, harder in 0.0..1.0_f64,
    ) {
        let cells = &bench().0.cells;
        let needs = cells.required_pulses(age_pec, hardness);
        prop_assert!(cells.required_pulses(age_pec + more, hardness) >= needs - 1e-9);
        prop_assert!((1.0..=35.0).contains(&needs));
        // A harder block needs more at the same age.
        let (low, high) = (hardness.min(harder), hardness.max(harder));
        prop_assert!(cells.required_pulses(age_pec, high) >= cells.required_pulses(age_pec, low));
    }

    #[test]
    fn residual_errors_follow_the_fail_bits(
        bits in 0_u32..40_000, more in 0_u32..5000, loops in 1_u8..=5, pulses in 1.0..35.0_f64,
    ) {
        let model = &bench().0.cells.residual;
        prop_assert!(model.errors(bits + more, loops, pulses) >= model.errors(bits, loops, pulses));
        prop_assert!(model.errors(bits, loops, pulses) >= 0.0);
    }

    #[test]
    fn a_policy_is_a_function_of_what_it_is_told(fail_bits in 0_u32..60_000, pec in 0_u32..6000, which in 0..Scheme::ALL.len()) {
        let (_, params) = bench();
        let view = PlaneView { fail_bits, pec, fell_short: false };
        let (first, _) = Scheme::ALL[which].step(params, PlaneProgress::new(0), &view);
        let again = Scheme::ALL[which].step(params, first, &view);
        prop_assert_eq!(again, Scheme::ALL[which].step(params, first, &view));
        if let (next, NextPulse::Pulse(order)) = again {
            prop_assert!(next.pulses == first.pulses + order.short_pulses && next.verifies == 2);
        }
    }
}

/// AERO, Section 7.4: a wrong prediction costs 0.5 ms. The block then is as after a right one, so the next erase takes as
/// long as it would have.
#[test]
fn a_wrong_prediction_costs_a_pulse_and_leaves_what_a_right_one_leaves() {
    let (bench, right) = bench();
    let wrong = SchemeParams { mispredict_rate: 1.0, ..right.clone() };
    let mut longer = wrong.clone();
    longer.keys.aero.mispredict_pulse = MispredictPulse::Longer;
    let mut predictions = 0;
    for scheme in [Scheme::Aero, Scheme::AeroCons] {
        for number in 0..500_u32 {
            let (pec, hardness) = (10 * number, f64::from(number % 50) / 50.0);
            let block = WornBlock {
                block: BlockId::new(number),
                hardness,
                pec,
                age_pec: f64::from(pec),
                ..WornBlock::default()
            };
            let erase = |params| Erased::whole(&bench.cells, scheme, params, 3, block);
            let [right, wrong, longer] = [right, &wrong, &longer].map(erase);
            let left =
                |erased: &Erased| (erased.residual_bits, erased.undone_pulses, erased.fail_bits, erased.note);
            assert_eq!((left(&wrong), left(&longer)), (left(&right), left(&right)), "{scheme:?} at {pec}");
            // A full pulse is no prediction, and every other erase has one.
            let more = wrong.pulses - right.pulses;
            assert!(more <= 1 && wrong.verifies == right.verifies + more, "{scheme:?} at {pec}: {more} more");
            assert_eq!((longer.pulses, longer.verifies), (wrong.pulses, right.verifies));
            assert!(wrong.stress >= right.stress && longer.stress >= right.stress);
            predictions += u32::from(more);
        }
    }
    assert!(predictions > 500, "{predictions} of 1000 erases had one");
}

#[test]
fn the_next_erase_makes_good_what_an_incomplete_one_left() {
    let (bench, params) = bench();
    let block = WornBlock { hardness: 0.4, ..WornBlock::default() };
    let aero = Erased::whole(&bench.cells, Scheme::Aero, params, 3, block);
    assert!(aero.residual_bits > 0.0);
    let next = WornBlock { stress: aero.stress, age_pec: aero.age_pec, note: aero.note, pec: 1, ..block };
    assert_eq!(Erased::whole(&bench.cells, Scheme::Ispe, params, 3, next).residual_bits, 0.0);
}
