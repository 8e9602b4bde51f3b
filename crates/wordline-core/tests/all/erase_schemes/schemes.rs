//! The policies step by step, on blocks whose need is given; claim `aero.erase.formula`.

use wordline_cells::erase::{BlockErase, EraseCells};
use wordline_core::policy::erase::{
    EraseKeys, NextPulse, PlaneProgress, PlaneView, PulseKind, Scheme, SchemeParams, ShallowFlag,
};

use super::chips::{Bench, REQUIREMENT_BITS};

const PULSE_NS: u64 = 500_000;
const VERIFY_NS: u64 = 100_000;

/// What happened in one erase.
struct Log {
    /// Level and short pulses of each pulse.
    pulses: Vec<(u8, u8)>,
    time_ns: u64,
    note: u8,
    left: u32,
    damage: f32,
    cuts: Vec<f64>,
    features: u8,
}

fn erase(
    bench: &Bench,
    scheme: Scheme,
    params: &SchemeParams,
    needs: f32,
    start: PlaneProgress,
    pec: u32,
) -> Log {
    erase_with(&bench.cells, scheme, params, needs, start, PlaneView { pec, ..PlaneView::default() }, false)
}

fn erase_with(
    cells: &EraseCells,
    scheme: Scheme,
    params: &SchemeParams,
    needs: f32,
    mut progress: PlaneProgress,
    mut view: PlaneView,
    mispredicts: bool,
) -> Log {
    let mut state = BlockErase { required_pulses: needs, ..BlockErase::default() };
    let mut log =
        Log { pulses: vec![], time_ns: 0, note: 0, left: 0, damage: 0.0, cuts: vec![], features: 0 };
    loop {
        view.fell_short = mispredicts && progress.stage == PulseKind::Predicted;
        if view.fell_short {
            state.fall_short();
            view.fail_bits = cells.fail_bits(&state);
        }
        let (next, step) = scheme.step(params, progress, &view);
        progress = next;
        let NextPulse::Pulse(order) = step else { break };
        cells.apply(&mut state, order.level, order.short_pulses, order.voltage_cut);
        log.pulses.push((order.level, order.short_pulses));
        log.cuts.push(order.voltage_cut);
        log.features += order.features;
        log.time_ns += u64::from(order.short_pulses) * PULSE_NS + VERIFY_NS;
        view.fail_bits = cells.fail_bits(&state);
        assert!(log.pulses.len() < 80, "{scheme:?} does not end");
    }
    assert_eq!(log.time_ns, progress.time_ns(PULSE_NS, VERIFY_NS), "the sum of its steps");
    Log { note: progress.note, left: view.fail_bits, damage: state.damage, ..log }
}

const FRESH: u8 = 0;

#[test]
fn ispe_takes_equation_1() {
    let bench = Bench::tlc_48l();
    let params = bench.params(REQUIREMENT_BITS);
    for (needs, loops) in [(3.4, 1), (7.0, 1), (7.1, 2), (14.0, 2), (20.9, 3), (28.0, 4), (35.0, 5)] {
        let log = erase(&bench, Scheme::Ispe, &params, needs, PlaneProgress::new(FRESH), 0);
        assert_eq!(log.time_ns, (3_500_000 + 100_000) * loops, "aero.erase.formula: {needs}");
        let levels: Vec<_> = log.pulses.iter().map(|&(level, _)| u64::from(level)).collect();
        assert_eq!(levels, (1..=loops).collect::<Vec<_>>());
        assert_eq!(log.features, 0);
    }
}

/// Eq. 2: (tEP + tVR) x N - delta tEP, where no shallow erasure is done and the last loop is not left out.
#[test]
fn aero_takes_equation_2() {
    let bench = Bench::tlc_48l();
    let params = bench.params(REQUIREMENT_BITS);
    for scheme in [Scheme::AeroCons, Scheme::Aero] {
        for (needs, loops) in [(10.5, 2_u64), (17.2, 3), (25.5, 4), (33.5, 5)] {
            let log = erase(&bench, scheme, &params, needs, PlaneProgress::new(1), 0);
            assert_eq!(log.pulses.len() as u64, loops, "{scheme:?} {needs} {:?}", log.pulses);
            let saved = 7 - u64::from(log.pulses[loops as usize - 1].1);
            assert_eq!(log.time_ns, 3_600_000 * loops - saved * PULSE_NS, "aero.erase.formula");
            assert!(saved >= 1 && log.pulses[..loops as usize - 1].iter().all(|&(_, n)| n == 7));
        }
    }
}

#[test]
fn m_ispe_raises_the_voltage_every_seven_pulses() {
    let bench = Bench::tlc_48l();
    let params = bench.params(REQUIREMENT_BITS);
    let log = erase(&bench, Scheme::MIspe, &params, 15.5, PlaneProgress::new(FRESH), 0);
    assert_eq!(log.pulses.len(), 16);
    assert!(log.pulses.iter().enumerate().all(|(n, &pulse)| pulse == (1 + n as u8 / 7, 1)));
}

