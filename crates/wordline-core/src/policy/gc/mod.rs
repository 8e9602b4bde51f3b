//! Slot `gc`: which block to reclaim.
//!
//! All policies see the full blocks of one plane that have no program on their way, and return the victim. By default
//! these are only the blocks that have something to reclaim; the published models of FIFO and random victims know all.

mod cost_benefit;
mod d_choices;
mod external;
mod fifo;
mod greedy;
mod random;
mod rga;
mod sampling;
mod windowed_greedy;

pub use external::ExternalGc;

use super::{DeviceView, NoParameters, Policy, policies};
use crate::flash::{Block, BlockState, BlockTable, StreamId};
use wordline_cells::geometry::{BlockId, PlaneId};

/// What a victim policy sees.
#[derive(Clone, Copy, Debug)]
pub struct GcView<'a> {
    /// All blocks.
    pub blocks: &'a BlockTable,
    /// The plane to collect in.
    pub plane: PlaneId,
    /// Pages of a block in the chip's own mode: what a victim wins beside its live pages.
    pub pages_per_block: u32,
    /// Blocks of a plane that may be chosen.
    pub blocks_per_plane: u32,
    /// From the number of such a block to that of the next.
    pub apart: u32,
    /// Seed of the run.
    pub seed: u64,
    /// Number of victims chosen so far: the place of a random draw.
    pub draw: u64,
    /// Only blocks of these streams are candidates.
    pub streams: Option<[StreamId; 2]>,
    /// Blocks without a page to reclaim are candidates, too.
    pub any: bool,
    /// So are blocks that are always in another mode: they win no room for data in the chip's own.
    pub takes_fixed: bool,
}

impl GcView<'_> {
    /// True when a block may be a victim.
    #[must_use]
    pub fn is_candidate(&self, block: &Block) -> bool {
        block.state() == BlockState::Full
            && (self.any || u32::from(block.valid) < self.pages_per_block)
            && block.programmed == block.next_page
            && (self.takes_fixed || !block.is_fixed())
            && self.streams.is_none_or(|streams| streams.contains(&block.stream))
    }

    /// All candidates of the plane.
    pub fn candidates(&self) -> impl Iterator<Item = (BlockId, &Block)> {
        self.blocks.of_plane(self.plane).filter(|(_, block)| self.is_candidate(block))
    }
}

/// How a victim is chosen. What a policy keeps in a run is in its fields.
pub trait GcPolicy: Policy {
    /// It draws victims without a look at them: in the mean they are as full as all blocks.
    fn is_blind(_: &GcKeys) -> bool {
        false
    }

    /// At the beginning of a run.
    fn new(keys: &Self::Parameters, device: &DeviceView<'_>) -> Self;

    /// Picks a victim, if the plane has any block worth reclaiming.
    fn choose(&mut self, view: &GcView<'_>) -> Option<BlockId>;
}

policies! {
    /// The policies of the slot.
    VictimPolicy, GcKeys [
        greedy::Greedy,
        rga::Rga,
        d_choices::DChoices,
        fifo::Fifo,
        cost_benefit::CostBenefit,
        random::Random,
        windowed_greedy::WindowedGreedy,
        external::External,
    ]

    ask GcPolicy {
        /// See [`GcPolicy::is_blind`].
        fn is_blind(keys: &GcKeys) -> bool;
    }

    run Gc: GcPolicy (device: &DeviceView<'_>) {
        /// See [`GcPolicy::choose`].
        fn choose(&mut self, view: &GcView<'_>) -> Option<BlockId>;
    }
}
