//! Erasing under a scheme: the cells of a block and the policy that orders its pulses, side by side.
//!
//! | question | file |
//! |---|---|
//! | what does a command carry for each of its planes? | `under_way.rs` |
//! | which pulse is long enough, and what may be left out? | `profile.rs`, for `policy/erase/ept.rs` |
//! | how long do blocks live, and what are they like on the way? | `block_set.rs`, `lifetime.rs`, `wear_table.rs` |
//! | what does a run need of all this? | `device.rs` |
//! | what does a chip lab measure of it? | `figures.rs`, `steps.rs` |

mod block_set;
mod device;
pub mod figures;
mod lifetime;
mod profile;
pub mod steps;
mod under_way;
mod wear_table;

pub use block_set::{BlockSet, Erased, WornBlock};
pub use device::{EraseDevice, EraseOptions};
pub use lifetime::{Lifetime, LifetimePoint, lifetime};
pub use profile::{MarginCell, PROFILE_PECS, each_erase, margins, profile};
pub use under_way::PlaneErase;
pub use wear_table::{Aged, WearTable};
