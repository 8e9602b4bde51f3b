//! The number of retry steps is the first step whose errors fit the ECC, and nothing else.

use wordline_cells::read::{CutEffect, ReadAt};

use super::population::{ALL_BLOCKS, BLOCKS, CAPABILITY, cells, condition, places};

/// Operating conditions: cycles and months.
const CONDITIONS: [(f32, f32); 7] =
    [(0.0, 0.0), (0.0, 3.0), (0.0, 12.0), (1000.0, 3.0), (2000.0, 0.0), (2000.0, 12.0), (5000.0, 12.0)];

#[test]
fn one_entry_beside_the_best_is_beyond_the_ecc_and_the_best_is_inside_on_every_page() {
    let cells = cells();
    for (stress, months) in CONDITIONS {
        for temperature in [30.0, 85.0] {
            // Beyond the 2,000 cycles that PR2/AR2 tested, the worst pages pass 72 bits in the cold.
            if stress > 2000.0 && temperature < 85.0 {
                continue;
            }
            let condition = condition(stress, months, temperature);
            for place in places(&cells, BLOCKS) {
                let page = cells.page(place, &condition);
                let best = page.step();
                if best == 0 {
                    continue;
                }
                let at = |step: u8| cells.errors(&page, ReadAt::Entry(step), CutEffect::NONE);
                assert!(at(best) <= CAPABILITY, "{place:?}: {} bits at its best step", at(best));
                assert!(at(best + 1) > CAPABILITY, "{place:?}: {} bits a step behind", at(best + 1));
                // Entry 0 is the default voltages, at any distance.
                assert!(
                    best == 1 || at(best - 1) > CAPABILITY,
                    "{place:?}: {} bits a step before",
                    at(best - 1)
                );
            }
        }
    }
}

#[test]
fn pages_need_as_many_steps_as_their_voltages_have_drifted() {
    let cells = cells();
    let condition = condition(2000.0, 12.0, 30.0);
    let (mut sum, mut pages) = (0.0, 0.0);
    for place in places(&cells, 1) {
        let page = cells.page(place, &condition);
        let steps = cells.retry_steps(&page, CAPABILITY, CutEffect::NONE).expect("some step fits");
        assert_eq!(steps, page.step());
        sum += f64::from(steps);
        pages += 1.0;
    }
    let slowdown = 1.0 + sum / pages;
    // Every step of a regular retry takes as long as the read itself (PR2/AR2, Eq. 3).
    assert!((slowdown - 21.0).abs() <= 0.5, "pnar2.retry.2k_12mo.slowdown: {slowdown}");
}

#[test]
fn errors_fall_towards_the_best_step() {
    let cells = cells();
    for (stress, months) in CONDITIONS {
        let condition = condition(stress, months, 55.0);
        for place in places(&cells, 1).step_by(101) {
            let page = cells.page(place, &condition);
            let at = |distance: i32| {
                cells.errors(
                    &page,
                    ReadAt::Steps(page.optimum_steps + distance as f32 / 16.0),
                    CutEffect::NONE,
                )
            };
            for distance in 0..16 * 40 {
                assert!(at(distance + 1) >= at(distance) && at(-distance - 1) >= at(-distance));
                assert!(at(distance) >= page.floor_bits && at(distance) < 8192.0);
            }
        }
    }
}

