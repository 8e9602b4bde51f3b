//! A chip lab: benches that measure the cells of a configured device, as JSON, and the tables of its ECC.
//!
//! | file | content |
//! |---|---|
//! | `erase.rs`, `read.rs`, `program.rs` | blocks and pages of one kind of chip under test |
//! | `survey.rs` | first reads of pages all over the device |
//! | `ecc.rs` | makes the tables of the ECC on several threads, and computes their curves |

pub mod ecc;
mod erase;
mod program;
mod read;
pub mod survey;

pub use erase::EraseBench;
pub use program::ProgramBench;
pub use read::ReadBench;

use serde_json::Value;

/// One value of each row.
fn column<T, V: Into<Value>>(rows: &[T], of: impl Fn(&T) -> V) -> Value {
    Value::Array(rows.iter().map(|row| of(row).into()).collect())
}
