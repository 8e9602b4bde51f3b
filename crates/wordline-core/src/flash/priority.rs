//! How urgent the host's requests are to each other.

use serde::{Deserialize, Serialize};

/// The priority class of a flow (NVMe, weighted round robin with urgent priority class). Only a scheduling policy that
/// says so looks at it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
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
    /// Their names, in order.
    pub const NAMES: [&'static str; PRIORITIES] = ["urgent", "high", "medium", "low"];

    /// All of them, in the same order.
    pub const ALL: [Priority; PRIORITIES] =
        [Priority::Urgent, Priority::High, Priority::Medium, Priority::Low];

    /// The class of a name.
    #[must_use]
    pub fn named(name: &str) -> Option<Priority> {
        Priority::NAMES.iter().position(|&known| known == name).map(|place| Priority::ALL[place])
    }
}
