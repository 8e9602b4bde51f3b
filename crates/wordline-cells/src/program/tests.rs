//! The claim, the densities, and what must rise or fall.

use super::model::{Model, STEP_V};
use super::*;
use crate::Chip;
use crate::bench::program::{self as bench, VthStage};
use crate::program::retention::{days_at, limit};

const TEN_YEARS: f64 = 3652.5;

fn constants() -> ProgramConstants {
    Chip::built_in("mlc-ofwar").unwrap().unwrap().program.unwrap()
}

/// `ofwar.device.retention`: 10 years become 4 days, plus or minus one, if the step doubles and the time halves.
#[test]
fn doubling_the_step_turns_ten_years_into_four_days() {
    let cells = ProgramCells::new(&constants());
    assert!((cells.retention_days(1.0) / TEN_YEARS - 1.0).abs() < 1e-6, "{}", cells.retention_days(1.0));
    let days = cells.retention_days(2.0);
    assert!((days - 4.0).abs() <= 1.0, "{days} days");
    assert_eq!((cells.program_us(1.0), cells.program_us(2.0)), (600.0, 300.0));
    assert_eq!(cells.dvpp_factor(300.0), 2.0);
    let rber = cells.rber(days, 3000.0, 2.0);
    assert!((rber / cells.rber_limit() - 1.0).abs() < 0.02, "{rber} of {}", cells.rber_limit());
}

#[test]
fn a_finer_grid_gives_the_same_days() {
    let constants = constants();
    let days = |step| {
        let model = Model::with_step(&constants, step);
        days_at(&model, 2.0, limit(&model))
    };
    let (coarse, fine) = (days(STEP_V), days(0.5 * STEP_V));
    assert!((coarse / fine - 1.0).abs() < 0.02, "{coarse} {fine}");
}

#[test]
fn every_curve_has_the_area_of_one_and_retention_moves_states_down() {
    for (factor, cycles, age) in
        [(1.0, 0.0, 0.0), (1.0, 3000.0, TEN_YEARS), (2.0, 3000.0, 4.0), (2.5, 6000.0, 30.0)]
    {
        let vth = bench::vth(&constants(), factor, cycles, age);
        assert_eq!(vth.curves.len(), 12);
        for curve in &vth.curves {
            let step = curve.volts[1] - curve.volts[0];
            let area: f64 = curve.density.iter().sum::<f64>() * step;
            assert!((area - 1.0).abs() < 1e-4, "{area}");
        }
        let mean = |state: usize, stage: VthStage| -> f64 {
            let curve = vth.curves.iter().find(|c| c.state == state && c.stage == stage).unwrap();
            let step = curve.volts[1] - curve.volts[0];
            curve.volts.iter().zip(&curve.density).map(|(v, d)| v * d * step).sum()
        };
        for state in 1..4 {
            let fell = mean(state, VthStage::Disturbed) - mean(state, VthStage::Retained);
            let loss = constants().retention_v(cycles) * constants().reached(age) * 0.38;
            let expected = loss * (mean(state, VthStage::Disturbed) - 1.4);
            assert!((fell - expected).abs() < 2e-3, "{fell} {expected}");
        }
        assert!(vth.reads_v.windows(2).all(|w| w[0] < w[1]));
        assert!((0.0..0.5).contains(&vth.rber));
    }
}

