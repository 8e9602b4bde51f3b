//! The ECC: a QC-LDPC code with its decoder, what the simulator asks of it, and RiF's predictor.
//!
//! Reading order: `matrix` (the code), `codeword` and `parity` (encoder, syndrome), `decode` (min-sum); then how
//! they are measured: `channel` (errors), `tally` and `study` (Monte Carlo), `table` (the counts that come with
//! Wordline), `curve` (what a raw bit error rate means); then what the simulator asks: `judge` (does a page decode,
//! in how many iterations) and `predictor` with `predictor_study`. `randomizer` and `pattern` say why one chunk can
//! stand for a page.

pub mod binomial;
pub mod bits;
pub mod channel;
pub mod codeword;
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
pub mod study;
pub mod table;
pub mod tally;

pub use curve::{Curve, Point};
pub use judge::{Code, DecodeTime, PageTable, Verdict};
pub use predictor::{Accuracy, Predictor};

/// Bits in 1 KiB: turns a raw bit error rate into the "errors per 1 KiB" of the retry papers.
pub const BITS_PER_KIB: f64 = 8192.0;

/// Bytes of data in a chunk.
pub const CHUNK_BYTES: u32 = (matrix::DATA_BITS / 8) as u32;
