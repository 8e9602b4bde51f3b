//! The cost of one larger program step, computed for that step only, in a few milliseconds.

use super::constants::ProgramConstants;
use super::model::{CellCondition, Model, fixed_reads};
use super::retention::{days_at, days_by_cycles, limit};

/// Days of retention at the rated cycles for data written with a step of `dvpp_factor` times the nominal one. It ends
/// when their error rate equals that of the nominal step at the anchor age.
#[must_use]
pub fn retention_days(constants: &ProgramConstants, dvpp_factor: f64) -> f64 {
    let model = Model::new(constants);
    days_at(&model, dvpp_factor, limit(&model))
}

/// Days of retention after each of these P/E cycles, until the same error rate. Worn blocks have fewer days; 0 means that
/// new data already have this error rate.
#[must_use]
pub fn retention_days_by_cycles(constants: &ProgramConstants, dvpp_factor: f64, cycles: &[f64]) -> Vec<f64> {
    let model = Model::new(constants);
    days_by_cycles(&model, dvpp_factor, limit(&model), cycles)
}

/// Raw bit error rate by P/E cycles of freshly written data, with a step of `dvpp_factor` times the nominal one.
#[must_use]
pub fn written_rber(constants: &ProgramConstants, dvpp_factor: f64, cycles: &[f64]) -> Vec<f64> {
    let model = Model::new(constants);
    let disturbed = model.disturbed(dvpp_factor);
    let reads = fixed_reads(&model, &disturbed, &model.disturbed(1.0));
    let rber =
        |&cycles: &f64| CellCondition::new(&model, &disturbed, reads.clone(), cycles).rber(&model, 0.0);
    cycles.iter().map(rber).collect()
}
