//! The threshold-voltage picture: it must tell the same story as drift and errors.

use wordline_cells::read::{CODEWORD_BITS, States, Valley};

use super::population::{chip, constants};

fn states() -> States {
    States::new(&constants(), chip().cell)
}

#[test]
fn states_fall_and_widen_with_stress_and_retention() {
    let states = states();
    let fresh = states.voltages(0.0, 0.0, 85.0);
    let aged = states.voltages(2000.0, 12.0, 85.0);
    assert_eq!(fresh.len(), 8);
    for state in 1..8 {
        assert!(fresh[state].mean_volts > fresh[state - 1].mean_volts + 0.5);
        assert!(aged[state].mean_volts < fresh[state].mean_volts);
        assert!(aged[state].sigma_volts > fresh[state].sigma_volts);
        let fall = |s: usize| fresh[s].mean_volts - aged[s].mean_volts;
        assert!(fall(state) > fall(state - 1), "higher states lose more");
    }
}

#[test]
fn the_references_of_the_mean_step_lie_between_the_states() {
    let states = states();
    let steps = wordline_cells::read::Drift::new(&constants().drift).mean_steps(2000.0, 12.0);
    let aged = states.voltages(2000.0, 12.0, 85.0);
    for (i, reference) in states.references(steps).into_iter().enumerate() {
        let below = (reference - aged[i].mean_volts) / aged[i].sigma_volts;
        let above = (aged[i + 1].mean_volts - reference) / aged[i + 1].sigma_volts;
        assert!((below - above).abs() < 0.2, "reference {}: {below} and {above} deviations", i + 1);
    }
}

#[test]
fn errors_per_state_add_up_to_the_errors() {
    let states = states();
    let valley = Valley::new(&constants().valley, 3);
    let even = [0.125; 8];
    for page_type in 0..3 {
        let shares = states.reference_shares(page_type);
        assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        for (floor, behind) in [(5.0, 0.0), (20.0, 0.3), (35.0, 2.0), (10.0, -1.0)] {
            let misreads = states.misreads(page_type, floor, behind);
            let errors = states.errors_of_data(&misreads, &even);
            let expected = valley.errors(floor, behind);
            assert!((errors - expected).abs() < 1e-6 * expected, "{errors} for {expected}");
            let (lower, upper): (f64, f64) =
                misreads.iter().fold((0.0, 0.0), |(l, u), m| (l + m.lower, u + m.upper));
            assert!(behind == 0.0 || (behind > 0.0) == (lower > upper), "cells have lost charge");
        }
    }
}

#[test]
fn data_in_one_state_reads_with_other_errors_than_random_data() {
    let states = states();
    let misreads = states.misreads(1, 30.0, 1.0);
    let random = states.errors_of_data(&misreads, &[0.125; 8]);
    let mut differ = 0;
    for state in 0..8 {
        let mut one = [0.0; 8];
        one[state] = 1.0;
        let errors = states.errors_of_data(&misreads, &one);
        assert!((0.0..CODEWORD_BITS).contains(&errors));
        differ += u32::from((errors / random - 1.0).abs() > 0.3);
    }
    assert!(differ >= 6, "only {differ} states differ");
}
