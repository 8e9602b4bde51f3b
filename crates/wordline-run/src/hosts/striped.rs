//! A range of bytes over several drives, a chunk on each in turn.

use super::PlacedOp;
use crate::DriveOp;

/// Drives that are one address space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Striped {
    /// How many drives, 1 or more.
    pub drives: u64,
    /// Bytes in a row on one drive, a multiple of 512.
    pub chunk_bytes: u64,
}

impl Striped {
    /// The parts of an operation on the whole, in order of its addresses. On a drive its chunks are neighbours, so each
    /// drive has one part at most.
    pub fn parts(self, op: DriveOp) -> impl Iterator<Item = PlacedOp> {
        let Striped { drives, chunk_bytes: chunk } = self;
        let end = op.offset + op.bytes;
        let (first, last) = (op.offset / chunk, end.saturating_sub(1).max(op.offset) / chunk);
        (first..=last.min(first + drives - 1)).map(move |begin| {
            let final_chunk = last - (last - begin) % drives;
            let skipped = if begin == first { op.offset % chunk } else { 0 };
            let left_out = if final_chunk == last { (last + 1) * chunk - end } else { 0 };
            let offset = begin / drives * chunk + skipped;
            let bytes = (final_chunk / drives + 1) * chunk - left_out - offset;
            PlacedOp { drive: (begin % drives) as usize, op: DriveOp { offset, bytes, ..op } }
        })
    }
}
