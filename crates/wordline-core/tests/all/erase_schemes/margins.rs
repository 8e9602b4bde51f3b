//! Claims `aero.fig10.*`, `aero.table1` and `aero.overhead`: what ECC can bear, and the table made of it.

use wordline_cells::Chip;
use wordline_cells::erase::BlockFloor;
use wordline_core::nand::erase::{margins, profile};
use wordline_core::policy::erase::ept::{Time, shallow_flags_bytes};

use super::chips::{BLOCKS, Bench, REQUIREMENT_BITS, SEED, SHALLOW_PULSES};

/// AERO, Table 1: t1 / t2 in ms by loop and fail-bit range.
const TABLE_1: [[(f64, f64); 8]; 5] = [
    [(0.5, 0.0), (1.0, 0.0), (1.5, 0.5), (2.0, 1.0), (2.5, 1.5), (2.5, 2.0), (2.5, 2.5), (2.5, 2.5)],
    [(0.5, 0.0), (1.0, 0.0), (1.5, 0.5), (2.0, 1.0), (2.5, 1.5), (3.0, 2.0), (3.5, 2.5), (3.5, 3.0)],
    [(0.5, 0.0), (1.0, 0.0), (1.5, 0.5), (2.0, 1.0), (2.5, 1.5), (3.0, 2.0), (3.5, 2.5), (3.5, 3.0)],
    [(0.5, 0.0), (1.0, 0.5), (1.5, 1.0), (2.0, 1.5), (2.5, 2.0), (3.0, 2.5), (3.5, 3.0), (3.5, 3.5)],
    [(0.5, 0.5), (1.0, 1.0), (1.5, 1.5), (2.0, 2.0), (2.5, 2.5), (3.0, 3.0), (3.5, 3.5), (3.5, 3.5)],
];

#[test]
fn profiling_gives_the_papers_table() {
    let ept = Bench::tlc_48l().ept(REQUIREMENT_BITS);
    let mut differ = Vec::new();
    for (row, cells) in TABLE_1.iter().enumerate() {
        for (range, &(t1, t2)) in cells.iter().enumerate() {
            let ms = |pulses: u8| f64::from(pulses) * 0.5;
            let found = (ms(ept.complete[row][range]), ms(ept.with_margin[row][range]));
            if found != (t1, t2) {
                differ.push((row + 1, range, found));
            }
        }
    }
    assert!(differ.is_empty(), "aero.table1: {} cells: {differ:?}", differ.len());
    assert_eq!((ept.entries(), ept.bytes()), (35, 140), "aero.overhead");
    assert_eq!(shallow_flags_bytes(1_000_000_000_000, 10_000_000), 12_500, "aero.overhead: flags");
}

/// The table does not hang on which blocks and erases were looked at.
#[test]
fn profiling_other_blocks_gives_the_same_table() {
    let bench = Bench::tlc_48l();
    let tlc = Chip::built_in("tlc-48l").expect("a chip of ours").expect("it reads");
    for seed in 1..=3 {
        let floor = BlockFloor::new(&tlc, seed, BLOCKS, 12.0, 85.0).expect("it can be read");
        let m_rber = |block: usize, stress: f64| floor.bits(block, stress);
        let ept = profile(&bench.cells, &m_rber, BLOCKS, seed, SHALLOW_PULSES, REQUIREMENT_BITS);
        assert_eq!(ept, bench.ept(REQUIREMENT_BITS), "seed {seed}");
    }
}

#[test]
fn leaving_the_last_loop_out_is_safe_under_c1_and_c2_only() {
    let bench = Bench::tlc_48l();
    let ept = bench.ept(REQUIREMENT_BITS);
    let cells = margins(&bench.cells, &bench.m_rber(), &ept, BLOCKS, SEED, SHALLOW_PULSES);
    let is_safe = |loops: u8, range: usize| (loops <= 3 && range <= 1) || (loops == 4 && range == 0);
    let wrong: Vec<_> = cells
        .iter()
        .filter(|cell| (cell.incomplete_bits <= REQUIREMENT_BITS) != is_safe(cell.loops, cell.range))
        .collect();
    assert!(wrong.is_empty() && cells.len() >= 36, "aero.fig10.conditions: {wrong:?} of {}", cells.len());
    let most = cells.iter().map(|cell| cell.complete_bits).fold(0.0, f64::max);
    assert!(most <= REQUIREMENT_BITS, "aero.fig10.positive: {most}");
    // Section 7.4: at 40 bits only two loops and gamma are left.
    let bearable: Vec<_> = cells.iter().filter(|cell| cell.incomplete_bits <= 40.0).collect();
    assert!(bearable.iter().all(|cell| (cell.loops, cell.range) == (2, 0)) && bearable.len() == 1);
}

/// Section 5.5, Fig. 11b: what an incomplete erase costs follows the same trend in other chips.
#[test]
fn other_chips_can_bear_about_the_same() {
    for chip in ["tlc-2d", "mlc-48l"] {
        let ept = Bench::of(chip).ept(REQUIREMENT_BITS);
        assert_eq!(ept.left[4], 0, "{chip}");
        assert!(ept.left[..4].iter().all(|&left| left >= 1) && ept.left[0] >= ept.left[3], "{chip}: {ept:?}");
    }
}

#[test]
fn margin_is_largest_in_fresh_blocks_of_one_loop() {
    let bench = Bench::tlc_48l();
    let most = |pec: f64| {
        (0..BLOCKS as usize)
            .map(|block| {
                bench.floor.bits(block, bench.cells.stress.stress(pec, (block as f64 + 0.5) / 120.0))
            })
            .fold(0.0, f64::max)
    };
    let margin = REQUIREMENT_BITS - most(0.0);
    assert!((margin - 47.0).abs() <= 2.0, "aero.fig10.margin: {margin}");
    assert!(most(4500.0) > most(2000.0) && most(2000.0) > most(0.0));
}

#[test]
fn m_rber_rises_with_loops_at_equal_cycles() {
    let cells = Bench::tlc_48l().cells;
    let stress_of = |pec: f64, loops: u8| {
        let hard = (0..400).map(|b| (f64::from(b) + 0.5) / 400.0);
        let of: Vec<f64> = hard
            .map(|h| (cells.stress.stress(pec, h), h))
            .filter(|&(_, h)| cells.loops(cells.required_pulses(pec, h)) == loops)
            .map(|(stress, _)| stress)
            .collect();
        of.iter().sum::<f64>() / of.len() as f64
    };
    assert!(stress_of(2000.0, 2) < stress_of(2000.0, 3) && stress_of(2000.0, 3) < stress_of(2000.0, 4));
}

#[test]
fn a_tighter_requirement_leaves_less() {
    let bench = Bench::tlc_48l();
    let [easy, middle, hard] = [63.0, 50.0, 40.0].map(|bits| bench.ept(bits));
    for row in 0..5 {
        assert!(easy.left[row] >= middle.left[row] && middle.left[row] >= hard.left[row]);
        for range in 0..8 {
            assert!(easy.with_margin[row][range] <= hard.with_margin[row][range]);
            assert_eq!(easy.complete[row][range], hard.complete[row][range]);
        }
    }
    assert!(hard.left.iter().sum::<u8>() <= 1, "{:?}", hard.left);
    assert!(!easy.accepts(5, 400, 100, Time::WithMargin) && easy.accepts(4, 400, 100, Time::WithMargin));
    assert!(!easy.accepts(1, 400, 100, Time::Complete) && easy.accepts(1, 100, 100, Time::Complete));
}
