//! The event queue, simulated time, and the hash behind every variation.

mod bits;
mod divide;
mod event;
mod lru;
mod prefetch;
mod queue;
mod ring;
mod slab;
mod spread;
mod table;
pub mod variation;

pub use bits::BitTable;
pub use divide::Divider;
pub use event::Event;
pub use lru::Lru;
pub use prefetch::prefetch;
pub use queue::EventQueue;
pub use slab::Slab;
pub use spread::SpreadTable;
pub use table::Table;

/// Simulated time or a span of it, in nanoseconds.
pub type Ns = u64;

/// Converts microseconds from a configuration to nanoseconds, rounded to the nearest.
///
/// The argument is a non-negative number of at most 2^53 ns; configuration checks see to it.
#[must_use]
pub fn ns_from_us(us: f64) -> Ns {
    (us * 1000.0 + 0.5) as Ns
}
