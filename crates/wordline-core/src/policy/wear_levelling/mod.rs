//! Slot `wear_levelling`: which block's data moves, so that its cells take their share of the wear?
//!
//! Static wear levelling: data that nobody overwrites keeps its block from being erased. Before a plane collects garbage,
//! the policy may name a block whose data moves first; the FTL parks it among other cold data.

mod external;
mod gap;

pub use external::ExternalWear;

use super::{DeviceView, Policy, policies};
use crate::flash::{Block, BlockHealth, BlockState, BlockTable};
use wordline_cells::geometry::{BlockId, IdVec, PlaneId};

/// What a wear-levelling policy sees.
#[derive(Clone, Copy, Debug)]
pub struct WearView<'a> {
    /// All blocks.
    pub blocks: &'a BlockTable,
    /// What each has been through.
    pub health: &'a IdVec<BlockId, BlockHealth>,
    /// The plane that reclaims a block.
    pub plane: PlaneId,
}

impl WearView<'_> {
    /// The blocks of the plane that are not bad, and not always in another mode than the chip's own.
    pub fn in_use(&self) -> impl Iterator<Item = (BlockId, &Block)> {
        let is_used = |block: &Block| block.state() != BlockState::Bad && !block.is_fixed();
        self.blocks.of_plane(self.plane).filter(move |(_, block)| is_used(block))
    }

    /// Those that are full, of data in the chip's own mode: they can move.
    pub fn candidates(&self) -> impl Iterator<Item = (BlockId, &Block)> {
        let is_whole = |block: &Block| block.programmed == block.next_page && block.mode().is_native();
        self.in_use().filter(move |(_, block)| block.state() == BlockState::Full && is_whole(block))
    }

    /// P/E cycles of a block.
    #[must_use]
    pub fn pec(&self, block: BlockId) -> u32 {
        self.health[block].pec
    }
}

/// Which block's data moves. What a policy keeps in a run is in its fields.
pub trait WearPolicy: Policy {
    /// It may move data. Otherwise it is not asked, and no block is set aside for cold data.
    fn moves_data(keys: &WearKeys) -> bool;

    /// At the beginning of a run.
    fn new(keys: &Self::Parameters, device: &DeviceView<'_>) -> Self;

    /// The block whose data moves now, if any: asked when the plane is about to reclaim a block.
    fn choose(&mut self, view: &WearView<'_>) -> Option<BlockId>;
}

policies! {
    /// The policies of the slot.
    WearName, WearKeys [
        gap::Gap,
        external::External,
    ]

    ask WearPolicy {
        /// See [`WearPolicy::moves_data`].
        fn moves_data(keys: &WearKeys) -> bool;
    }

    run Wear: WearPolicy (device: &DeviceView<'_>) {
        /// See [`WearPolicy::choose`].
        fn choose(&mut self, view: &WearView<'_>) -> Option<BlockId>;
    }
}
