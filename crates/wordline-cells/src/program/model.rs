//! OFWAR's cell model (Section 4.1, Eq. 1-8), computed on a grid of voltages.
//!
//! A cell is erased (Eq. 1) or programmed to a state (Eq. 2), fluctuates by RTN (Eq. 3 and 6), is raised by the three
//! adjacent cells that are programmed after it (Eq. 4, 5 and 7), and loses charge (Eq. 8). Convolutions commute, and
//! interference does not depend on wear. So interference is computed once per program speed, and RTN once per cycle
//! count.

use super::constants::{ProgramConstants, ReadVoltages};
use super::density::Density;
use super::normal::{self, Normal};

/// Grid spacing, V. Half of it changes the days of retention by less than 2 % (a test).
pub(crate) const STEP_V: f64 = 0.005;
/// Tolerance of the search for read voltages, V.
const SEARCH_V: f64 = 1e-4;
/// Points that represent the bounded distribution of a coupling ratio.
const COUPLINGS: usize = 9;

/// The model of one kind of chip.
pub(crate) struct Model<'a> {
    pub(crate) constants: &'a ProgramConstants,
    step: f64,
    normal: Normal,
}

/// Lost charge: the mean shift of a cell one volt above the neutral voltage, V.
#[derive(Clone, Copy)]
pub(crate) struct Loss(f64);

