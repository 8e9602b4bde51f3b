//! What a read finds: where the best read voltages have drifted to, and how many bits are wrong there
//! and beside it.
//!
//! A page's best voltages lie a whole number of retry-table steps from the default ones, plus a small
//! residual: manufacturers make the table so that the step that succeeds lands close (PR2/AR2, Section
//! 2.4). How many steps a page needs is stored nowhere; it is the first step whose errors fit the ECC.
//!
//! | question | file |
//! |---|---|
//! | how far have the voltages drifted? | `drift.rs` |
//! | how many errors are left at the best voltages? | `floor.rs` |
//! | which pages are worse than others? | `place.rs` |
//! | how do storage temperature and time act together? | `retention.rs` |

mod constants;
mod drift;
mod floor;
mod place;
mod retention;

pub use constants::{DriftConstants, DriftShares, FloorConstants, FloorShares, ReadConstants};
pub use drift::Drift;
pub use floor::Floor;
pub use place::{Place, Spread, Spreads};
pub use retention::{MONTH_DAYS, acceleration, effective_months};
