#![doc = include_str!("../README.md")]

pub mod bench;
mod chip;
pub mod coding;
mod divide;
pub mod ecc;
pub mod erase;
mod error;
pub mod geometry;
pub mod ids;
mod page_order;
pub mod program;
pub mod read;
mod time;
pub mod variation;

pub use chip::{Cell, Chip, ChipGeometry};
pub use divide::Divider;
pub use error::{ConfigError, ConfigErrorKind};
pub use page_order::{PageNumbers, PageOrder, WordlinePage};
pub use time::{Ns, ns_from_us};