impl<'a> Model<'a> {
    pub(crate) fn new(constants: &'a ProgramConstants) -> Model<'a> {
        Model::with_step(constants, STEP_V)
    }

    pub(crate) fn with_step(constants: &'a ProgramConstants, step: f64) -> Model<'a> {
        Model { constants, step, normal: Normal::new() }
    }

    /// Each state as written with a step of `factor` times the nominal one: Eq. 1 and 2 only.
    pub(crate) fn written(&self, factor: f64) -> Vec<Density> {
        let c = self.constants;
        let erased = Density::gaussian(self.step, c.erased_mean_v, c.erased_sigma_v);
        let width = c.dvpp_v * factor;
        let programmed = c.verify_v.iter().map(|&low| Density::uniform(self.step, low, width));
        std::iter::once(erased).chain(programmed).collect()
    }

    /// Each state after its neighbours were programmed at the same speed, with the interference that post-compensation
    /// leaves.
    pub(crate) fn disturbed(&self, factor: f64) -> Vec<Density> {
        let c = self.constants;
        // All bit lines are programmed at once, so only the next wordline disturbs: one cell above, two beside it. The
        // paper gives no coupling within a wordline.
        let vertical = self.interference(c.coupling_vertical, factor);
        let diagonal = self.interference(c.coupling_diagonal, factor);
        let push = vertical.convolve(&diagonal).convolve(&diagonal);
        self.written(factor).iter().map(|state| state.convolve(&push)).collect()
    }

    /// The interference of one neighbour (Eq. 4): its coupling ratio times its voltage rise from the erased state.
    ///
    /// All states are equally likely. Post-compensation reads the neighbour's state and removes that state's mean
    /// interference, or a share of it; the spread remains.
    fn interference(&self, coupling: f64, factor: f64) -> Density {
        let c = self.constants;
        let width = c.dvpp_v * factor;
        let weight = 1.0 / c.states() as f64;
        let mut parts = vec![(weight, Density::point(self.step, 0.0))];
        if coupling <= 0.0 {
            return Density::point(self.step, 0.0);
        }
        let ratios = self.couplings(coupling);
        for &verify in &c.verify_v {
            let mean = coupling * (verify + 0.5 * width - c.erased_mean_v);
            let compensated = c.post_compensation * mean;
            for &(share, ratio) in &ratios {
                let low = ratio * (verify - c.erased_mean_v) - compensated;
                let programmed = Density::uniform(self.step, low, ratio * width);
                let erased = Density::gaussian(self.step, 0.0, ratio * c.erased_sigma_v);
                parts.push((weight * share, programmed.convolve(&erased)));
            }
        }
        Density::mixture(&parts)
    }

    /// Eq. 7: the bounded Gaussian of a coupling ratio, as points with their shares.
    fn couplings(&self, mean: f64) -> Vec<(f64, f64)> {
        let c = self.constants;
        let place = |i: usize| (2 * i + 1) as f64 / COUPLINGS as f64 - 1.0;
        let deviations: Vec<f64> = (0..COUPLINGS).map(|i| c.coupling_bound * place(i)).collect();
        let weights: Vec<f64> = deviations.iter().map(|d| normal::density(d / c.coupling_sigma)).collect();
        let sum: f64 = weights.iter().sum();
        deviations.iter().zip(&weights).map(|(d, w)| (w / sum, mean * (1.0 + d))).collect()
    }

    /// Each state after interference and RTN, at age 0.
    pub(crate) fn fresh(&self, disturbed: &[Density], cycles: f64) -> Vec<Density> {
        let rtn = self.constants.rtn_v(cycles);
        disturbed.iter().map(|state| state.with_exponential(rtn)).collect()
    }

    /// The charge that a block of `cycles` has lost at a share of mu_d.
    pub(crate) fn loss(&self, cycles: f64, reached: f64) -> Loss {
        Loss(self.constants.retention_v(cycles) * reached * self.constants.retention_slope_per_v)
    }

    /// Mean and variance of the voltage drop of a cell at `v`. Below the neutral voltage cells rise.
    fn fall(&self, v: f64, loss: Loss) -> (f64, f64) {
        let mean = loss.0 * (v - self.constants.neutral_v);
        let sigma = self.constants.retention_spread * mean;
        // A grid point represents the voltages around it.
        (mean, sigma * sigma + 0.25 * self.step * self.step)
    }

    /// Probability that a cell of a state reads below `v` (Eq. 8, summed up to `v`).
    pub(crate) fn below(&self, state: &Density, v: f64, loss: Loss) -> f64 {
        self.beyond(state, v, loss, 1.0)
    }

    /// Probability that a cell of a state reads above `v`.
    pub(crate) fn above(&self, state: &Density, v: f64, loss: Loss) -> f64 {
        self.beyond(state, v, loss, -1.0)
    }

    /// Probability on one side of `v`: below for `sign` 1, above for -1.
    fn beyond(&self, state: &Density, v: f64, loss: Loss, sign: f64) -> f64 {
        let mut sum = 0.0;
        for (from, mass) in state.side(v, self.fall_max(state, loss), sign) {
            let (mean, variance) = self.fall(from, loss);
            let distance = sign * (v - from + mean);
            if distance * distance < normal::REACH * normal::REACH * variance {
                sum += mass * self.normal.below(distance / variance.sqrt());
            } else if distance > 0.0 {
                sum += mass;
            }
        }
        sum
    }

    /// The largest shift of any cell of a state.
    fn fall_max(&self, state: &Density, loss: Loss) -> f64 {
        let (low, high) = state.range();
        let furthest = (low - self.constants.neutral_v).abs().max((high - self.constants.neutral_v).abs());
        let sigmas = loss.0 * furthest * self.constants.retention_spread + 0.5 * self.step;
        loss.0 * furthest + normal::REACH * sigmas
    }

    /// A state after retention on a grid (Eq. 8): what a chip lab would measure.
    pub(crate) fn retained(&self, state: &Density, loss: Loss) -> Density {
        let margin = (1.0 / self.step) as i64;
        let (start, end) = (state.start - margin, state.start + state.mass.len() as i64 + margin);
        let border = |i: i64| self.below(state, (i as f64 - 0.5) * self.step, loss);
        let below: Vec<f64> = (start..=end).map(border).collect();
        let mass = below.windows(2).map(|w| (w[1] - w[0]).max(0.0)).collect();
        Density { step: self.step, start, mass }
    }

    /// The read voltages with the fewest errors, one between each pair of neighbouring states.
    pub(crate) fn best_reads(&self, states: &[Density], loss: Loss) -> Vec<f64> {
        let mean = |state: &Density| {
            let mean: f64 = state.points().map(|(v, m)| v * m).sum();
            mean - self.fall(mean, loss).0
        };
        states
            .windows(2)
            .map(|w| {
                let errors = |v: f64| self.above(&w[0], v, loss) + self.below(&w[1], v, loss);
                minimum(mean(&w[0]), mean(&w[1]), errors)
            })
            .collect()
    }

    /// Raw bit error rate. In a Gray coding a cell that reads as the neighbouring state has one wrong bit; larger
    /// misreads are too rare to count.
    pub(crate) fn rber(&self, states: &[Density], reads: &[f64], loss: Loss) -> f64 {
        let errors: f64 = states
            .windows(2)
            .zip(reads)
            .map(|(w, &v)| self.above(&w[0], v, loss) + self.below(&w[1], v, loss))
            .sum();
        errors / states.len() as f64 / self.constants.bits()
    }
}

/// One program speed at one cycle count: its states and their read voltages.
pub(crate) struct CellCondition {
    pub(crate) states: Vec<Density>,
    reads: Option<Vec<f64>>,
    cycles: f64,
}

/// The read voltages of a chip for one program speed, if they are fixed.
pub(crate) fn fixed_reads(model: &Model<'_>, disturbed: &[Density], nominal: &[Density]) -> Option<Vec<f64>> {
    let best = |disturbed: &[Density]| {
        let states = model.fresh(disturbed, model.constants.rated_cycles);
        model.best_reads(&states, model.loss(model.constants.rated_cycles, 0.0))
    };
    match model.constants.read_voltages {
        ReadVoltages::Fixed => Some(best(disturbed)),
        ReadVoltages::Nominal => Some(best(nominal)),
        ReadVoltages::Tracked => None,
    }
}

impl CellCondition {
    pub(crate) fn new(
        model: &Model<'_>,
        disturbed: &[Density],
        reads: Option<Vec<f64>>,
        cycles: f64,
    ) -> CellCondition {
        CellCondition { states: model.fresh(disturbed, cycles), reads, cycles }
    }

    /// Read voltages at a share of mu_d.
    pub(crate) fn reads(&self, model: &Model<'_>, reached: f64) -> Vec<f64> {
        let tracked = || model.best_reads(&self.states, model.loss(self.cycles, reached));
        self.reads.clone().unwrap_or_else(tracked)
    }

    /// Raw bit error rate at a share of mu_d.
    pub(crate) fn rber(&self, model: &Model<'_>, reached: f64) -> f64 {
        let loss = model.loss(self.cycles, reached);
        match &self.reads {
            Some(reads) => model.rber(&self.states, reads, loss),
            None => model.rber(&self.states, &model.best_reads(&self.states, loss), loss),
        }
    }
}

/// Finds the minimum of a function with one valley between `low` and `high`, by golden-section search.
fn minimum(mut low: f64, mut high: f64, f: impl Fn(f64) -> f64) -> f64 {
    const GOLDEN: f64 = 0.618_033_988_749_894_9;
    let mut left = high - GOLDEN * (high - low);
    let mut right = low + GOLDEN * (high - low);
    let (mut at_left, mut at_right) = (f(left), f(right));
    while high - low > SEARCH_V {
        if at_left < at_right {
            (high, right, at_right) = (right, left, at_left);
            left = high - GOLDEN * (high - low);
            at_left = f(left);
        } else {
            (low, left, at_left) = (left, right, at_right);
            right = low + GOLDEN * (high - low);
            at_right = f(right);
        }
    }
    0.5 * (low + high)
}
