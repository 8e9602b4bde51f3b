//! The modes of blocks that a configuration asks for.

use super::Config;
use crate::flash::{BlockMode, BlockModes, ModeId};
use wordline_cells::{PageNumbers, PageOrder, ns_from_us};

impl Config {
    /// All modes of blocks: the chip's own, and that of an SLC cache.
    #[must_use]
    pub fn modes(&self) -> BlockModes {
        let native = self.native_mode();
        let mut modes = BlockModes::of_chip(native);
        if self.slc.policy.uses_cache() {
            assert_eq!(modes.add(self.slc_mode(&native)), ModeId::SLC);
        }
        modes
    }

    /// One bit a cell: a page of each wordline. It is assumed that such a page decodes as it is sensed first.
    fn slc_mode(&self, native: &BlockMode) -> BlockMode {
        let slc = &self.slc;
        let pages_per_block = native.pages_per_block / self.coding.cell.bits();
        BlockMode {
            pages_per_block,
            in_block: PageNumbers::new(PageOrder::WordlineByWordline, 1, pages_per_block),
            sense_by_type: [ns_from_us(slc.read_us); 4],
            program_by_type: [ns_from_us(slc.program_us); 4],
            program_wordline: None,
            erase: ns_from_us(slc.erase_us),
            wear: slc.wear as f32,
            has_errors: false,
        }
    }

    /// Mapping units of a block, by its mode.
    #[must_use]
    pub fn units_of_block(&self) -> Vec<u16> {
        // Fits: a block of the chip's own mode, which has the most, has at most 65,535 units.
        self.modes().iter().map(|mode| (mode.pages_per_block * self.units_per_page()) as u16).collect()
    }

    /// All bits that the cells can store.
    fn native_mode(&self) -> BlockMode {
        let nand = &self.nand;
        let scheme = self.coding.scheme.resolve(self.coding.cell);
        let (bits, pages_per_block) = (self.coding.cell.bits(), self.ssd.pages_per_block);
        let mut sense_by_type = [0; 4];
        let mut program_by_type = [0; 4];
        for page_type in 0..scheme.bits() as usize {
            sense_by_type[page_type] = ns_from_us(nand.read_us[scheme.senses(page_type as u32) - 1]);
            let program =
                if nand.program_us.len() == 1 { nand.program_us[0] } else { nand.program_us[page_type] };
            program_by_type[page_type] = ns_from_us(program);
        }
        BlockMode {
            pages_per_block,
            in_block: PageNumbers::new(self.program.policy.page_order(), bits, pages_per_block),
            sense_by_type,
            program_by_type,
            program_wordline: (self.programs_wordlines() && nand.program_wordline_us > 0.0)
                .then(|| ns_from_us(nand.program_wordline_us)),
            erase: ns_from_us(nand.erase_us),
            wear: 1.0,
            has_errors: true,
        }
    }
}
