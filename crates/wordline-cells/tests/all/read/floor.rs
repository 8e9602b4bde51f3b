//! Claims `pnar2.merr.*`, `aero.fig10.margin` and `aero.fig13.baseline`: errors that no voltage avoids.

use wordline_cells::read::Floor;

use super::population::{BLOCKS, PAGES, cells, constants, places};

/// Errors of every page of the population relative to the worst that there can be.
fn errors() -> Vec<f64> {
    let cells = cells();
    places(&cells, BLOCKS).map(|place| f64::from(cells.relative_errors(place))).collect()
}

fn largest(errors: &[f64]) -> f64 {
    errors.iter().copied().fold(0.0, f64::max)
}

/// Mean over the blocks of the worst page's.
fn largest_of_mean_block(errors: &[f64]) -> f64 {
    let blocks = errors.chunks(PAGES as usize).map(largest);
    blocks.sum::<f64>() / (errors.len() / PAGES as usize) as f64
}

#[test]
fn m_err_is_what_the_chips_had() {
    let floor = Floor::new(&constants().floor);
    let worst = largest(&errors());
    let m_err = |stress, months, celsius| floor.worst_bits(stress, months, celsius) * worst;
    for (id, value, bits) in [
        ("0k_3mo_85c", m_err(0.0, 3.0, 85.0), 15.0),
        ("1k_12mo_85c", m_err(1000.0, 12.0, 85.0), 30.0),
        ("2k_12mo_85c", m_err(2000.0, 12.0, 85.0), 35.0),
        ("2k_12mo_30c", m_err(2000.0, 12.0, 30.0), 40.0),
        ("temperature", m_err(2000.0, 12.0, 30.0) - m_err(2000.0, 12.0, 85.0), 5.0),
        ("temperature_55c", m_err(2000.0, 12.0, 55.0) - m_err(2000.0, 12.0, 85.0), 3.0),
    ] {
        assert!((value - bits).abs() <= 1.0, "pnar2.merr.{id}: {value}");
    }
}

#[test]
fn m_rber_leaves_the_margins_that_aero_found() {
    let floor = Floor::new(&constants().floor);
    let errors = errors();
    let margin = 63.0 - floor.worst_bits(0.0, 12.0, 85.0) * largest(&errors);
    assert!((margin - 47.0).abs() <= 2.0, "aero.fig10.margin: {margin}");
    let block = largest_of_mean_block(&errors);
    let passes = |cycles: &i32| floor.worst_bits(f64::from(*cycles), 12.0, 85.0) * block > 63.0;
    let lifetime = (0..10_000).find(passes).expect("an end");
    assert!((lifetime - 5300).abs() <= 100, "aero.fig13.baseline: {lifetime} cycles");
}

#[test]
fn errors_rise_with_stress_retention_and_cold() {
    let floor = Floor::new(&constants().floor);
    let step = |s: i32, t: i32, c: i32| floor.worst_bits(f64::from(s), f64::from(t), f64::from(c));
    for stress in (0..8000).step_by(250) {
        for months in 0..24 {
            assert!(step(stress + 250, months, 85) > step(stress, months, 85));
            assert!(step(stress, months + 1, 85) > step(stress, months, 85));
            assert!(step(stress, months, 30) > step(stress, months, 85));
        }
        // Convex beyond 2K cycles: wear-out.
        let slope = |s| step(s + 250, 12, 85) - step(s, 12, 85);
        assert!(stress < 2000 || slope(stress + 250) > slope(stress), "at {stress} cycles");
    }
    assert!(step(0, 0, 120) == step(0, 0, 85), "no fewer errors beyond the hottest measurement");
}
