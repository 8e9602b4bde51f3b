//! P/E cycles by the mode that blocks were in. Kept only where there are several.

use super::{BlockId, Geometry, IdVec};
use crate::engine::state;
use crate::flash::{BlockModes, ModeId};

/// P/E cycles of all blocks in other modes than the chip's own: four bytes a block. Those in its own are the rest of
/// [`BlockHealth::pec`](super::BlockHealth::pec).
#[derive(Debug)]
pub struct CyclesByMode {
    in_others: IdVec<BlockId, u32>,
}

state! {
    CyclesByMode {
        values: in_others;
    }
}

impl CyclesByMode {
    /// No cycles yet, where blocks have several modes.
    pub(super) fn new(modes: &BlockModes, geometry: &Geometry) -> Option<Box<CyclesByMode>> {
        let is_needed = !modes.is_one();
        is_needed.then(|| Box::new(CyclesByMode { in_others: IdVec::filled(geometry.blocks() as usize, 0) }))
    }

    /// A block that was in a mode was erased.
    pub(super) fn count(&mut self, block: BlockId, mode: ModeId) {
        self.in_others[block] += u32::from(!mode.is_native());
    }

    /// P/E cycles of a block in other modes than the chip's own.
    pub(super) fn of(&self, block: BlockId) -> u32 {
        self.in_others[block]
    }
}
