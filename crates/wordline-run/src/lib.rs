#![doc = include_str!("../README.md")]

mod aged;
mod amplification;
pub mod coding;
mod error;
mod flow;
mod held;
pub mod hosts;
pub mod intervals;
mod iolog;
pub mod lab;
mod opening;
mod overload;
pub mod parameters;
pub mod presets;
pub mod result;
mod run;
mod source;
mod state;
pub mod statistics;
mod stream;
pub mod tables;
mod timed_aging;
pub mod traces;
mod written;

pub use aged::{AgedKey, DriveCache, about_aged, drive_number};
pub use amplification::{MediaBytes, WrittenBytes, page_amplification};
pub use error::{RunError, WrongValue, is_storage_full};
pub use flow::{Flow, FlowMode};
pub use held::{DoneJob, DriveOp, HeldDrive};
pub use opening::{OpenError, Opening, live_conflicts};
pub use run::{Report, Run};
pub use source::{Fio, FlowRequests, Reading, Synthetic, Trace};
pub use state::{Loaded, StateKind};
pub use stream::{Gauge, TraceStream};
