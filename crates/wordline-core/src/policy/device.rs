//! What a policy sees of the device before a run: where things are, and what the chip can do.

use super::Externals;
use wordline_cells::coding::GrayCoding;
use wordline_cells::erase::EraseCells;
use wordline_cells::geometry::Geometry;
use wordline_cells::program::FastProgram;

/// What a policy knows of the device beside its own keys.
#[derive(Clone, Copy, Debug)]
pub struct DeviceView<'a> {
    /// The shape of the flash array.
    pub geometry: Geometry,
    /// Seed of the run.
    pub seed: u64,
    /// Layers of a block of the chip; 0 where cells have no errors of their own.
    pub chip_layers: u32,
    /// The chip's read errors are known.
    pub has_read_model: bool,
    /// So are they between the two steps in which a page is programmed.
    pub knows_reads_between_steps: bool,
    /// How its blocks are erased, where that is known.
    pub erase_cells: Option<&'a EraseCells>,
    /// The states of a cell.
    pub coding: GrayCoding,
    /// Refresh may merge the states of a wordline.
    pub merges_wordlines: bool,
    /// Programs of a block end in the order of its pages.
    pub programs_in_order: bool,
    /// What programming faster brings and costs, where that is known and asked for.
    pub fast_program: Option<&'a FastProgram>,
    /// A second page register: the next sense overlaps with the bus.
    pub has_cache_register: bool,
    /// The die can tell whether a sensed page is worth moving.
    pub has_on_die_check: bool,
    /// Bits in 1 KiB that the ECC corrects.
    pub correctable_bits: f32,
    /// Iterations after which the decoder gives up.
    pub decoder_iterations: u8,
    /// The policies that the calling program gives.
    pub externals: &'a Externals,
}

impl DeviceView<'_> {
    /// Layers of a block, at most. Of a chip that is not known every page is a layer of its own; a block of few word
    /// lines skips layers of its chip.
    #[must_use]
    pub fn layers(&self) -> u32 {
        self.chip_layers.max(self.geometry.pages_per_block)
    }
}
