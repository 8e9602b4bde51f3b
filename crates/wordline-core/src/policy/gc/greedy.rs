//! Greedy: the block with the least live data, the longest full among equals.

use super::GcView;
use crate::nand::BlockId;

pub(super) fn choose(view: &GcView<'_>) -> Option<BlockId> {
    view.candidates().min_by_key(|(_, block)| (block.valid, block.filled_seq)).map(|(id, _)| id)
}
