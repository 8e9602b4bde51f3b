//! The ECC: a QC-LDPC code with its decoder, the simulator's view of it, and RiF's predictor.
//!
//! Reading order:
//! - the code: `matrix`, `shifts`, `construct`; `codeword` and `parity` (encoder, syndrome); `decode` (min-sum);
//! - what it knows of each bit: `soft` (further senses beside each reference);
//! - its measurement: `channel` (errors), `tally` and `study` (Monte Carlo), `table` (the counts that come with
//!   Wordline), `curve` (results by raw bit error rate);
//! - the simulator's view: `judge` (whether a page decodes, in how many iterations), `predictor` with
//!   `predictor_study`.
//!
//! `randomizer` and `pattern` show why one chunk can represent a page.

pub mod binomial;
pub mod bits;
pub mod channel;
pub mod codeword;
pub mod construct;
pub mod curve;
pub mod decode;
mod judge;
pub mod matrix;
mod parity;
pub mod pattern;
pub mod predictor;
pub mod predictor_study;
pub mod randomizer;
mod shifts;
pub mod soft;
pub mod study;
pub mod table;
pub mod tally;

pub use curve::{CAPABILITY_LEVEL, Curve, Point};
pub use judge::{Code, DecodeTime, PageTable, Verdict, soft_gain};
pub use predictor::{Accuracy, Predictor};
pub use soft::SoftSenses;

/// Bits in 1 KiB: converts a raw bit error rate to the "errors per 1 KiB" of the retry papers.
pub const BITS_PER_KIB: f64 = 8192.0;

/// Bytes of data in a chunk.
pub const CHUNK_BYTES: u32 = (matrix::DATA_BITS / 8) as u32;