#[test]
fn aero_erases_a_fresh_block_in_two_steps() {
    let bench = Bench::tlc_48l();
    let params = bench.params(REQUIREMENT_BITS);
    let run = |scheme, needs, note| erase(&bench, scheme, &params, needs, PlaneProgress::new(note), 0);
    // 4.9 pulses: 2.9 to go after shallow erasure, in the range up to 2 delta; 1.5 ms, or 0.5 with margin.
    let cons = run(Scheme::AeroCons, 4.9, FRESH);
    assert_eq!((cons.pulses.as_slice(), cons.note), ([(1, 2), (1, 3)].as_slice(), 0));
    assert!(cons.left <= params.pass_fail_bits);
    let aero = run(Scheme::Aero, 4.9, FRESH);
    assert_eq!((aero.pulses.as_slice(), aero.note), ([(1, 2), (1, 1)].as_slice(), 0));
    assert!(aero.left > params.pass_fail_bits && aero.left <= params.ept.delta);
    // Shallow erasure alone will do where ECC bears the rest.
    assert_eq!(run(Scheme::Aero, 3.8, FRESH).pulses, [(1, 2)]);
    // The remainder is as long as the rest of tEP: no shallow erasure next time (SEF, Section 6).
    let slow = run(Scheme::AeroCons, 6.9, FRESH);
    assert_eq!((slow.pulses.as_slice(), slow.note), ([(1, 2), (1, 5)].as_slice(), 1));
    assert_eq!(run(Scheme::AeroCons, 6.9, 1).pulses, [(1, 7)]);
    // Two feature commands a pulse: tEP before, fail bits after.
    assert_eq!(slow.features, 4);
}

/// Section 6 keeps the flag; the authors' simulator has none, and cuts every erase into 1 and 2.5 ms.
#[test]
fn the_shallow_flag_is_kept_or_there_is_none() {
    let bench = Bench::tlc_48l();
    for scheme in [Scheme::Aero, Scheme::AeroCons] {
        for (flag, note, second) in
            [(ShallowFlag::Sticky, 1, [(1, 7)].as_slice()), (ShallowFlag::None, 0, &[(1, 2), (1, 5)])]
        {
            let mut keys = EraseKeys::default();
            keys.aero.shallow_flag = flag;
            let params = bench.params(REQUIREMENT_BITS).with_keys(keys);
            let first = erase(&bench, scheme, &params, 13.9, PlaneProgress::new(FRESH), 0);
            assert_eq!((&first.pulses[..2], first.note), ([(1, 2), (1, 5)].as_slice(), note), "{flag:?}");
            let again = erase(&bench, scheme, &params, 13.9, PlaneProgress::new(first.note), 0);
            assert_eq!((&again.pulses[..second.len()], again.note), (second, note), "{flag:?}");
        }
    }
}

#[test]
fn aero_leaves_the_last_loop_out_under_c1_and_c2() {
    let bench = Bench::tlc_48l();
    let params = bench.params(REQUIREMENT_BITS);
    let loops = |scheme, needs| erase(&bench, scheme, &params, needs, PlaneProgress::new(1), 0).pulses.len();
    for (needs, aero, cons) in [(8.5, 1, 2), (15.9, 2, 3), (21.5, 3, 4), (22.5, 4, 4), (28.5, 5, 5)] {
        assert_eq!(loops(Scheme::Aero, needs), aero, "{needs}");
        assert_eq!(loops(Scheme::AeroCons, needs), cons, "{needs}");
    }
}

#[test]
fn a_misprediction_adds_half_a_millisecond_at_the_right_voltage() {
    let bench = Bench::tlc_48l();
    let params = bench.params(REQUIREMENT_BITS);
    let run = |needs, wrong, note| {
        let start = PlaneProgress::new(note);
        erase_with(&bench.cells, Scheme::AeroCons, &params, needs, start, PlaneView::default(), wrong).pulses
    };
    assert_eq!(run(10.9, false, 1), [(1, 7), (2, 4)]);
    assert_eq!(run(10.9, true, 1), [(1, 7), (2, 4), (2, 1)], "same voltage: 2.5 ms so far are below tEP");
    assert_eq!(run(13.9, true, 1), [(1, 7), (2, 7)], "a full pulse is no prediction");
    assert_eq!(run(4.9, true, 0), [(1, 2), (1, 3), (1, 1)]);
}

#[test]
fn a_block_that_needs_more_than_predicted_is_erased_all_the_same() {
    let bench = Bench::tlc_48l();
    let mut params = bench.params(REQUIREMENT_BITS);
    // A table that promises too much.
    params.ept.complete = [[1; 8]; 7];
    let log = erase(&bench, Scheme::AeroCons, &params, 13.2, PlaneProgress::new(1), 0);
    assert_eq!(log.pulses, [(1, 7), (2, 1), (2, 1), (2, 1), (2, 1), (2, 1), (2, 1), (2, 1)]);
    assert!(log.left <= params.pass_fail_bits);
    let beyond = erase(&bench, Scheme::AeroCons, &params, 14.9, PlaneProgress::new(1), 0);
    assert_eq!(beyond.pulses[8], (3, 1), "tEP is used up: the next voltage");
}

