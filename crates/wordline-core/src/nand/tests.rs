//! What reads find in blocks that were programmed fast, in blocks that were read often, and between the steps of a program.

use super::Nand;
use crate::config::{Config, Layer, resolve};
use crate::engine::Ns;
use crate::flash::{BlockMode, ModeId, Speed};
use wordline_cells::erase::EraseOutcome;
use wordline_cells::ids::{BlockId, Ppn};

/// Nanoseconds in a day.
const DAY_NS: Ns = 86_400_000_000_000;

fn device() -> Config {
    let settings = ["cells.chip=tlc-48l", "coding.cell=tlc", "program.policy=ofwar", "reliability.pec=1000"];
    resolve(&settings.map(|s| Layer::assignment(s).unwrap())).unwrap().config
}

#[test]
fn pages_programmed_fast_take_more_retries_until_their_block_is_erased() {
    let config = device();
    let mut nand = Nand::new(&config);
    let pages = nand.geometry.pages_per_block;
    let steps = |nand: &Nand, block: u32, now| -> f32 {
        (0..pages)
            .map(|page| nand.page(Ppn::new(block * pages + page), 0, now).state.optimum_steps)
            .sum::<f32>()
            / pages as f32
    };
    let floor = |nand: &Nand, block: u32| nand.page(Ppn::new(block * pages), 0, 0).state.floor_bits;
    let cut = |nand: &Nand, block| {
        let tables = nand.reads.timing_tables(72.0, 1, 16, pages).unwrap();
        // Old data: young ones leave room for the largest cut at either speed.
        tables.cut(0, 1000, 11.0, nand.added_bits(block), false)
    };
    for page in 0..pages {
        nand.programmed(nand.geometry.address(Ppn::new(page)), (ModeId::NATIVE, Speed::Normal), 0);
    }
    let (normal, plain_cut) = (steps(&nand, 0, 2 * DAY_NS), cut(&nand, BlockId::new(0)));
    let plain_floor = floor(&nand, 0);
    nand.erased(BlockId::new(0), &EraseOutcome { stress: 0.0, ..EraseOutcome::default() });
    for page in 0..pages {
        nand.programmed(nand.geometry.address(Ppn::new(page)), (ModeId::NATIVE, Speed::Fast), 0);
    }
    let fast = steps(&nand, 0, 2 * DAY_NS);
    assert!(normal < 1.0 && fast > normal + 2.0, "{normal} and {fast} steps after two days");
    assert!(floor(&nand, 0) > plain_floor + 5.0 && cut(&nand, BlockId::new(0)) < plain_cut);
    nand.erased(BlockId::new(0), &EraseOutcome { stress: 0.0, ..EraseOutcome::default() });
    nand.programmed(nand.geometry.address(Ppn::new(0)), (ModeId::NATIVE, Speed::Normal), 0);
    assert_eq!(floor(&nand, 0), plain_floor);
}

/// A device whose blocks have been read so often when the run starts.
fn read_before(reads: u32) -> Nand {
    let reads = format!("reliability.block_reads={reads}");
    let settings = [
        "cells.chip=tlc-48l",
        "coding.cell=tlc",
        "reliability.pec=1000",
        "reliability.read_disturb=true",
        &reads,
    ];
    Nand::new(&resolve(&settings.map(|s| Layer::assignment(s).unwrap())).unwrap().config)
}

#[test]
fn pages_of_a_block_that_was_read_often_have_more_errors_until_it_is_erased() {
    let floor = |nand: &Nand, block: u32| {
        f64::from(nand.page(Ppn::new(block * nand.geometry.pages_per_block), 0, 0).state.floor_bits)
    };
    let fresh = floor(&read_before(0), 0);
    let mut last = fresh;
    for millions in [3, 6, 9, 12] {
        let nand = read_before(millions * 1_000_000);
        let bits = floor(&nand, 0);
        assert!(bits > last, "more reads bring more errors");
        let worn = libm::pow(f64::from(nand.health(BlockId::new(0)).stress) / 2000.0, 1.4);
        let expected = f64::from(millions) * 1e6 * 8192.0 * 3.3e-11 * worn;
        assert!((bits - fresh - expected).abs() < 1e-4, "{bits} - {fresh}, not {expected}");
        last = bits;
    }
    let mut nand = read_before(16_777_000);
    let (before, other) = (floor(&nand, 0), floor(&nand, 1));
    Ppn::first(200).for_each(|page| _ = nand.sensed(page));
    assert_eq!(
        (nand.reads_since_erase(BlockId::new(0)), nand.reads_since_erase(BlockId::new(1))),
        (16_777_200, 16_777_000)
    );
    assert!(floor(&nand, 0) > before, "each sense counts");
    assert_eq!(floor(&nand, 1), other, "other blocks are not disturbed");
    (0..200).for_each(|_| _ = nand.sensed(Ppn::new(0)));
    assert_eq!(
        nand.reads_since_erase(BlockId::new(0)),
        (1 << 24) - 1,
        "the count stops at its largest value"
    );
    nand.corrected(Ppn::new(0), 41.7);
    nand.corrected(Ppn::new(1), 12.0);
    assert_eq!(
        (nand.errors_seen(BlockId::new(0)), nand.reads_since_erase(BlockId::new(0))),
        (41, (1 << 24) - 1)
    );
    nand.erased(BlockId::new(0), &EraseOutcome { stress: 0.0, ..EraseOutcome::default() });
    assert_eq!((nand.reads_since_erase(BlockId::new(0)), nand.errors_seen(BlockId::new(0))), (0, 0));
    assert!((floor(&nand, 0) - fresh).abs() < 1e-6);
}

