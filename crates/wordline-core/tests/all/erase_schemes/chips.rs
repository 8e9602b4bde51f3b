//! The chips of AERO, Section 5.1, ready for measuring.

use wordline_cells::Chip;
use wordline_cells::erase::{BlockFloor, EraseCells};
use wordline_core::nand::erase::{BlockSet, Lifetime, lifetime, profile};
use wordline_core::policy::erase::{Ept, Scheme, SchemeParams};

pub const SEED: u64 = 42;

/// Blocks of a set: AERO, Section 7.2.
pub const BLOCKS: u32 = 120;

/// tSE of 1 ms: AERO, Section 5.3.
pub const SHALLOW_PULSES: u8 = 2;

/// Bits per 1 KiB up to which a block is usable: AERO, Section 5.4.
pub const REQUIREMENT_BITS: f64 = 63.0;

pub struct Bench {
    pub cells: EraseCells,
    pub floor: BlockFloor,
}

impl Bench {
    pub fn of(chip: &str) -> Bench {
        let chip = Chip::built_in(chip).expect("a chip of ours").unwrap_or_else(|error| panic!("{error}"));
        let erase = chip.erase.as_ref().expect("it can be erased");
        let cells = EraseCells::new(erase).unwrap_or_else(|error| panic!("{error}"));
        // One year at 30 C, read at 85 C (see the note of aero.fig10.margin). Of its other chips AERO says that
        // they read much alike (Section 5.5, footnote 2); a chip without errors of its own borrows them.
        let tlc = Chip::built_in("tlc-48l").expect("a chip of ours").expect("it reads");
        let floor = BlockFloor::new(&chip, SEED, BLOCKS, 12.0, 85.0)
            .or_else(|| BlockFloor::new(&tlc, SEED, BLOCKS, 12.0, 85.0))
            .expect("it can be read");
        Bench { cells, floor }
    }

    pub fn tlc_48l() -> Bench {
        Bench::of("tlc-48l")
    }

    pub fn m_rber(&self) -> impl Fn(usize, f64) -> f64 {
        |block, stress| self.floor.bits(block, stress)
    }

    pub fn ept(&self, requirement_bits: f64) -> Ept {
        profile(&self.cells, &self.m_rber(), BLOCKS, SEED, SHALLOW_PULSES, requirement_bits)
    }

    pub fn params(&self, requirement_bits: f64) -> SchemeParams {
        SchemeParams::new(&self.cells, self.ept(requirement_bits), SHALLOW_PULSES)
    }

    pub fn life(&self, scheme: Scheme, params: &SchemeParams, requirement_bits: f64) -> Lifetime {
        let set = BlockSet::new(&self.cells, scheme, params, BLOCKS, SEED);
        lifetime(set, &self.m_rber(), requirement_bits)
    }
}
