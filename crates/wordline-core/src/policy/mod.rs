//! The slots: one folder for each decision, one small file and one row of the slot's table for each policy.

mod counters;
mod device;
mod external;
mod externals;
mod list;
mod table;

pub mod allocation;
pub mod coding;
pub mod erase;
pub mod flush;
pub mod folding;
pub mod gc;
pub mod placement;
pub mod program;
pub mod read_retry;
pub mod refresh;
pub mod schedule;
pub mod wear_levelling;

pub(crate) use counters::counters;
pub use counters::{Counted, Counter};
pub use device::DeviceView;
pub use external::{External, Maker};
pub use externals::Externals;
pub use list::{Listed, list, names};
pub(crate) use table::policies;
pub use table::{NoParameters, Policy, Refusal};
