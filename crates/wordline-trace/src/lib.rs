//! Workloads for Wordline: reads and writes block traces.
//!
//! [`TraceOptions`] opens a trace, and [`TraceReader`] reads it as a stream of
//! [`HostRequest`](wordline_core::host::HostRequest)s; each file of `formats/` implements one format. [`WithinDevice`]
//! keeps addresses inside a device, [`stat`] measures a trace and [`convert`] writes one.
//!
//! ```no_run
//! use wordline_trace::{TraceOptions, TraceError};
//! fn main() -> Result<(), TraceError> {
//!     let mut reader = TraceOptions::new().open("hm_0.csv.gz")?;
//!     while let Some(request) = reader.next() {
//!         println!("{:?}", request?);
//!     }
//!     Ok(())
//! }
//! ```

mod archive;
mod binary;
mod bytes;
pub mod convert;
mod detect;
mod device;
mod devices;
mod error;
pub mod fio;
mod foreign;
pub mod formats;
mod input;
mod log_histogram;
mod order;
mod part;
mod reader;
mod request;
pub mod stat;
pub mod synthetic;
mod time_unit;
mod unit;
mod utf16;
mod within;

pub use device::DeviceMode;
pub use error::TraceError;
pub use formats::Format;
pub use formats::csv_columns::CsvColumns;
pub use formats::options::{TraceOptions, ZeroLength};
pub use order::TimeBack;
pub use part::Part;
pub use reader::{ReadNotes, TraceReader};
pub use request::{LATEST_ARRIVAL_NS, TraceOp, TraceRequest};
pub use stat::{StatOptions, TraceStat};
pub use time_unit::TakenUnit;
pub use unit::TimeUnit;
pub use within::{AddressPolicy, Located, WithinDevice};
