//! The result of a run: one form. The JSON document, its schema, the page `docs/reference/result.md` and Python's types are made
//! from these structs; the comments of their fields are the descriptions.
//!
//! `x-unit` is the unit of a number, or of all numbers of a struct. A field that says what was run, or how certain the numbers
//! are, has `x-measured = false`.

mod activity;
mod certainty;
mod drive;
mod handles;
mod life;
mod measured;
mod namespaces;
mod requests;
mod schema;
mod session;
mod times;
mod zones;

use schemars::JsonSchema;

pub use activity::{ChannelShares, ChannelTime, DieUtilisation, ReadBreakdown, ReadRetry};
pub use certainty::{
    Checkpoint, GoalState, Intervals, Method, Steady, Uncertainty, Until, UntilUnit, Verdict, VerdictName,
};
pub use drive::{
    Blocks, FastPrograms, GarbageCollection, Power, PowerCutResult, PowerUpResult, Precondition, SlcCache,
    StageCounters,
};
pub use handles::{FdpEvents, Handle, HandleBytes, Placement};
pub use measured::{Measured, Outside, Part, Window};
pub use requests::{ByFlow, ByStatus, FlowRequests, FlowResult, FlowTimes, Rates, Requests, ResponseTimes};
pub use schema::schema;
pub use session::{Lateness, WallSession};
pub use zones::{Zones, ZonesByState};

use crate::Flow;

/// Version of the form. Python reads results of all earlier ones.
pub const SCHEMA_VERSION: u32 = 4;

/// What `wordline run --json`, `result.json` and `Result.to_dict()` hold.
// `Measured` is made here. Python, which knows who ran it on which inputs, adds the rest.
#[derive(Clone, Debug, JsonSchema)]
#[schemars(title = "Result of a Wordline run")]
pub struct Document {
    /// Version of this form.
    #[schemars(extend("const" = SCHEMA_VERSION, "x-unit" = "version", "x-measured" = false))]
    pub schema_version: u32,
    /// The version of Wordline that made the result.
    #[schemars(extend("x-measured" = false))]
    pub wordline: String,
    /// SHA-256 of the resolved configuration.
    #[schemars(extend("x-measured" = false))]
    pub config_hash: String,
    /// What the run was asked to do besides.
    #[schemars(extend("x-measured" = false))]
    pub options: Options,
    /// What was run.
    #[schemars(extend("x-measured" = false))]
    pub workload: Workload,
    /// What was measured.
    #[serde(flatten)]
    pub measured: Measured,
    /// Wall time of the run, without preconditioning.
    #[schemars(extend("x-unit" = "s", "x-measured" = false))]
    pub wall_s: f64,
    /// Requests simulated a second of wall time.
    #[schemars(extend("x-unit" = "1/s", "x-measured" = false))]
    pub wall_requests_per_s: f64,
    /// Wall time of preconditioning.
    #[schemars(extend("x-unit" = "s", "x-measured" = false))]
    pub wall_precondition_s: f64,
    /// What a reader of the numbers should know.
    #[schemars(extend("x-measured" = false))]
    pub warnings: Vec<String>,
    /// Whether the run has reached its steady state.
    #[schemars(extend("x-measured" = false))]
    pub steady: Steady,
    /// How certain the numbers are.
    #[schemars(extend("x-measured" = false))]
    pub uncertainty: Uncertainty,
    /// The run was interrupted; there only then.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "bool", extend("const" = true, "x-measured" = false))]
    pub partial: Option<bool>,
    /// The goals of `--until`, and how far the run went; there only then.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Until", extend("x-measured" = false))]
    pub until: Option<Until>,
    /// Of `wordline serve`: its clients, and how well the machine kept up; there only then.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "WallSession", extend("x-measured" = false))]
    pub wall_session: Option<WallSession>,
}

/// What a run was asked to do besides.
#[derive(Clone, Debug, JsonSchema)]
pub struct Options {
    /// Checked mode.
    pub check: bool,
    /// Whether a row for each request was kept.
    pub log_requests: bool,
    /// Begin and end of the activity that was kept.
    #[schemars(extend("x-unit" = "us"))]
    pub timeline_us: Option<Vec<f64>>,
    /// All seeds, where there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<i64>", extend("x-unit" = "seed"))]
    pub seeds: Option<Vec<i64>>,
    /// The state of the SSD that the run began on; there only then.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "LoadedState")]
    pub load_state: Option<LoadedState>,
}

/// The file of a state.
#[derive(Clone, Debug, JsonSchema)]
pub struct LoadedState {
    /// Where it was.
    pub path: String,
    /// Its length.
    #[schemars(extend("x-unit" = "bytes"))]
    pub bytes: u64,
    /// Its hash.
    pub sha256: String,
}

/// What was run.
#[derive(Clone, Debug, JsonSchema)]
pub struct Workload {
    /// The names of what was run.
    pub name: String,
    /// Files, or where the numbers of a synthetic workload come from.
    pub source: String,
    /// Whether any request was made up.
    pub synthetic: bool,
    /// Each flow as it was asked for.
    pub flows: Vec<Flow>,
}
