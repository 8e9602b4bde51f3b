//! Claims `aero.fig7.delta`, `aero.fig8.same` and `aero.mispe`: what verify counts, and what follows from it.

use wordline_core::nand::erase::{Erased, PROFILE_PECS, WornBlock, each_erase};
use wordline_core::nand::{
    BlockId,
    erase::figures::{fail_bits, ranges},
};
use wordline_core::policy::erase::Scheme;

use super::chips::{BLOCKS, Bench, REQUIREMENT_BITS, SEED, SHALLOW_PULSES};

/// Mean drop of the fail bits over the straight part of the erases of one chip, and gamma.
pub fn delta_and_gamma(bench: &Bench) -> (f64, f64) {
    let cells = &bench.cells;
    let (mut drops, mut count, mut gamma) = (0.0, 0.0, 0_u32);
    each_erase(cells, &PROFILE_PECS, BLOCKS, 4, SEED, |_, _, mut erase| {
        let total = f64::from(erase.required_pulses).ceil() as u8;
        let mut before = cells.fail_bits(&erase);
        for pulse in 0..total {
            cells.apply(&mut erase, 1 + pulse / 7, 1, 0.0);
            let now = cells.fail_bits(&erase);
            match total - pulse - 1 {
                1 => gamma = gamma.max(now),
                2..6 => {
                    drops += f64::from(before - now);
                    count += 1.0;
                }
                _ => {}
            }
            before = now;
        }
    });
    (drops / count, f64::from(gamma))
}

/// Section 5.5: other kinds of chips have slightly other values, as consistent.
#[test]
fn other_chips_have_deltas_and_gammas_of_their_own() {
    let (delta, gamma) = delta_and_gamma(&Bench::tlc_48l());
    for chip in ["tlc-2d", "mlc-48l"] {
        let (its_delta, its_gamma) = delta_and_gamma(&Bench::of(chip));
        let off = (its_delta / delta - 1.0).abs();
        assert!(off > 0.0 && off < 0.1 && its_gamma != gamma && its_gamma < its_delta / 5.0, "{chip}");
        let ept = Bench::of(chip).ept(REQUIREMENT_BITS);
        for cell in ranges(&Bench::of(chip).cells, &ept, BLOCKS, SEED, SHALLOW_PULSES) {
            assert!(usize::from(cell.needed_pulses) <= cell.range + 1, "{chip}: {cell:?}");
        }
    }
}

#[test]
fn each_pulse_removes_delta_and_gamma_is_left_for_the_last() {
    let bench = Bench::tlc_48l();
    let (delta, gamma) = delta_and_gamma(&bench);
    assert!((delta - 5000.0).abs() <= 250.0, "aero.fig7.delta: {delta}");
    assert!(gamma < delta / 5.0, "gamma {gamma}");
    // Fig. 7: the same for all loops and times, within a tenth; gamma is the most of each, which few blocks may not reach.
    let points = fail_bits(&bench.cells, BLOCKS, SEED);
    for loops in 1..=5 {
        let (lowest, highest) = points
            .iter()
            .filter(|p| p.loops == loops && p.needed_pulses - p.pulses == 1)
            .fold((u32::MAX, 0), |(low, high), p| (low.min(p.fail_bits), high.max(p.fail_bits)));
        assert!(f64::from(highest) <= gamma && f64::from(lowest) > gamma * 0.7, "{lowest}..{highest}");
        for pair in points.windows(2).filter(|pair| pair[0].loops == loops) {
            let (before, after) = (pair[0], pair[1]);
            if before.needed_pulses == after.needed_pulses && after.needed_pulses - after.pulses >= 2 {
                let drop = f64::from(before.fail_bits - after.fail_bits);
                assert!((drop - delta).abs() <= 0.1 * delta, "{before:?} {after:?}");
            }
        }
    }
    assert!(points.iter().any(|p| p.loops == 5));
}

#[test]
fn fail_bits_predict_what_blocks_need() {
    let bench = Bench::tlc_48l();
    let ept = bench.ept(REQUIREMENT_BITS);
    let cells = ranges(&bench.cells, &ept, BLOCKS, SEED, SHALLOW_PULSES);
    let mut seen = 0;
    for loops in 1..=5 {
        for range in 0..8 {
            let of_range: Vec<_> = cells.iter().filter(|c| c.loops == loops && c.range == range).collect();
            let all: u32 = of_range.iter().map(|cell| cell.erases).sum();
            if all == 0 {
                continue;
            }
            seen += 1;
            let most_common = of_range.iter().map(|cell| cell.erases).max().expect("not empty");
            let same = f64::from(most_common) / f64::from(all);
            assert!(same >= 0.66 - 0.02, "aero.fig8.same: {same} of {loops} loops, range {range}");
            let needed = of_range.iter().map(|cell| cell.needed_pulses).max().expect("not empty");
            assert!(usize::from(needed) <= range + 1, "none needs more than its range's: {needed}");
        }
    }
    assert!(seen >= 36, "{seen} ranges");
}

#[test]
fn m_ispe_recovers_what_every_block_needs() {
    let bench = Bench::tlc_48l();
    let params = bench.params(REQUIREMENT_BITS);
    let (mut wrong, mut all) = (0, 0);
    for pec in PROFILE_PECS {
        for block in 0..500 {
            let hardness = (f64::from(block) + 0.5) / 500.0;
            let state = WornBlock {
                block: BlockId::new(block),
                hardness,
                age_pec: pec,
                pec: pec as u32,
                ..WornBlock::default()
            };
            let erased = Erased::whole(&bench.cells, Scheme::MIspe, &params, SEED, state);
            let needs = bench.cells.begin(pec, hardness, 0.0, 0.0).required_pulses;
            let n = u32::from(erased.pulses);
            let (loops, last_ms) = (n.div_ceil(7), 0.5 * f64::from(1 + (n - 1) % 7));
            let true_loops = (f64::from(needs) / 7.0).ceil();
            let true_ms = (f64::from(needs) - 7.0 * (true_loops - 1.0)).ceil() * 0.5;
            wrong += u32::from(f64::from(loops) != true_loops || last_ms != true_ms);
            all += 1;
        }
    }
    assert_eq!(wrong, 0, "aero.mispe: of {all} blocks");
}
