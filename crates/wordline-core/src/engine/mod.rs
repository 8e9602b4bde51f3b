//! The event queue, slabs and tables.

mod alarm;
#[cfg(target_os = "linux")]
mod base;
mod bits;
mod chain;
mod event;
mod large_pages;
mod lru;
mod memory;
mod numbers;
#[cfg_attr(not(target_os = "linux"), path = "no_pages.rs")]
mod pages;
mod prefetch;
mod queue;
mod ring;
mod slab;
mod spares;
mod spread;
mod state;
mod table;
mod zeros;

pub use alarm::Alarm;
pub use bits::BitTable;
pub use chain::Chain;
pub use event::Event;
pub use lru::Lru;
pub use numbers::{Entries, Numbers, NumbersIn, SpreadNumbers};
pub use prefetch::prefetch;
pub use queue::EventQueue;
pub use slab::Slab;
pub use spares::Spares;
pub use spread::SpreadTable;
pub(crate) use state::state;
pub use state::{Forks, LoadError, Loader, Saver, State};
pub use table::Table;
pub use wordline_cells::Ns;

/// Latest time that a run simulates, ns (146 years).
///
/// A sum of this and of any time that a configuration may hold stays within 64 bits, so that it is enough to look at
/// times where they enter: at arrivals, and at each event.
pub const TIME_MAX: Ns = 1 << 62;
