//! Profiling: the erase-timing parameter table, found by measuring the model as AERO measured its chips.
//!
//! Blocks of all ages up to 4.5K P/E cycles are worn under ISPE and erased in 0.5-ms pulses. From what
//! verify counts on the way come gamma and delta (Section 5.2), from the pulses that were still needed the
//! times t1, and from M_RBER after leaving the last pulses out what ECC can bear, and so t2 (Section 5.4).

use wordline_cells::erase::{BlockErase, EraseCells};
use wordline_cells::variation::{Purpose, unit};

use crate::policy::erase::Ept;
use crate::policy::erase::ept::{LOOPS_MAX, RANGES};

/// Ages of the blocks that are profiled, P/E cycles under ISPE: those that AERO shows (Fig. 4, 9).
pub const PROFILE_PECS: [f64; 9] = [0.0, 500.0, 1000.0, 2000.0, 2500.0, 3000.0, 3500.0, 4000.0, 4500.0];

/// Erases of each block at each age: each has a delta of its own.
const ERASES: u64 = 4;

/// gamma and delta are rounded to this many bitlines, away from any block that would need more.
const ROUNDING: u32 = 50;

/// A cell of AERO's Fig. 10b: blocks that need so many loops, with so many fail bits before the last one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MarginCell {
    /// N_ISPE.
    pub loops: u8,
    /// Fail-bit range: 0 up to gamma, 1 up to delta, n up to n delta.
    pub range: usize,
    /// Erases in the cell.
    pub erases: u32,
    /// Largest M_RBER where the last loop was left out, bits per 1 KiB.
    pub incomplete_bits: f64,
    /// Largest M_RBER after a complete erase, bits per 1 KiB.
    pub complete_bits: f64,
}

/// An erase as far as the loop before the last.
struct Sample {
    loops: u8,
    fail_bits: u32,
    incomplete_bits: f64,
    complete_bits: f64,
}

/// Profiles the table for a chip. `floor` gives M_RBER of a block by its number and stress after a
/// complete erase; `blocks` of them are looked at, of evenly spread hardness.
#[must_use]
pub fn profile(
    cells: &EraseCells,
    floor: &dyn Fn(usize, f64) -> f64,
    blocks: u32,
    seed: u64,
    shallow_pulses: u8,
    requirement_bits: f64,
) -> Ept {
    let mut ept = Ept {
        loops: cells.constants.max_loops.min(LOOPS_MAX as u8),
        lengths: cells.constants.pulses_per_loop,
        ..Ept::default()
    };
    (ept.gamma, ept.delta) = fail_bit_steps(cells, blocks, seed);
    let needed = pulses_by_range(cells, &ept, blocks, seed, shallow_pulses);
    let found = margins(cells, floor, &ept, blocks, seed, shallow_pulses);
    for row in 0..usize::from(ept.loops) {
        let mut of_row = found.iter().filter(|cell| usize::from(cell.loops) == row + 1);
        let first_too_much = of_row.clone().find(|cell| cell.incomplete_bits > requirement_bits);
        // Up to the last range that ECC can bear, before the first that it cannot. A range below it that
        // no block was seen in has fewer fail bits, and leaves fewer errors.
        let bearable = of_row.rfind(|cell| first_too_much.is_none_or(|first| cell.range < first.range));
        ept.left[row] = bearable.map_or(0, |cell| cell.range as u8 + 1);
        let cap = cells.constants.pulses_per_loop - if row == 0 { shallow_pulses } else { 0 };
        ept.complete[row] = needed.map(|pulses| pulses.min(cap));
        ept.with_margin[row] = needed.map(|pulses| pulses.saturating_sub(ept.left[row]).min(cap));
    }
    ept
}

