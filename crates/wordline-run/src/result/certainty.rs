//! How certain the numbers of a result are. Python judges it from a run's tables.

use std::collections::BTreeMap;

use schemars::JsonSchema;

/// Intervals of confidence.
#[derive(Clone, Debug, JsonSchema)]
pub struct Uncertainty {
    /// How often such intervals hold the true number.
    #[schemars(extend("x-unit" = "share"))]
    pub level: f64,
    /// What the intervals are made of.
    pub method: Method,
    /// Batches or seeds.
    #[schemars(extend("x-unit" = "count"))]
    pub count: u64,
    /// All seeds, where there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<i64>", extend("x-unit" = "seed"))]
    pub seeds: Option<Vec<i64>>,
    /// The intervals, at the paths of their numbers.
    pub values: Option<Intervals>,
}

/// What intervals are made of.
#[derive(Clone, Copy, Debug, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Method {
    /// Batches within a run.
    Batches,
    /// Runs of several seeds.
    Seeds,
}

/// The interval of a number, or those of what lies below a path. Its unit is that of the number.
#[derive(Clone, Debug, JsonSchema)]
pub struct Intervals {
    /// Lower end; null where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<f64>", extend("x-unit" = "as the number"))]
    pub low: Option<Option<f64>>,
    /// Upper end; null where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<f64>", extend("x-unit" = "as the number"))]
    pub high: Option<Option<f64>>,
    /// The numbers by seed; of several seeds only.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<Option<f64>>", extend("x-unit" = "as the number"))]
    pub by_seed: Option<Vec<Option<f64>>>,
    /// How the number changes slowly within the run: the share of it in a cosine and a sine of one, two, … periods. Runs of
    /// the same requests are compared by them. Of a percentile it is the share of requests beyond it that changes.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<f64>", extend("x-unit" = "as the number"))]
    pub by_wave: Option<Vec<f64>>,
    /// What lies below.
    #[serde(flatten)]
    pub below: BTreeMap<String, Option<Intervals>>,
}

/// Whether a run has reached its steady state; null where there is nothing to judge.
#[derive(Clone, Debug, JsonSchema)]
pub struct Steady {
    /// Of response times.
    pub response_us: Option<Verdict>,
    /// Of write amplification.
    pub write_amplification: Option<Verdict>,
}

/// Whether a number has reached its steady state.
#[derive(Clone, Debug, JsonSchema)]
pub struct Verdict {
    /// In one word.
    pub verdict: VerdictName,
    /// Why.
    pub reason: String,
    /// Requests of the warm-up that MSER leaves out.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "f64", extend("x-unit" = "count"))]
    pub warmup_requests: Option<u64>,
    /// Change of the fitted line over the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<f64>", extend("x-unit" = "share"))]
    pub drift: Option<Option<f64>>,
    /// False where garbage collection frees less or more than is programmed; there only then.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "bool")]
    pub is_balanced: Option<bool>,
}

/// A verdict in one word.
#[derive(Clone, Copy, Debug, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum VerdictName {
    /// It no longer changes.
    Steady,
    /// It still changes.
    Drifting,
    /// The run is too short to tell.
    #[serde(rename = "too short")]
    TooShort,
}

/// A run that was made longer until its goals were met.
#[derive(Clone, Debug, JsonSchema)]
pub struct Until {
    /// The goals, as the last checkpoint left them.
    pub goals: Vec<GoalState>,
    /// Whether all goals are met.
    pub is_met: bool,
    /// What there is more of at each checkpoint.
    pub unit: UntilUnit,
    /// How many of them the last checkpoint may have.
    #[schemars(extend("x-unit" = "count"))]
    pub limit: u64,
    /// The checkpoints so far.
    pub checkpoints: Vec<Checkpoint>,
}

/// What there is more of at each checkpoint.
#[derive(Clone, Copy, Debug, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum UntilUnit {
    /// Requests.
    Requests,
    /// Seeds.
    Seeds,
}

/// How far a goal is met.
#[derive(Clone, Debug, JsonSchema)]
pub struct GoalState {
    /// Its text.
    pub goal: String,
    /// The path of its number.
    pub path: String,
    /// The number.
    #[schemars(extend("x-unit" = "as the number"))]
    pub value: Option<f64>,
    /// The longer side of its interval, over the number.
    #[schemars(extend("x-unit" = "share"))]
    pub reached_share: Option<f64>,
    /// Whether it is met.
    pub is_met: bool,
}

/// A checkpoint.
#[derive(Clone, Debug, JsonSchema)]
pub struct Checkpoint {
    /// Requests of the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u64", extend("x-unit" = "count"))]
    pub requests: Option<u64>,
    /// Seeds of the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u64", extend("x-unit" = "count"))]
    pub seeds: Option<u64>,
    /// For each goal the longer side of its interval, over the number.
    #[schemars(extend("x-unit" = "share"))]
    pub reached_shares: Vec<Option<f64>>,
}