#[test]
fn errors_rise_with_age_cycles_and_step_and_retention_falls() {
    let cells = ProgramCells::new(&constants());
    let ages = [0.0, 0.1, 1.0, 10.0, 100.0, 1000.0, TEN_YEARS];
    for factor in [1.0, 1.5, 2.0] {
        for cycles in [500.0, 1500.0, 3000.0, 4500.0] {
            let rber: Vec<f64> = ages.iter().map(|&age| cells.rber(age, cycles, factor)).collect();
            // On a young block only the erased state's upper tail is wrong, and it moves away from its read voltage.
            let young = cycles < 2000.0;
            assert!(young || rber.windows(2).all(|w| w[0] <= w[1]), "{factor} {cycles}: {rber:?}");
            assert!(!young || rber.iter().all(|r| r / rber[0] > 0.7), "{factor} {cycles}: {rber:?}");
            assert!(
                cycles < 1000.0
                    || cells.rber(10.0, cycles + 500.0, factor) > cells.rber(10.0, cycles, factor)
            );
            assert!(
                cycles < 1000.0 || cells.rber(10.0, cycles, factor + 0.1) > cells.rber(10.0, cycles, factor)
            );
        }
    }
    let days: Vec<f64> = bench::retention(&cells, 3.0, 41).iter().map(|p| p.days).collect();
    assert!(days.windows(2).all(|w| w[0] > w[1] || w[1] == 0.0), "{days:?}");
    assert_eq!(cells.retention_days(9.0), cells.retention_days(3.0));
}

#[test]
fn tables_agree_with_the_model() {
    let constants = constants();
    let cells = ProgramCells::new(&constants);
    let (factors, cycles, ages) =
        ([1.0, 1.35, 2.0, 2.2], [700.0, 2600.0, 3000.0], [0.5, 4.0, 300.0, TEN_YEARS]);
    for point in bench::rber(&constants, &factors, &cycles, &ages) {
        let table = cells.rber(point.age_days, point.cycles, point.dvpp_factor);
        assert!((table / point.rber - 1.0).abs() < 0.1, "{table} for {point:?}");
    }
    let model = Model::new(&constants);
    for factor in [1.06, 1.31, 1.69, 1.95] {
        let exact = days_at(&model, factor, cells.rber_limit());
        let table = cells.retention_days(factor);
        assert!((table / exact - 1.0).abs() < 0.1, "{factor}: {table} {exact}");
    }
}

/// Every parameter that the paper leaves open is varied, and its calibrated value is among the rows.
#[test]
fn the_sensitivity_table_has_the_calibrated_value_of_each_parameter() {
    let cells = ProgramCells::new(&constants());
    let rows = sensitivity(&constants());
    let near = |row: &&Sensitivity| (row.days / cells.retention_days(2.0) - 1.0).abs() < 1e-6;
    let parameters =
        ["onset_hours", "rated_cycles", "dvpp_v", "erased_mean_v", "post_compensation", "read_voltages"];
    for parameter in parameters {
        let mut of = rows.iter().filter(|r| r.parameter == parameter);
        assert!(of.clone().count() >= 3 && of.any(|r| near(&r)), "{parameter}");
    }
    // A later onset moves more of the shift into the last years, so early ages last longer.
    let onset: Vec<f64> = rows.iter().filter(|r| r.parameter == "onset_hours").map(|r| r.days).collect();
    assert!(onset.windows(2).all(|w| w[0] < w[1]), "{onset:?}");
}

#[test]
fn a_wrong_constant_names_its_line_and_range() {
    let good = include_str!("../../../../presets/chips/mlc-ofwar.toml");
    for (from, to, said) in [
        ("coupling_bound = 0.1 ", "coupling_bound = 1.5 ", "0 to 1"),
        ("dvpp_v = 0.3 ", "dvpp_v = 0.0 ", "more than 0"),
        ("[2.7, 3.5, 4.3]", "[2.7, 3.5]", "1, 3, 7 or 15"),
        ("[2.7, 3.5, 4.3]", "[2.7, 3.5, 3.5]", "do not rise"),
        ("read_voltages = \"fixed\"", "read_voltages = \"best\"", "tracked"),
        ("dvpp_v", "dvp_v", "dvp_v"),
    ] {
        let key = from.split(' ').next().unwrap();
        let text = good.replace(from, to);
        assert_ne!(text, good, "{key}");
        let line = 1 + good.lines().position(|l| l.contains(from)).unwrap();
        let error = Chip::parse("mine.toml", &text).unwrap_err();
        assert_eq!(error.line, line, "{error}");
        assert!(error.message.contains(said), "{error}");
    }
}
