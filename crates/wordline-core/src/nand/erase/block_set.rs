//! Wearing blocks out: whole erases, and sets of blocks cycled under a scheme.
//!
//! Blocks of a set have evenly spread hardness, so a small set stands for the population.

use serde::{Deserialize, Serialize};

use wordline_cells::erase::{EraseCells, hardness};

use super::PlaneErase;
use crate::nand::{BlockHealth, BlockId};
use crate::policy::erase::{Scheme, SchemeParams};

/// What one erase was and did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Erased {
    /// 0.5-ms pulses.
    pub pulses: u8,
    /// Verifies.
    pub verifies: u8,
    /// Pulse time, ms: tBERS without verifies.
    pub pulse_ms: f64,
    /// tBERS, ms: pulses and verifies.
    pub latency_ms: f64,
    /// Last loop whose voltage was applied.
    pub level: u8,
    /// Loops that the block needs under ISPE at its age.
    pub loops: u8,
    /// Stress of the cycle.
    pub stress: f64,
    /// Erase age that the cycle adds, P/E cycles under ISPE.
    pub age_pec: f64,
    /// Errors that it leaves behind, those of a narrower window included, bits per 1 KiB.
    pub residual_bits: f64,
    /// Pulses that it left out.
    pub undone_pulses: f64,
    /// Fail bits that it leaves.
    pub fail_bits: u32,
    /// The block's note afterwards.
    pub note: u8,
}

impl Erased {
    /// Erases one block from begin to end under a scheme.
    #[must_use]
    pub fn whole(
        cells: &EraseCells,
        scheme: Scheme,
        params: &SchemeParams,
        seed: u64,
        block: WornBlock,
    ) -> Erased {
        let mut erase = PlaneErase::new(cells, seed, block);
        while erase.next_pulse(cells, scheme, params, seed).is_some() {}
        let outcome = erase.outcome(cells, scheme, params);
        let progress = erase.progress;
        let pulse_ms = f64::from(progress.pulses) * cells.constants.pulse_ms;
        Erased {
            pulses: progress.pulses,
            verifies: progress.verifies,
            pulse_ms,
            latency_ms: pulse_ms + f64::from(progress.verifies) * cells.constants.verify_us / 1000.0,
            level: progress.level,
            loops: cells.loops(f64::from(erase.cells.required_pulses)),
            stress: f64::from(outcome.stress),
            age_pec: f64::from(outcome.age_pec),
            residual_bits: f64::from(outcome.residual_bits),
            undone_pulses: f64::from(outcome.undone_pulses),
            fail_bits: cells.fail_bits(&erase.cells),
            note: outcome.note,
        }
    }
}

/// What a block is like before an erase.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WornBlock {
    /// The block.
    pub block: BlockId,
    /// Hardness, 0 to 1.
    pub hardness: f64,
    /// P/E cycles.
    pub pec: u32,
    /// Accumulated stress.
    pub stress: f64,
    /// Erase age, P/E cycles under ISPE.
    pub age_pec: f64,
    /// Pulses that the last erase left out.
    pub undone_pulses: f64,
    /// Note of the last erase.
    pub note: u8,
}

impl WornBlock {
    /// A block of an SSD, as its record has it.
    #[must_use]
    pub fn of(seed: u64, block: BlockId, health: &BlockHealth) -> WornBlock {
        WornBlock {
            block,
            hardness: hardness(seed, block),
            pec: health.pec,
            stress: f64::from(health.stress),
            age_pec: f64::from(health.erase_age_pec),
            undone_pulses: f64::from(health.undone_pulses),
            note: health.erase_note,
        }
    }
}

/// A set of blocks that is cycled under one scheme.
#[derive(Clone, Debug)]
pub struct BlockSet<'a> {
    cells: &'a EraseCells,
    scheme: Scheme,
    params: &'a SchemeParams,
    seed: u64,
    blocks: Vec<WornBlock>,
}

impl<'a> BlockSet<'a> {
    /// P/E cycles that one simulated erase stands for.
    pub const STEP_PEC: u32 = 50;

    /// A set of fresh blocks.
    #[must_use]
    pub fn new(
        cells: &'a EraseCells,
        scheme: Scheme,
        params: &'a SchemeParams,
        blocks: u32,
        seed: u64,
    ) -> BlockSet<'a> {
        let hardness = |block: u32| (f64::from(block) + 0.5) / f64::from(blocks);
        let fresh = |block| WornBlock {
            block: BlockId::new(block),
            hardness: hardness(block),
            ..WornBlock::default()
        };
        let blocks = (0..blocks).map(fresh);
        BlockSet { cells, scheme, params, seed, blocks: blocks.collect() }
    }

    /// The blocks as they are.
    #[must_use]
    pub fn blocks(&self) -> &[WornBlock] {
        &self.blocks
    }

    /// What an erase of each block would be now.
    #[must_use]
    pub fn erases(&self) -> Vec<Erased> {
        let one = |&block| Erased::whole(self.cells, self.scheme, self.params, self.seed, block);
        self.blocks.iter().map(one).collect()
    }

    /// Cycles all blocks `cycles` times with such erases.
    pub fn wear(&mut self, erases: &[Erased], cycles: u32) {
        for (block, erased) in self.blocks.iter_mut().zip(erases) {
            block.stress += erased.stress * f64::from(cycles);
            block.age_pec += erased.age_pec * f64::from(cycles);
            block.pec += cycles;
            block.undone_pulses = erased.undone_pulses;
            block.note = erased.note;
        }
    }

    /// As [`BlockSet::wear`], but the blocks take the stress and the age that plain ISPE would have caused; only their
    /// notes come of the scheme.
    pub fn wear_as_ispe(&mut self, erases: &[Erased], cycles: u32) {
        for (block, erased) in self.blocks.iter_mut().zip(erases) {
            block.pec += cycles;
            block.stress = self.cells.stress.stress(f64::from(block.pec), block.hardness);
            block.age_pec = f64::from(block.pec);
            block.undone_pulses = erased.undone_pulses;
            block.note = erased.note;
        }
    }
}