#[test]
fn claims_hold_over_as_many_pages_as_the_paper_tested() {
    let cells = cells();
    let fold = |stress, months, temperature| {
        let condition = condition(stress, months, temperature);
        let (mut least, mut most, mut errors) = (u8::MAX, 0, 0.0f32);
        for place in places(&cells, ALL_BLOCKS) {
            let page = cells.page(place, &condition);
            least = least.min(page.step());
            most = most.max(page.step());
            errors = errors.max(cells.errors(&page, page.near_optimal(), CutEffect::NONE));
        }
        (least, most, errors)
    };
    assert_eq!(fold(0.0, 0.0, 85.0).1, 0, "pnar2.retry.fresh");
    let (least, _, errors) = fold(0.0, 3.0, 85.0);
    assert!(least >= 4, "pnar2.retry.0k_3mo.min: {least}");
    assert!((errors - 15.0).abs() <= 1.0, "pnar2.merr.0k_3mo_85c: {errors}");
    assert!(fold(1000.0, 3.0, 85.0).0 >= 8, "pnar2.retry.1k_3mo.min");
    let errors = fold(1000.0, 12.0, 85.0).2;
    assert!((errors - 30.0).abs() <= 1.0, "pnar2.merr.1k_12mo_85c: {errors}");
    let hot = fold(2000.0, 12.0, 85.0).2;
    assert!((hot - 35.0).abs() <= 1.0, "pnar2.merr.2k_12mo_85c: {hot}");
    let cold = fold(2000.0, 12.0, 30.0).2;
    assert!((cold - 40.0).abs() <= 1.0, "pnar2.merr.2k_12mo_30c: {cold}");
}

#[test]
fn tables_follow_the_formulas() {
    use wordline_cells::read::{Drift, Floor, References, Valley};

    use super::population::{chip, constants};
    let (cells, constants) = (cells(), constants());
    let (drift, floor) = (Drift::new(&constants.drift), Floor::new(&constants.floor));
    let (valley, references) =
        (Valley::new(&constants.valley, chip().cell.bits()), References::new(&constants));
    let shares = &constants.floor.shares;
    let better = 0.5 * (shares.chip + shares.block + shares.layer) + 2.0 / 3.0 * shares.page;
    let mean_page = (1.0 - better) * references.mean_floor();
    for place in places(&cells, 1).step_by(997) {
        let (spread, weights) = (cells.spreads().of(place), references.of_type(place.page_type));
        for (stress, months) in [(0.0, 0.3), (333.0, 1.7), (1234.5, 8.9), (2987.0, 0.01), (6543.2, 17.0)] {
            let page = cells.page(place, &condition(stress, months, 40.0));
            let (s, t) = (f64::from(stress), f64::from(months));
            let steps = drift.mean_steps(s, t) * f64::from(spread.drift);
            assert!((f64::from(page.optimum_steps) - steps).abs() < 0.01, "{steps} steps");
            let bits = floor.worst_bits(s, t, 40.0) * f64::from(spread.errors * weights.floor);
            assert!((f64::from(page.floor_bits) - bits).abs() < 0.02, "{bits} bits");
            // Errors grow as in the fresh mean page, faster in wider states. Cold does not widen states.
            let fresh = constants.floor.fresh_bits;
            let (mean_bits, wider) = (fresh * mean_page, (floor.worst_bits(s, t, 85.0) / fresh).sqrt());
            for distance in [0.0, 0.1, 0.4, 1.0, 2.5, 4.0, 11.0] {
                let climb = wider * (valley.errors(mean_bits, distance) - mean_bits);
                let exact = bits + f64::from(weights.climb) * climb;
                let position = ReadAt::Steps(page.optimum_steps + distance as f32);
                let table = f64::from(cells.errors(&page, position, CutEffect::NONE));
                assert!((table - exact).abs() < 0.2 + 0.003 * exact, "{distance}: {table} for {exact}");
            }
        }
    }
}

#[test]
fn default_reads_come_near_the_limit_of_the_ecc_and_final_steps_do_not() {
    let cells = cells();
    let (mut near, mut all) = (0, 0);
    for months in [0.5f32, 0.55, 0.6, 0.65, 0.7, 0.75] {
        let condition = condition(0.0, months, 30.0);
        for place in places(&cells, 1) {
            let page = cells.page(place, &condition);
            let bits = cells.errors(&page, ReadAt::Entry(0), CutEffect::NONE);
            all += 1;
            near += u32::from((bits / CAPABILITY - 1.0).abs() < 0.2);
            // PR2/AR2, Fig. 7: no more than 40 of 72.
            assert!(cells.errors(&page, page.near_optimal(), CutEffect::NONE) < 40.0);
        }
    }
    assert!(near > all / 50, "{near} of {all} pages are near the limit");
}