/// A device of three-bit cells that are programmed in two steps; pages of a wordline are (0, 1, 4), (2, 3, 7), (5, 6, 10) ….
fn in_two_steps() -> Nand {
    let settings = [
        "ssd.pages_per_block=24",
        "cells.chip=tlc-48l",
        "coding.cell=tlc",
        "program.policy=two-step",
        "reliability.pec=1000",
    ];
    Nand::new(&resolve(&settings.map(|s| Layer::assignment(s).unwrap())).unwrap().config)
}

fn program(nand: &mut Nand, pages: impl IntoIterator<Item = u32>) {
    for page in pages {
        nand.programmed(nand.geometry.address(Ppn::new(page)), (ModeId::NATIVE, Speed::Normal), 0);
    }
}

#[test]
fn first_pages_of_a_wordline_are_read_from_rough_states_until_the_second_step_is_done() {
    let mut nand = in_two_steps();
    let floors = |nand: &Nand| -> Vec<f32> {
        (0..8).map(|page| nand.page(Ppn::new(page), 0, 0).state.floor_bits).collect()
    };
    let pages = nand.geometry.pages_per_block;
    program(&mut nand, 0..pages);
    let finished = floors(&nand);
    nand.erased(BlockId::new(0), &EraseOutcome { stress: 0.0, ..EraseOutcome::default() });
    for (programmed, rough) in [
        (1, &[0][..]),
        (2, &[0, 1]),
        (3, &[0, 1, 2]),
        (4, &[0, 1, 2, 3]),
        (5, &[2, 3]),
        (6, &[2, 3, 5]),
        (7, &[2, 3, 5, 6]),
        (8, &[5, 6]),
    ] {
        program(&mut nand, [programmed - 1]);
        for (page, (now, finished)) in floors(&nand).into_iter().zip(&finished).enumerate() {
            assert_eq!(
                now > 1.2 * finished,
                rough.contains(&page),
                "page {page} after {programmed} programs"
            );
            assert_eq!(now == *finished, !rough.contains(&page), "page {page} after {programmed} programs");
        }
    }
    program(&mut nand, 8..pages);
    assert_eq!(floors(&nand), finished);
}

#[test]
fn what_a_block_holds_from_before_the_run_is_finished() {
    let mut nand = in_two_steps();
    let is_rough = |nand: &Nand, page: u32| {
        let condition = nand.condition(Ppn::new(page), 0);
        nand.page(Ppn::new(page), 0, 0).state != nand.reads.page(0, 0, page, &condition).state
    };
    // Pages 0 to 4 are from before the run.
    program(&mut nand, [5]);
    assert!((0..5).all(|page| !is_rough(&nand, page)) && is_rough(&nand, 5));
    program(&mut nand, [6, 7, 8]);
    assert!([5, 6, 8].iter().all(|&page| is_rough(&nand, page)) && !is_rough(&nand, 7));
    program(&mut nand, [9, 10]);
    assert!(!is_rough(&nand, 5) && is_rough(&nand, 8));
}

#[test]
fn a_cycle_wears_a_block_as_its_mode_does() {
    let mut config = device();
    config.nand.read_us = vec![50.0; 8];
    let mut nand = Nand::new(&config);
    // A toy: one bit a cell, half the wear, and no errors.
    let native = *nand.timing.modes.native();
    let (sense_by_type, program_by_type, wear) = ([20_000; 4], [200_000; 4], 0.5);
    let toy = nand.timing.modes.add(BlockMode { sense_by_type, program_by_type, wear, ..native });
    assert_eq!(
        (nand.sense(ModeId::NATIVE, Ppn::new(1), 1), nand.sense(toy, Ppn::new(1), 1)),
        (50_000, 20_000)
    );
    assert_eq!(
        (nand.program_ns(ModeId::NATIVE, Ppn::new(1), 1), nand.program_ns(toy, Ppn::new(1), 1)),
        (750_000, 200_000)
    );
    let outcome = EraseOutcome { stress: 1.0, age_pec: 1.0, ..EraseOutcome::default() };
    let mut cycle = |mode| {
        let before = *nand.health(BlockId::new(0));
        nand.programmed(nand.geometry.address(Ppn::new(0)), (mode, Speed::Normal), 0);
        assert_eq!(nand.health(BlockId::new(0)).mode, mode);
        nand.erased(BlockId::new(0), &outcome);
        let after = *nand.health(BlockId::new(0));
        assert!(after.mode.is_native() && after.pec == before.pec + 1);
        (after.stress - before.stress, after.erase_age_pec - before.erase_age_pec)
    };
    assert_eq!(
        (cycle(ModeId::NATIVE), cycle(toy), cycle(ModeId::NATIVE)),
        ((1.0, 1.0), (0.5, 0.5), (1.0, 1.0))
    );
}
