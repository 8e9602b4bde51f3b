//! FIFO: the block that has been full for longest.

use super::GcView;
use crate::nand::BlockId;

pub(super) fn choose(view: &GcView<'_>) -> Option<BlockId> {
    view.candidates().min_by_key(|(_, block)| block.filled_seq).map(|(id, _)| id)
}