#[test]
fn i_ispe_begins_where_it_ended_and_pays_for_it() {
    let bench = Bench::tlc_48l();
    let params = bench.params(REQUIREMENT_BITS);
    let run = |needs, note| erase(&bench, Scheme::IIspe, &params, needs, PlaneProgress::new(note), 0);
    assert_eq!(run(12.5, 0).pulses, [(1, 7), (2, 7)]);
    assert_eq!(run(12.5, 0).note, 2);
    // An easy block of two loops: one will do. A hard one: the next voltage, which has not erased it by itself, so the
    // next erase begins as this one. One that takes three loops begins later next time.
    assert_eq!(run(8.0, 2).pulses, [(2, 7)]);
    assert_eq!((run(13.9, 2).pulses.as_slice(), run(13.9, 2).note), ([(2, 7), (3, 7)].as_slice(), 2));
    let harder = run(24.0, 2);
    assert_eq!((harder.pulses.as_slice(), harder.note), ([(2, 7), (3, 7), (4, 7)].as_slice(), 3));
    // Where the late loop is enough it spares a block those that it leaves out; where it fails, and another follows, it
    // costs more than they do (Section 3.3).
    let ratio = |loops: u8, to_spare: f32| {
        let needs = f32::from(loops) * 7.0 - to_spare;
        run(needs, loops).damage / run(needs, 0).damage
    };
    let (spared, failed) = ([2, 3, 4].map(|n| ratio(n, 6.0)), [2, 3, 4, 5].map(|n| ratio(n, 0.5)));
    assert!(spared.iter().all(|&ratio| ratio < 1.0), "{spared:?}");
    assert!(failed.iter().all(|&ratio| ratio > 1.0), "{failed:?}");
}

/// Its errors are fewer (`damage`), but its erases stay as long as ISPE's: so are the data of AERO's authors.
#[test]
fn a_lower_voltage_spares_a_block_errors_but_not_age() {
    let bench = Bench::tlc_48l();
    for (pec, hardness) in [(500.0, 0.3), (1500.0, 0.5), (2500.0, 0.9)] {
        let after = |cut| {
            let mut one = bench.cells.begin(pec, hardness, 0.5, 0.0);
            for level in 1..=bench.cells.loops(f64::from(one.required_pulses)) {
                bench.cells.apply(&mut one, level, 7, cut);
            }
            (one.done_pulses, bench.cells.finish(&one, 0))
        };
        let ((full_done, full), (low_done, low)) = (after(0.0), after(0.09));
        assert_eq!((full_done, full.age_pec), (low_done, low.age_pec), "{pec}");
        // All but the ramps of its pulses.
        assert!((full.age_pec - 1.0).abs() < 0.01, "{}", full.age_pec);
        assert!(low.stress < 0.8 * full.stress, "{} of {}", low.stress, full.stress);
    }
}

/// `undone_carried`: what an erase left out costs the next one more where one loop is enough.
#[test]
fn omitted_pulses_come_back_by_the_loops_that_a_block_needs() {
    let bench = Bench::tlc_48l();
    let [one_loop, more] = bench.cells.constants.undone_carried;
    let carried = |pec| f64::from(bench.cells.begin(pec, 0.5, 0.5, 2.0).carried_pulses);
    assert!((carried(0.0) - 2.0 * one_loop).abs() < 1e-5);
    assert!((carried(3500.0) - 2.0 * more).abs() < 1e-5);
    let between = carried(1500.0);
    assert!(2.0 * more < between && between < 2.0 * one_loop, "{between}");
}

#[test]
fn dpes_lowers_the_voltage_of_young_blocks() {
    let bench = Bench::tlc_48l();
    let params = bench.params(REQUIREMENT_BITS);
    let run = |pec| erase(&bench, Scheme::Dpes, &params, 12.0, PlaneProgress::new(0), pec);
    assert_eq!(run(2999).cuts, [0.09, 0.09]);
    assert_eq!(run(3000).cuts, [0.0, 0.0]);
    assert_eq!(run(2999).time_ns, run(3000).time_ns);
    assert!(run(2999).damage < 0.6 * run(3000).damage);
    for (pec, stretch) in [(500, 1.1), (1500, 1.2), (2500, 1.3), (3000, 1.0), (4500, 1.0)] {
        assert!((Scheme::Dpes.program_stretch(&params, pec) - stretch).abs() < 1e-9, "{pec}");
        assert_eq!(Scheme::Aero.program_stretch(&params, pec), 1.0);
    }
    assert!(Scheme::Dpes.window_bits(&params, 0) > 0.0 && Scheme::Dpes.window_bits(&params, 3000) == 0.0);
}
