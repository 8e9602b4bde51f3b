//! Retention time: the age at which the raw bit error rate reaches its limit.

use super::constants::{ProgramConstants, ReadVoltages};
use super::model::{CellCondition, Model, fixed_reads};

/// Upper bound of the retention time, over the anchor age.
const HORIZON: f64 = 10.0;
/// Bisection steps: they narrow the range to a billionth.
const HALVINGS: u32 = 30;

/// The limit of the error rate: that of the nominal speed at the anchor age and the rated cycles. OFWAR compares speeds
/// "at equal raw error rate" and names no code.
pub(super) fn limit(model: &Model<'_>) -> f64 {
    let nominal = model.disturbed(1.0);
    let reads = fixed_reads(model, &nominal, &nominal);
    CellCondition::new(model, &nominal, reads, model.constants.rated_cycles).rber(model, 1.0)
}

/// Days until a condition's error rate reaches the limit: 0 if it is there at once, at most ten times the anchor age.
pub(super) fn days(model: &Model<'_>, condition: &CellCondition, limit: f64) -> f64 {
    let horizon = HORIZON * model.constants.anchor_days;
    let (mut low, mut high) = (0.0, model.constants.reached(horizon));
    if condition.rber(model, low) > limit {
        return 0.0;
    }
    if condition.rber(model, high) <= limit {
        return horizon;
    }
    for _ in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        if condition.rber(model, middle) > limit {
            high = middle;
        } else {
            low = middle;
        }
    }
    model.constants.age_days(low)
}

/// Days of retention at the rated cycles, for data written with a step of `factor` times the nominal one.
pub(super) fn days_at(model: &Model<'_>, factor: f64, limit: f64) -> f64 {
    days_by_cycles(model, factor, limit, &[model.constants.rated_cycles])[0]
}

/// The same for each of these P/E cycles.
pub(super) fn days_by_cycles(model: &Model<'_>, factor: f64, limit: f64, cycles: &[f64]) -> Vec<f64> {
    let nominal = model.disturbed(1.0);
    let disturbed = model.disturbed(factor);
    let reads = fixed_reads(model, &disturbed, &nominal);
    let condition = |&cycles: &f64| CellCondition::new(model, &disturbed, reads.clone(), cycles);
    cycles.iter().map(|cycles| days(model, &condition(cycles), limit)).collect()
}

/// Retention at twice the nominal step, with one parameter changed.
#[derive(Clone, Debug, PartialEq)]
pub struct Sensitivity {
    /// The parameter's name in a chip's file; `rber_limit` for the limit.
    pub parameter: &'static str,
    /// Its value.
    pub value: f64,
    /// Its value as text, if it is not a number.
    pub word: Option<&'static str>,
    /// The limit of the raw bit error rate.
    pub rber_limit: f64,
    /// Days of retention.
    pub days: f64,
}

type Setter = fn(&mut ProgramConstants, f64);

/// The parameters that OFWAR leaves open, and values to try.
const OPEN: [(&str, &[f64], Setter); 9] = [
    ("onset_hours", &[0.1, 0.5, 1.0, 2.4, 4.0, 24.0], |c, v| c.onset_hours = v),
    ("rated_cycles", &[1000.0, 2000.0, 3000.0, 4000.0, 5000.0, 10_000.0], |c, v| c.rated_cycles = v),
    ("dvpp_v", &[0.2, 0.25, 0.28, 0.3, 0.32, 0.35], |c, v| c.dvpp_v = v),
    ("post_compensation", &[0.0, 0.25, 0.5, 0.75, 1.0], |c, v| c.post_compensation = v),
    ("erased_mean_v", &[1.0, 1.1, 1.2, 1.3, 1.4], |c, v| c.erased_mean_v = v),
    ("erased_sigma_v", &[0.25, 0.3, 0.35, 0.4], |c, v| c.erased_sigma_v = v),
    ("verify_v (distance between states)", &[0.7, 0.75, 0.8, 0.85, 0.9], |c, v| {
        let lowest = c.verify_v[0];
        c.verify_v.iter_mut().enumerate().for_each(|(state, verify)| *verify = lowest + v * state as f64);
    }),
    ("verify_v (all shifted by)", &[-0.2, -0.1, 0.0, 0.1, 0.2], |c, v| {
        c.verify_v.iter_mut().for_each(|verify| *verify += v);
    }),
    ("retention_spread", &[0.1, 0.2, 0.3, 0.4], |c, v| c.retention_spread = v),
];
const WAYS: [(ReadVoltages, &str); 3] =
    [(ReadVoltages::Fixed, "fixed"), (ReadVoltages::Nominal, "nominal"), (ReadVoltages::Tracked, "tracked")];
const LIMITS: [f64; 5] = [1e-3, 2e-3, 3e-3, 5e-3, 1e-2];

/// Days of retention at twice the nominal step, as a function of each parameter that OFWAR leaves open, one at a time.
#[must_use]
pub fn sensitivity(constants: &ProgramConstants) -> Vec<Sensitivity> {
    let row = |parameter, value, word, constants: &ProgramConstants, rber_limit: Option<f64>| {
        let model = Model::new(constants);
        let rber_limit = rber_limit.unwrap_or_else(|| limit(&model));
        Sensitivity { parameter, value, word, rber_limit, days: days_at(&model, 2.0, rber_limit) }
    };
    let mut rows = Vec::new();
    for (parameter, values, set) in OPEN {
        for &value in values {
            let mut changed = constants.clone();
            set(&mut changed, value);
            rows.push(row(parameter, value, None, &changed, None));
        }
    }
    for (index, (way, word)) in WAYS.into_iter().enumerate() {
        let changed = ProgramConstants { read_voltages: way, ..constants.clone() };
        rows.push(row("read_voltages", index as f64, Some(word), &changed, None));
    }
    for value in LIMITS {
        rows.push(row("rber_limit", value, None, constants, Some(value)));
    }
    rows
}
