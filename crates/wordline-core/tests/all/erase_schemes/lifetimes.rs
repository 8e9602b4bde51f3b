//! Claims `aero.fig13.*`, `aero.fig14.two_loops`, `aero.fig16.*`, `aero.fig17.*`, `aero.stress.*` and
//! `aero.mispe.rber`: what each scheme makes of a block's life.

use wordline_core::nand::erase::figures::{lifetimes, scheme_erases};
use wordline_core::nand::erase::{Lifetime, WearTable};
use wordline_core::policy::erase::{Scheme, SchemeParams};

use super::chips::{BLOCKS, Bench, REQUIREMENT_BITS, SEED};

fn all(bench: &Bench, params: &SchemeParams) -> Vec<(Scheme, Lifetime)> {
    lifetimes(&bench.cells, params, &bench.m_rber(), REQUIREMENT_BITS, BLOCKS, SEED)
}

fn of(lives: &[(Scheme, Lifetime)], scheme: Scheme) -> &Lifetime {
    &lives.iter().find(|(other, _)| *other == scheme).expect("compared").1
}

fn close(id: &str, value: f64, expected: f64, tolerance: f64) {
    println!("{id}: {value:.3}");
    assert!((value - expected).abs() <= tolerance, "{id}: {value}, expected {expected} +- {tolerance}");
}

#[test]
fn schemes_live_as_long_as_in_figure_13() {
    let bench = Bench::tlc_48l();
    let params = bench.params(REQUIREMENT_BITS);
    let lives = all(&bench, &params);
    let pec = |scheme| of(&lives, scheme).lifetime_pec;
    let baseline = pec(Scheme::Ispe);
    // Calibrated.
    close("aero.fig13.baseline", baseline, 5300.0, 100.0);
    close("aero.fig13.aero_cons", pec(Scheme::AeroCons), 6900.0, 300.0);
    close("aero.fig13.dpes", pec(Scheme::Dpes) / baseline, 1.26, 0.06);
    // Emergent.
    close("aero.fig13.aero", pec(Scheme::Aero), 7600.0, 300.0);
    // The paper has 0.75; what decides is how fast pulses ahead of the cells are, fitted to mean pulse times.
    close("aero.fig13.iispe", pec(Scheme::IIspe) / baseline, 0.82, 0.06);
    close("aero.fig13.over_dpes", pec(Scheme::Aero) / pec(Scheme::Dpes), 1.13, 0.06);
    let aero = of(&lives, Scheme::Aero);
    let bits = |pec| aero.at(pec).expect("it lives that long").m_rber_bits;
    close("aero.fig13.aero_fresh", bits(0), 46.0, 2.0);
    // The paper has 9.5. Here more of the rise comes after 6K cycles, with the pulses of the last loops.
    close("aero.fig13.aero_rise", bits(6000) - bits(0), 5.3, 1.0);
    close("aero.fig14.two_loops", aero.at(2500).expect("alive").within_two_loops, 0.92, 0.1);
}

/// The paper also has i-ISPE lowest at 1K cycles (`aero.fig13.iispe_lowest`). Here it is only as low as
/// ISPE there: three blocks in four (76.5 %, Fig. 4) still need one loop, which i-ISPE erases exactly as ISPE
/// does, while AERO without margin has spared them a fifth of their stress.
#[test]
fn i_ispe_is_no_worse_than_any_scheme_while_blocks_are_fresh_and_worst_later() {
    let bench = Bench::tlc_48l();
    let lives = all(&bench, &bench.params(REQUIREMENT_BITS));
    let bits = |scheme, pec| of(&lives, scheme).at(pec).expect("alive").m_rber_bits;
    for (scheme, _) in &lives {
        assert!(bits(Scheme::IIspe, 0) <= bits(*scheme, 0) + 1e-9, "{scheme:?} at 0");
        if *scheme != Scheme::IIspe {
            assert!(of(&lives, *scheme).lifetime_pec > of(&lives, Scheme::IIspe).lifetime_pec);
        }
    }
    assert!((bits(Scheme::IIspe, 1000) - bits(Scheme::Ispe, 1000)).abs() < 1.0);
    assert!(bits(Scheme::IIspe, 2500) > bits(Scheme::Ispe, 2500) + 1.0);
}

