//! How urgent the host's requests are to each other.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The priority class of a flow (NVMe, weighted round robin with urgent priority class). Only a scheduling policy that
/// says so looks at it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[repr(u8)]
pub enum Priority {
    /// Before all others.
    Urgent,
    /// The largest share of what is left.
    #[default]
    High,
    /// A smaller one.
    Medium,
    /// The smallest one.
    Low,
}

/// Number of [`Priority`] classes.
pub const PRIORITIES: usize = 4;

impl Priority {
    /// All of them, in order.
    pub const ALL: [Priority; PRIORITIES] =
        [Priority::Urgent, Priority::High, Priority::Medium, Priority::Low];
}
