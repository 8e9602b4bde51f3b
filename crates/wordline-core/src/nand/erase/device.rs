//! The erase side of an SSD: a chip, a scheme and its parameters, with the tables made once.

use std::sync::Arc;

use wordline_cells::Chip;
use wordline_cells::erase::{BlockFloor, EraseCells, EraseOutcome, hardness};

use super::{Aged, PlaneErase, WearTable, WornBlock, profile};
use crate::nand::{BlockHealth, BlockId};
use crate::policy::Refusal;
use crate::policy::erase::{Ept, EraseKeys, PulseOrder, Scheme, SchemeParams};

/// Blocks from which the erase-timing parameter table is profiled.
const PROFILED_BLOCKS: u32 = 120;

/// Blocks wear no further than after as many P/E cycles.
const MOST_PEC: u32 = 12_000;

/// What a configuration says about erasing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EraseOptions {
    /// Loop by loop, how?
    pub scheme: Scheme,
    /// The keys of the schemes.
    pub keys: EraseKeys,
}

impl EraseOptions {
    /// A scheme with the parameters of the paper.
    #[must_use]
    pub fn new(scheme: Scheme) -> EraseOptions {
        EraseOptions { scheme, keys: EraseKeys::default() }
    }
}

/// Everything that erasing needs to know, made before a run.
#[derive(Clone, Debug)]
pub struct EraseDevice {
    /// The cells.
    pub cells: Arc<EraseCells>,
    /// The scheme.
    pub scheme: Scheme,
    /// Its parameters.
    pub params: SchemeParams,
    pub(in crate::nand) seed: u64,
}

impl EraseDevice {
    /// The device of a chip whose erase side is `cells` (its own, or with a user's erase work).
    ///
    /// # Errors
    /// Where tSE is no multiple of the short pulse below tEP, or AERO is asked of a chip whose errors are
    /// unknown; says which key to change.
    pub fn new(
        chip: &Chip,
        cells: Arc<EraseCells>,
        options: &EraseOptions,
        seed: u64,
    ) -> Result<EraseDevice, String> {
        let keys = options.keys;
        let shallow_pulses = keys
            .shallow_pulses(&cells.constants)
            .map_err(|Refusal { why, fix, .. }| format!("{why}; {fix}"))?;
        let ept = match options.scheme.is_profiled() {
            true => {
                // One year, read at 85 C: the condition of AERO's requirement (Section 5.4).
                let floor = BlockFloor::new(chip, seed, PROFILED_BLOCKS, 12.0, 85.0).ok_or(
                    "AERO's table is profiled from read errors: take a chip with a `[read]` part, or another \
                     `erase.scheme`",
                )?;
                let m_rber = |block: usize, stress: f64| floor.bits(block, stress);
                profile(&cells, &m_rber, PROFILED_BLOCKS, seed, shallow_pulses, keys.rber_requirement_bits())
            }
            false => Ept::default(),
        };
        let params = SchemeParams::new(&cells, ept, shallow_pulses).with_keys(keys);
        Ok(EraseDevice { cells, scheme: options.scheme, params, seed })
    }

    /// Returns a function that says how blocks are after `pec` cycles under the scheme, as when a run starts.
    pub fn worn_by_scheme(&self, pec: u32) -> impl Fn(BlockId) -> Aged + '_ {
        let pec = pec.min(MOST_PEC);
        let table = WearTable::new(&self.cells, self.scheme, &self.params, pec, self.seed);
        move |block| table.after(pec, hardness(self.seed, block))
    }

    /// Returns a function that says how blocks are after `pec` cycles under plain ISPE: the same wear for every scheme
    /// (AERO, Section 7.1). Their notes are what the scheme would have left on blocks that wear like that.
    pub fn worn_by_ispe(&self, pec: u32) -> impl Fn(BlockId) -> Aged + '_ {
        let table =
            WearTable::under_ispe(&self.cells, self.scheme, &self.params, pec.min(MOST_PEC), self.seed);
        move |block| {
            let hardness = hardness(self.seed, block);
            let stress = self.cells.stress.stress(f64::from(pec), hardness) as f32;
            Aged { stress, age_pec: pec as f32, ..table.after(pec.min(MOST_PEC), hardness) }
        }
    }

    /// Begins to erase a block.
    #[must_use]
    pub fn begin(&self, block: BlockId, health: &BlockHealth) -> PlaneErase {
        PlaneErase::new(&self.cells, self.seed, WornBlock::of(self.seed, block, health))
    }

    /// The next pulse of a block, applied to its cells; none when it needs no more.
    pub fn next_pulse(&self, erase: &mut PlaneErase) -> Option<PulseOrder> {
        erase.next_pulse(&self.cells, self.scheme, &self.params, self.seed)
    }

    /// As [`EraseDevice::next_pulse`], where no prediction is wrong: what a controller expects.
    pub fn next_pulse_as_predicted(&self, erase: &mut PlaneErase) -> Option<PulseOrder> {
        erase.next_pulse_as_predicted(&self.cells, self.scheme, &self.params, false)
    }

    /// What the erase did to the block.
    #[must_use]
    pub fn outcome(&self, erase: &PlaneErase) -> EraseOutcome {
        erase.outcome(&self.cells, self.scheme, &self.params)
    }
}