#[test]
fn mispredictions_cost_little() {
    let bench = Bench::tlc_48l();
    let mut params = bench.params(REQUIREMENT_BITS);
    params.mispredict_rate = 0.2;
    let life = |scheme| bench.life(scheme, &params, REQUIREMENT_BITS).lifetime_pec;
    let baseline = life(Scheme::Ispe);
    close("aero.fig16.mispredict", life(Scheme::Aero) / baseline - 1.0, 0.42, 0.06);
    close("aero.fig16.cons", life(Scheme::AeroCons) / baseline - 1.0, 0.29, 0.06);
}

#[test]
fn a_weaker_ecc_leaves_aero_less_to_gain() {
    let bench = Bench::tlc_48l();
    let gain = |bits: f64| {
        let params = bench.params(bits);
        let life = |scheme| bench.life(scheme, &params, bits).lifetime_pec;
        life(Scheme::Aero) / life(Scheme::AeroCons) - 1.0
    };
    let gains = [63.0, 50.0, 40.0].map(gain);
    println!("aero.fig17.weak_ecc: {gains:.3?} at 63, 50, 40 bits");
    assert!(gains[2] >= 0.0 && gains[0] > gains[1] && gains[1] > gains[2], "aero.fig17.weak_ecc: {gains:?}");
}

#[test]
fn programs_cause_a_fifth_of_the_stress() {
    let bench = Bench::tlc_48l();
    let params = bench.params(REQUIREMENT_BITS);
    for erases in scheme_erases(&bench.cells, Scheme::Ispe, &params, &[0, 1000, 3000, 5000], BLOCKS, SEED) {
        let cycle = erases.erases.iter().map(|erased| erased.stress).sum::<f64>() / f64::from(BLOCKS);
        close("stress of a cycle", cycle, 1.0, 0.02);
        close("aero.stress.erase_share", 1.0 - bench.cells.constants.program_share / cycle, 0.8, 0.02);
    }
}

/// ISPE split into 0.5-ms loops, all seven of each: what m-ISPE's ramps cost. (m-ISPE itself stops early and
/// costs less.)
#[test]
fn short_loops_hardly_raise_errors() {
    let bench = Bench::tlc_48l();
    let mean_bits = |short: u8| {
        let mut sum = 0.0;
        for block in 0..BLOCKS {
            let hardness = (f64::from(block) + 0.5) / f64::from(BLOCKS);
            let (mut stress, mut age_pec) = (0.0, 0.0);
            for _ in 0..100 {
                let mut erase = bench.cells.begin(age_pec, hardness, 0.5, 0.0);
                for level in 1..=bench.cells.loops(f64::from(erase.required_pulses)) {
                    for _ in 0..7 / short {
                        bench.cells.apply(&mut erase, level, short, 0.0);
                    }
                }
                let outcome = bench.cells.finish(&erase, 0);
                stress += 50.0 * f64::from(outcome.stress);
                age_pec += 50.0 * f64::from(outcome.age_pec);
            }
            sum += bench.floor.bits(block as usize, stress);
        }
        sum / f64::from(BLOCKS)
    };
    let rise = mean_bits(1) / mean_bits(7) - 1.0;
    println!("aero.mispe.rber: {rise:.4}");
    assert!(rise > 0.0 && rise <= 0.01, "aero.mispe.rber: {rise}");
}

#[test]
fn a_wear_table_says_what_cycling_says() {
    let bench = Bench::tlc_48l();
    let params = bench.params(REQUIREMENT_BITS);
    for &scheme in Scheme::ALL {
        let table = WearTable::new(&bench.cells, scheme, &params, 5000, SEED);
        let life = bench.life(scheme, &params, REQUIREMENT_BITS);
        for pec in [0, 500, 2500] {
            let mean = (0..BLOCKS)
                .map(|b| f64::from(table.after(pec, (f64::from(b) + 0.5) / f64::from(BLOCKS)).stress))
                .sum::<f64>()
                / f64::from(BLOCKS);
            let cycled = life.at(pec).expect("alive").stress;
            assert!((mean - cycled).abs() <= 0.02 * cycled, "{scheme:?} at {pec}: {mean} for {cycled}");
        }
        assert_eq!(table.after(0, 0.3).stress, 0.0);
        assert!(table.after(9000, 0.3) == table.after(5000, 0.3), "not beyond its end");
    }
}
