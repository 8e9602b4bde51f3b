//! Which wordlines of a block have had both steps of their program. Kept only where they are programmed in two.
//!
//! Pages of a block are programmed in order, so it is enough to know how far. What a block holds from before the run is
//! taken to be finished: those pages are missing in what was programmed.

use serde::{Deserialize, Serialize};

use super::{Address, BlockId, Geometry, IdVec};
use crate::engine::state;
use crate::flash::ModeId;
use wordline_cells::PageOrder;

/// How far each block is programmed: four bytes a block.
#[derive(Debug)]
pub struct ProgramSteps {
    blocks: IdVec<BlockId, Programmed>,
    geometry: Geometry,
}

state! {
    ProgramSteps {
        values: blocks;
        derived: geometry;
    }
}

/// Pages of a block, by their index in it.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Programmed {
    /// Pages before this one are from before the run, or share the block with such pages.
    from: u16,
    /// Pages before this one are programmed.
    to: u16,
}

impl ProgramSteps {
    /// The steps of all blocks, where there are two.
    pub(super) fn new(geometry: &Geometry) -> Option<Box<ProgramSteps>> {
        let is_needed = geometry.page_order == PageOrder::TwoStep;
        is_needed.then(|| {
            let blocks = IdVec::filled(geometry.blocks() as usize, Programmed::default());
            Box::new(ProgramSteps { blocks, geometry: *geometry })
        })
    }

    /// A page was programmed. The first one of an erased block is not the next one, and begins anew.
    pub(super) fn programmed(&mut self, address: Address, mode: ModeId) {
        let block = &mut self.blocks[address.block];
        if !mode.is_native() {
            // With fewer bits a cell, one step is enough.
            *block = Programmed::default();
            return;
        }
        let page = address.page as u16;
        if page != block.to {
            // Those in between were not programmed in this run, or were erased.
            block.from = page;
        }
        block.to = page + 1;
    }

    /// True for a page whose wordline has had its first step alone.
    #[inline]
    pub(super) fn is_between(&self, block: BlockId, page: u32) -> bool {
        let Programmed { from, to } = self.blocks[block];
        let programmed = u32::from(from)..u32::from(to);
        programmed.contains(&page) && self.geometry.in_block().last_of_wordline(page) >= programmed.end
    }
}
