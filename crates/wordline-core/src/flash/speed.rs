//! How fast a page is programmed.

use serde::{Deserialize, Serialize};

/// How fast a page is programmed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Speed {
    /// With the normal program step, for the full retention.
    #[default]
    Normal,
    /// With a larger step, for a short retention.
    Fast,
}
