//! Data behind AERO's Fig. 4, 7, 8, 9 and 13 (Fig. 10 and 11: [`margins`](wordline_cells::erase::margins)).

use super::{BlockSet, Erased, Lifetime, PROFILE_PECS, each_erase, lifetime};
use crate::policy::erase::{Ept, Scheme, SchemeParams};
use wordline_cells::erase::{BlockErase, EraseCells};

/// Erases of each block at each age.
const ERASES: u64 = 4;

/// Fig. 4: the least latency that erases each block, at one P/E count.
#[derive(Clone, Debug, PartialEq)]
pub struct LatencyCurve {
    /// P/E cycles under ISPE.
    pub pec: f64,
    /// By block, rising: pulse time at a granularity of one short pulse, ms.
    pub latency_ms: Vec<f64>,
    /// By block, in the same order: loops of ISPE.
    pub loops: Vec<u8>,
}

/// Least erase latencies of `blocks` blocks of evenly spread hardness.
#[must_use]
pub fn latencies(cells: &EraseCells, pecs: &[f64], blocks: u32) -> Vec<LatencyCurve> {
    let of_pec = |&pec: &f64| {
        let pulses = |block| {
            let hardness = (f64::from(block) + 0.5) / f64::from(blocks);
            cells.required_pulses(pec, hardness)
        };
        let mut pulses: Vec<f64> = (0..blocks).map(pulses).collect();
        pulses.sort_by(f64::total_cmp);
        LatencyCurve {
            pec,
            latency_ms: pulses.iter().map(|&n| libm::ceil(n - 1e-6) * cells.constants.pulse_ms).collect(),
            loops: pulses.iter().map(|&n| cells.loops(n)).collect(),
        }
    };
    pecs.iter().map(of_pec).collect()
}

/// Fig. 7: fail bits in the last loop, of blocks that need the same time in it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FailBitPoint {
    /// N_ISPE.
    pub loops: u8,
    /// mtEP of the last loop, in short pulses.
    pub needed_pulses: u8,
    /// Short pulses of the last loop so far, from 1; before `needed_pulses`, which leave none.
    pub pulses: u8,
    /// Most fail bits that verify counted.
    pub fail_bits: u32,
    /// Their mean.
    pub mean: f64,
    /// Erases.
    pub erases: u32,
}

/// Fail bits after each short pulse of the last loop.
#[must_use]
pub fn fail_bits(cells: &EraseCells, blocks: u32, seed: u64) -> Vec<FailBitPoint> {
    let mut points: Vec<FailBitPoint> = Vec::new();
    each_erase(cells, &PROFILE_PECS, blocks, ERASES, seed, |_, _, mut erase| {
        let loops = before_last_loop(cells, &mut erase, 0);
        let needed_pulses = to_go(&erase);
        for pulses in 1..needed_pulses {
            cells.apply(&mut erase, loops, 1, 0.0);
            let count = cells.fail_bits(&erase);
            let same = |point: &&FailBitPoint| {
                (point.loops, point.needed_pulses, point.pulses) == (loops, needed_pulses, pulses)
            };
            let at = match points.iter().position(|point| same(&point)) {
                Some(at) => at,
                None => {
                    let (fail_bits, mean, erases) = (0, 0.0, 0);
                    points.push(FailBitPoint { loops, needed_pulses, pulses, fail_bits, mean, erases });
                    points.len() - 1
                }
            };
            let point = &mut points[at];
            point.fail_bits = point.fail_bits.max(count);
            point.erases += 1;
            point.mean += (f64::from(count) - point.mean) / f64::from(point.erases);
        }
    });
    points.sort_by_key(|point| (point.loops, point.needed_pulses, point.pulses));
    points
}

/// Fig. 8: how often blocks of a fail-bit range need a time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RangeCell {
    /// N_ISPE.
    pub loops: u8,
    /// Fail-bit range before the last loop: 0 up to gamma, n up to n delta.
    pub range: usize,
    /// mtEP of the last loop, in short pulses.
    pub needed_pulses: u8,
    /// Erases in the cell.
    pub erases: u32,
}

/// What blocks need in their last loop, by the fail bits before it. With one loop only: after a shallow
/// erasure of `shallow_pulses`.
#[must_use]
pub fn ranges(cells: &EraseCells, ept: &Ept, blocks: u32, seed: u64, shallow_pulses: u8) -> Vec<RangeCell> {
    let mut found: Vec<RangeCell> = Vec::new();
    each_erase(cells, &PROFILE_PECS, blocks, ERASES, seed, |_, _, mut erase| {
        let loops = before_last_loop(cells, &mut erase, shallow_pulses);
        let (range, needed_pulses) = (ept.range(cells.fail_bits(&erase)), to_go(&erase));
        let same = |cell: &&mut RangeCell| {
            (cell.loops, cell.range, cell.needed_pulses) == (loops, range, needed_pulses)
        };
        match found.iter_mut().find(same) {
            Some(cell) => cell.erases += 1,
            None => found.push(RangeCell { loops, range, needed_pulses, erases: 1 }),
        }
    });
    found.sort_by_key(|cell| (cell.loops, cell.range, cell.needed_pulses));
    found
}