/// Largest M_RBER by loops and fail-bit range, where the last loop is left out and where it is not (AERO,
/// Fig. 10 and 11). Cells that no block is in are left out.
#[must_use]
pub fn margins(
    cells: &EraseCells,
    floor: &dyn Fn(usize, f64) -> f64,
    ept: &Ept,
    blocks: u32,
    seed: u64,
    shallow_pulses: u8,
) -> Vec<MarginCell> {
    let mut found: Vec<MarginCell> = Vec::new();
    let mut add = |sample: &Sample| {
        let range = ept.range(sample.fail_bits);
        let at = found.iter().position(|cell| cell.loops == sample.loops && cell.range == range);
        let cell = match at {
            Some(at) => &mut found[at],
            None => {
                found.push(MarginCell {
                    loops: sample.loops,
                    range,
                    erases: 0,
                    incomplete_bits: 0.0,
                    complete_bits: 0.0,
                });
                found.last_mut().expect("just pushed")
            }
        };
        cell.erases += 1;
        cell.incomplete_bits = cell.incomplete_bits.max(sample.incomplete_bits);
        cell.complete_bits = cell.complete_bits.max(sample.complete_bits);
    };
    each_erase(cells, &PROFILE_PECS, blocks, ERASES, seed, |block, stress, start| {
        let mut erase = start;
        let loops = cells.loops(f64::from(erase.required_pulses));
        if loops == 1 {
            cells.apply(&mut erase, 1, shallow_pulses, 0.0);
        }
        for level in 1..loops {
            cells.apply(&mut erase, level, cells.constants.pulses_per_loop, 0.0);
        }
        let fail_bits = cells.fail_bits(&erase);
        if fail_bits > cells.fail_bits.pass() {
            let complete_bits = floor(block, stress);
            let incomplete_bits =
                complete_bits + cells.residual.errors(fail_bits, loops, f64::from(erase.required_pulses));
            add(&Sample { loops, fail_bits, incomplete_bits, complete_bits });
        }
    });
    found.sort_by_key(|cell| (cell.loops, cell.range));
    found
}

/// gamma: the most that is ever counted with one pulse to go. delta: the least that a pulse removes.
fn fail_bit_steps(cells: &EraseCells, blocks: u32, seed: u64) -> (u32, u32) {
    let (mut gamma, mut delta) = (0, u32::MAX);
    each_erase(cells, &PROFILE_PECS, blocks, ERASES, seed, |_, _, start| {
        let mut erase = start;
        let mut before = None;
        let total = libm::ceil(f64::from(erase.required_pulses)) as u8;
        for pulse in 0..total {
            cells.apply(&mut erase, 1 + pulse / cells.constants.pulses_per_loop, 1, 0.0);
            let (to_go, count) = (total - pulse - 1, cells.fail_bits(&erase));
            if to_go == 1 {
                gamma = gamma.max(count);
            }
            // From well before the end to two pulses before it: the straight part of Fig. 7.
            if let Some(before) = before
                && (3..6).contains(&to_go)
            {
                delta = delta.min(before - count);
            }
            before = Some(count);
        }
    });
    (gamma.div_ceil(ROUNDING) * ROUNDING, delta / ROUNDING * ROUNDING)
}

/// Most pulses that any block of a fail-bit range still needed, at the end of shallow erasure or of a loop.
fn pulses_by_range(
    cells: &EraseCells,
    ept: &Ept,
    blocks: u32,
    seed: u64,
    shallow_pulses: u8,
) -> [u8; RANGES] {
    let mut needed = [0; RANGES];
    each_erase(cells, &PROFILE_PECS, blocks, ERASES, seed, |_, _, start| {
        let mut erase = start;
        cells.apply(&mut erase, 1, shallow_pulses, 0.0);
        let mut rest = cells.constants.pulses_per_loop - shallow_pulses;
        for level in 1..=cells.constants.max_loops {
            let fail_bits = cells.fail_bits(&erase);
            // The last range is open upwards; what is beyond 7 delta is not a matter of prediction.
            if fail_bits > cells.fail_bits.pass() && fail_bits <= ept.high() {
                let to_go = libm::ceil(f64::from(erase.required_pulses - erase.done_pulses) - 1e-6) as u8;
                let most = &mut needed[ept.range(fail_bits)];
                *most = to_go.max(*most);
            }
            cells.apply(&mut erase, level, rest, 0.0);
            rest = cells.constants.pulses_per_loop;
        }
    });
    // A range that no block was seen in needs what the straight line says.
    for range in 1..RANGES {
        if needed[range] == 0 {
            needed[range] = needed[range - 1] + 1;
        }
    }
    needed
}

/// Erases of `blocks` blocks of evenly spread hardness, at each of some ages under ISPE: gives the block's
/// number, its stress, and the erase as it begins.
pub fn each_erase(
    cells: &EraseCells,
    pecs: &[f64],
    blocks: u32,
    erases: u64,
    seed: u64,
    mut with: impl FnMut(usize, f64, BlockErase),
) {
    for &pec in pecs {
        for block in 0..blocks {
            let hardness = (f64::from(block) + 0.5) / f64::from(blocks);
            let stress = cells.stress.stress(pec, hardness);
            for erase in 0..erases {
                let place = u64::from(block) << 32 | (pec as u64) << 8 | erase;
                let draw = unit(seed, place, Purpose::EraseFailBits);
                with(block as usize, stress, cells.begin(pec, hardness, draw, 0.0));
            }
        }
    }
}
