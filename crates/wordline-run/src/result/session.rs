//! A session of `wordline serve`.

use schemars::JsonSchema;
use serde::Serialize;

/// A session that has ended. Its wall times differ from run to run.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct WallSession {
    /// Clients that connected.
    #[schemars(extend("x-unit" = "count"))]
    pub clients: u64,
    /// Requests answered.
    #[schemars(extend("x-unit" = "count"))]
    pub requests: u64,
    /// Wall time from the first request to the last answer.
    #[schemars(extend("x-unit" = "s"))]
    pub wall_s: f64,
    /// Wall seconds that a simulated second took at the end; 0 in virtual time.
    #[schemars(extend("x-unit" = "ratio"))]
    pub slow_down: f64,
    /// By how much answers left late; null in virtual time, where nothing can be late.
    pub lateness: Option<Lateness>,
    /// The power was cut.
    pub power_was_cut: bool,
    /// Requests that the power cut left without an answer.
    #[schemars(extend("x-unit" = "count"))]
    pub unanswered: u64,
    /// Why the store, or the state of its SSD, could not be written at the end; null where it was.
    pub store_failure: Option<String>,
    /// Why there is no record of the session; null where there is one, or none was asked for.
    pub record_failure: Option<String>,
}

/// By how much answers came late, us of wall time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[schemars(extend("x-unit" = "us"))]
pub struct Lateness {
    /// Mean.
    pub mean_us: f64,
    /// Median.
    pub p50_us: f64,
    /// 99th percentile.
    pub p99_us: f64,
    /// 99.9th percentile.
    pub p999_us: f64,
    /// Largest.
    pub max_us: f64,
    /// Mean over the mean response time on the wall.
    #[schemars(extend("x-unit" = "share"))]
    pub share_of_response: f64,
}
