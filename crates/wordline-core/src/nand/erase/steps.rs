//! Single erases, step by step: the data of a drawing of an erase, what m-ISPE finds (AERO, Section 5.1), and
//! what splitting ISPE's pulses costs.

use super::{BlockSet, Erased, PlaneErase, WearTable, WornBlock};
use crate::policy::erase::{PulseKind, Scheme, SchemeParams};
use wordline_cells::erase::{BlockFloor, EraseCells};
use wordline_cells::ids::BlockId;

/// A pulse and the verify after it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EraseStep {
    /// Loop whose voltage was applied, from 1.
    pub level: u8,
    /// What the pulse was for.
    pub stage: PulseKind,
    /// Length, in short pulses.
    pub short_pulses: u8,
    /// Erase voltage, V.
    pub voltage_v: f64,
    /// Feature commands before and after the pulse.
    pub features: u8,
    /// What verify counted after it.
    pub fail_bits: u32,
}

/// One erase of a block from beginning to end.
#[must_use]
pub fn steps(
    cells: &EraseCells,
    scheme: Scheme,
    params: &SchemeParams,
    seed: u64,
    block: WornBlock,
) -> (Vec<EraseStep>, Erased) {
    let mut erase = PlaneErase::new(cells, seed, block);
    let mut steps = Vec::new();
    while let Some(order) = erase.next_pulse(cells, scheme, params, seed) {
        steps.push(EraseStep {
            level: order.level,
            stage: erase.progress.stage,
            short_pulses: order.short_pulses,
            voltage_v: cells.pulse.voltage_v(order.level, order.voltage_cut),
            features: order.features,
            fail_bits: cells.fail_bits(&erase.cells),
        });
    }
    (steps, Erased::whole(cells, scheme, params, seed, block))
}

/// A block of some hardness after `pec` cycles: under the scheme itself, or (`by_ispe`) under plain ISPE.
#[must_use]
pub fn worn_block(
    cells: &EraseCells,
    scheme: Scheme,
    params: &SchemeParams,
    seed: u64,
    pec: u32,
    hardness: f64,
    by_ispe: bool,
) -> WornBlock {
    let own = WearTable::new(cells, scheme, params, pec.max(BlockSet::STEP_PEC), seed).after(pec, hardness);
    let stress = if by_ispe { cells.stress.stress(f64::from(pec), hardness) } else { f64::from(own.stress) };
    let age_pec = if by_ispe { f64::from(pec) } else { f64::from(own.age_pec) };
    let undone_pulses = if by_ispe { 0.0 } else { f64::from(own.undone_pulses) };
    WornBlock { block: BlockId::new(0), hardness, pec, stress, age_pec, undone_pulses, note: own.note }
}

/// An erase of a block that ISPE has worn, beside what the block needs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NeedAndErase {
    /// P/E cycles.
    pub pec: u32,
    /// The block.
    pub block: u32,
    /// Short pulses that the block needs at ISPE's voltages.
    pub needed_pulses: f64,
    /// Its erase.
    pub erased: Erased,
}

/// Erases of blocks of evenly spread hardness that plain ISPE has worn, under any scheme.
#[must_use]
pub fn erases_after_ispe(
    cells: &EraseCells,
    scheme: Scheme,
    params: &SchemeParams,
    pecs: &[u32],
    blocks: u32,
    seed: u64,
) -> Vec<NeedAndErase> {
    let one = |pec: u32, block: u32| {
        let hardness = (f64::from(block) + 0.5) / f64::from(blocks);
        let age_pec = f64::from(pec);
        let stress = cells.stress.stress(age_pec, hardness);
        let state = WornBlock {
            block: BlockId::new(block),
            hardness,
            pec,
            stress,
            age_pec,
            undone_pulses: 0.0,
            note: 0,
        };
        NeedAndErase {
            pec,
            block,
            needed_pulses: cells.required_pulses(age_pec, hardness),
            erased: Erased::whole(cells, scheme, params, seed, state),
        }
    };
    pecs.iter().flat_map(|&pec| (0..blocks).map(move |block| (pec, block))).map(|(p, b)| one(p, b)).collect()
}

/// Mean M_RBER after `pec` cycles of ISPE's loops, each applied in pieces of `short_pulses`, bits per 1 KiB.
/// With 1 that is m-ISPE without stopping early: what its ramps cost (AERO, Section 5.1).
#[must_use]
pub fn m_rber_in_pieces(
    cells: &EraseCells,
    floor: &BlockFloor,
    blocks: u32,
    pec: u32,
    short_pulses: u8,
) -> f64 {
    let pieces = cells.constants.pulses_per_loop.div_ceil(short_pulses.max(1));
    let bits = |block: u32| {
        let hardness = (f64::from(block) + 0.5) / f64::from(blocks);
        let (mut stress, mut age_pec) = (0.0, 0.0);
        for _ in 0..pec / BlockSet::STEP_PEC {
            let mut erase = cells.begin(age_pec, hardness, 0.5, 0.0);
            for level in 1..=cells.loops(f64::from(erase.required_pulses)) {
                for _ in 0..pieces {
                    cells.apply(&mut erase, level, short_pulses, 0.0);
                }
            }
            let outcome = cells.finish(&erase, 0);
            stress += f64::from(BlockSet::STEP_PEC) * f64::from(outcome.stress);
            age_pec += f64::from(BlockSet::STEP_PEC) * f64::from(outcome.age_pec);
        }
        floor.bits(block as usize, stress)
    };
    (0..blocks).map(bits).sum::<f64>() / f64::from(blocks)
}