/// Fig. 9: what shallow erasure finds, and what it gains.
#[derive(Clone, Debug, PartialEq)]
pub struct ShallowResult {
    /// P/E cycles under ISPE.
    pub pec: f64,
    /// tSE, ms.
    pub shallow_ms: f64,
    /// Share of the blocks by fail-bit range after it; the last has all beyond.
    pub range_shares: Vec<f64>,
    /// Share of all blocks that are erased in less than tEP.
    pub reduced_share: f64,
    /// Mean pulse time of the blocks that need one loop, ms.
    pub mean_ms: f64,
    /// Shares of all blocks by pulse time, in short pulses up to tEP; index 0 is one pulse.
    pub latency_shares: Vec<f64>,
}

/// Shallow erasure with `shallow_pulses`, then the remainder that the complete times of `ept` give.
#[must_use]
pub fn shallow(
    cells: &EraseCells,
    ept: &Ept,
    pec: f64,
    blocks: u32,
    seed: u64,
    shallow_pulses: u8,
) -> ShallowResult {
    let full = usize::from(cells.constants.pulses_per_loop);
    let mut range_shares = vec![0.0; crate::policy::erase::ept::RANGES];
    let mut latency_shares = vec![0.0; full];
    let (mut one_loop, mut time, mut all) = (0.0, 0.0, 0.0);
    each_erase(cells, &[pec], blocks, ERASES, seed, |_, _, mut erase| {
        cells.apply(&mut erase, 1, shallow_pulses, 0.0);
        let count = cells.fail_bits(&erase);
        let range = ept.range(count);
        let rest = if count <= cells.fail_bits.pass() { 0 } else { range + 1 };
        let pulses = (usize::from(shallow_pulses) + rest).min(full);
        range_shares[range] += 1.0;
        latency_shares[pulses - 1] += 1.0;
        all += 1.0;
        if cells.loops(f64::from(erase.required_pulses)) == 1 {
            one_loop += 1.0;
            time += pulses as f64 * cells.constants.pulse_ms;
        }
    });
    range_shares.iter_mut().for_each(|share| *share /= all);
    latency_shares.iter_mut().for_each(|share| *share /= all);
    ShallowResult {
        pec,
        shallow_ms: f64::from(shallow_pulses) * cells.constants.pulse_ms,
        reduced_share: 1.0 - latency_shares[full - 1],
        range_shares,
        latency_shares,
        mean_ms: time / one_loop,
    }
}

/// Erases of a set of blocks at one P/E count, under the wear of the scheme that erases them.
#[derive(Clone, Debug, PartialEq)]
pub struct SchemeErases {
    /// The scheme.
    pub scheme: Scheme,
    /// P/E cycles.
    pub pec: u32,
    /// By block.
    pub erases: Vec<Erased>,
}

/// Erase latencies that a scheme has after it has itself worn the blocks; `pecs` must rise.
#[must_use]
pub fn scheme_erases(
    cells: &EraseCells,
    scheme: Scheme,
    params: &SchemeParams,
    pecs: &[u32],
    blocks: u32,
    seed: u64,
) -> Vec<SchemeErases> {
    let mut set = BlockSet::new(cells, scheme, params, blocks, seed);
    let mut age = 0;
    let mut found = Vec::new();
    for &pec in pecs {
        while age < pec {
            let cycles = (pec - age).min(BlockSet::STEP_PEC);
            let erases = set.erases();
            set.wear(&erases, cycles);
            age += cycles;
        }
        found.push(SchemeErases { scheme, pec, erases: set.erases() });
    }
    found
}

/// The schemes that AERO's evaluation compares (Section 7.1).
const COMPARED: [Scheme; 5] = [Scheme::Ispe, Scheme::IIspe, Scheme::Dpes, Scheme::AeroCons, Scheme::Aero];

/// Fig. 13: M_RBER over life under each of the five schemes that the paper compares.
#[must_use]
pub fn lifetimes(
    cells: &EraseCells,
    params: &SchemeParams,
    floor: &dyn Fn(usize, f64) -> f64,
    requirement_bits: f64,
    blocks: u32,
    seed: u64,
) -> Vec<(Scheme, Lifetime)> {
    let of = |scheme| {
        let set = BlockSet::new(cells, scheme, params, blocks, seed);
        (scheme, lifetime(set, floor, requirement_bits))
    };
    COMPARED.into_iter().map(of).collect()
}

/// Brings an erase under ISPE to where its last loop begins; a block of one loop gets `shallow_pulses`.
fn before_last_loop(cells: &EraseCells, erase: &mut BlockErase, shallow_pulses: u8) -> u8 {
    let loops = cells.loops(f64::from(erase.required_pulses));
    if loops == 1 && shallow_pulses > 0 {
        cells.apply(erase, 1, shallow_pulses, 0.0);
    }
    for level in 1..loops {
        cells.apply(erase, level, cells.constants.pulses_per_loop, 0.0);
    }
    loops
}

fn to_go(erase: &BlockErase) -> u8 {
    libm::ceil(f64::from(erase.required_pulses - erase.done_pulses) - 1e-6) as u8
}
