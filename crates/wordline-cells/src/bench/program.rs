//! The program side: V_TH distributions, raw bit error rate over time and cycles, retention against dVpp
//! (OFWAR, Section 4.1).

use crate::program::{CellCondition, Density, Model, ProgramCells, ProgramConstants, fixed_reads};

/// The V_TH distributions of all states under one condition, and the read voltages between them.
#[derive(Clone, Debug, PartialEq)]
pub struct Vth {
    /// One curve for each state and stage.
    pub curves: Vec<VthCurve>,
    /// Read voltages between the states, lowest first, V.
    pub reads_v: Vec<f64>,
    /// Raw bit error rate.
    pub rber: f64,
}

/// A stage of the V_TH model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VthStage {
    /// As erased or programmed (Eq. 1 and 2).
    Written,
    /// With RTN and the interference that is not compensated (Eq. 3 to 7).
    Disturbed,
    /// After retention (Eq. 8).
    Retained,
}

impl VthStage {
    /// The name of the stage in tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            VthStage::Written => "written",
            VthStage::Disturbed => "disturbed",
            VthStage::Retained => "retained",
        }
    }
}

/// The V_TH distribution of one state.
#[derive(Clone, Debug, PartialEq)]
pub struct VthCurve {
    /// The state; 0 is the erased state.
    pub state: usize,
    /// The stage of the model.
    pub stage: VthStage,
    /// Voltages, V, equally spaced.
    pub volts: Vec<f64>,
    /// Probability density, 1/V; its integral is 1.
    pub density: Vec<f64>,
}

/// Returns the V_TH distributions before and after retention, of cells written with a step of `dvpp_factor` times the
/// nominal one. The block has `cycles` P/E cycles; the data are `age_days` old.
#[must_use]
pub fn vth(constants: &ProgramConstants, dvpp_factor: f64, cycles: f64, age_days: f64) -> Vth {
    let model = Model::new(constants);
    let disturbed = model.disturbed(dvpp_factor);
    let reads = fixed_reads(&model, &disturbed, &model.disturbed(1.0));
    let condition = CellCondition::new(&model, &disturbed, reads, cycles);
    let reached = constants.reached(age_days);
    let loss = model.loss(cycles, reached);
    let retained: Vec<Density> = condition.states.iter().map(|state| model.retained(state, loss)).collect();
    let stages = [
        (VthStage::Written, &model.written(dvpp_factor)),
        (VthStage::Disturbed, &condition.states),
        (VthStage::Retained, &retained),
    ];
    let curve = |stage: VthStage, (state, density): (usize, &Density)| VthCurve {
        state,
        stage,
        volts: density.points().map(|(v, _)| v).collect(),
        density: density.points().map(|(_, m)| m / density.step).collect(),
    };
    let curves = stages
        .iter()
        .flat_map(|(stage, states)| states.iter().enumerate().map(move |each| curve(*stage, each)))
        .collect();
    Vth { curves, reads_v: condition.reads(&model, reached), rber: condition.rber(&model, reached) }
}

/// One point of an error-rate curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RberPoint {
    /// Program step over the nominal one.
    pub dvpp_factor: f64,
    /// P/E cycles.
    pub cycles: f64,
    /// Age of the data, days.
    pub age_days: f64,
    /// Raw bit error rate.
    pub rber: f64,
}

/// Computes the raw bit error rate for each step, cycle count and age, without tables; the age varies fastest.
#[must_use]
pub fn rber(
    constants: &ProgramConstants,
    factors: &[f64],
    cycles: &[f64],
    ages_days: &[f64],
) -> Vec<RberPoint> {
    let model = Model::new(constants);
    let nominal = model.disturbed(1.0);
    let mut points = Vec::with_capacity(factors.len() * cycles.len() * ages_days.len());
    for &dvpp_factor in factors {
        let disturbed = model.disturbed(dvpp_factor);
        let reads = fixed_reads(&model, &disturbed, &nominal);
        for &cycles in cycles {
            let condition = CellCondition::new(&model, &disturbed, reads.clone(), cycles);
            points.extend(ages_days.iter().map(|&age_days| RberPoint {
                dvpp_factor,
                cycles,
                age_days,
                rber: condition.rber(&model, constants.reached(age_days)),
            }));
        }
    }
    points
}

/// The retention that is left at a program speed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RetentionPoint {
    /// Program step over the nominal one.
    pub dvpp_factor: f64,
    /// Program time, us.
    pub program_us: f64,
    /// Days until the error rate reaches its limit, at the rated cycles.
    pub days: f64,
}

/// Retention and program time from the nominal step to `factor_max` times it, in equal steps.
#[must_use]
pub fn retention(cells: &ProgramCells, factor_max: f64, points: usize) -> Vec<RetentionPoint> {
    let step = (factor_max - 1.0) / (points.max(2) - 1) as f64;
    let point = |i: usize| {
        let dvpp_factor = 1.0 + step * i as f64;
        RetentionPoint {
            dvpp_factor,
            program_us: cells.program_us(dvpp_factor),
            days: cells.retention_days(dvpp_factor),
        }
    };
    (0..points).map(point).collect()
}
