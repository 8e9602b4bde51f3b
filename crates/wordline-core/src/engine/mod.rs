//! The event queue, simulated time, and the hash behind every variation.

mod bits;
mod event;
mod lru;
mod prefetch;
mod queue;
mod ring;
mod slab;
mod spread;
mod table;

pub use bits::BitTable;
pub use event::Event;
pub use lru::Lru;
pub use prefetch::prefetch;
pub use queue::EventQueue;
pub use slab::Slab;
pub use spread::SpreadTable;
pub use table::Table;
pub use wordline_cells::{Divider, Ns, ns_from_us, variation};
