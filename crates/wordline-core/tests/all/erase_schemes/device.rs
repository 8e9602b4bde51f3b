//! A chip and a scheme made ready for an SSD, and rounds of multi-plane erases.

use wordline_cells::Chip;
use wordline_cells::erase::EraseCells;
use wordline_core::flash::Phase;
use wordline_core::nand::erase::{EraseDevice, EraseOptions, Erased, WornBlock};
use wordline_core::nand::{BlockHealth, BlockId};
use wordline_core::policy::erase::{RoundTimes, Scheme, round};

use super::chips::SEED;

fn device(chip: &str, options: &EraseOptions) -> Result<EraseDevice, String> {
    let chip = Chip::built_in(chip).unwrap().unwrap();
    let cells = EraseCells::new(chip.erase.as_ref().unwrap())?;
    EraseDevice::new(&chip, cells.into(), options, SEED)
}

const TIMES: RoundTimes = RoundTimes { pulse: 500_000, verify: 100_000, feature: 1_000 };

#[test]
fn a_round_takes_the_time_of_the_slowest_block_and_stresses_each_by_its_own() {
    let ispe = device("tlc-48l", &EraseOptions::new(Scheme::Ispe)).unwrap();
    let health =
        |pec| BlockHealth { pec, stress: pec as f32, erase_age_pec: pec as f32, ..BlockHealth::default() };
    let blocks = [(1, health(0)), (2, health(5000))];
    let mut planes = blocks.map(|(block, health)| ispe.begin(BlockId::new(block), &health));
    let mut rounds = 0;
    let mut time = 0;
    loop {
        let orders: Vec<_> = planes.iter_mut().filter_map(|plane| ispe.next_pulse(plane)).collect();
        let mut phases = round(orders.iter().copied(), TIMES);
        if phases.is_empty() {
            break;
        }
        rounds += 1;
        assert_eq!(orders.len(), if rounds == 1 { 2 } else { 1 }, "a block that is done gets no pulse");
        while let Some(phase) = phases.next_phase() {
            time += phase.ns();
        }
    }
    for (plane, (block, health)) in planes.iter().zip(blocks) {
        let state = WornBlock::of(SEED, BlockId::new(block), &health);
        let alone = Erased::whole(&ispe.cells, Scheme::Ispe, &ispe.params, SEED, state);
        assert_eq!(f64::from(ispe.outcome(plane).stress), alone.stress, "as if it were alone");
        assert_eq!(plane.progress.verifies, alone.verifies);
    }
    assert!(rounds >= 3 && planes[0].progress.verifies == 1);
    assert_eq!(time, 3_600_000 * u64::from(planes[1].progress.verifies), "aero.erase.formula");
}

#[test]
fn feature_commands_take_time_where_they_have_any() {
    let aero = device("tlc-48l", &EraseOptions::new(Scheme::Aero)).unwrap();
    let mut plane = aero.begin(BlockId::new(7), &BlockHealth::default());
    let order = aero.next_pulse(&mut plane).unwrap();
    let mut phases = round([order].into_iter(), TIMES);
    let expected =
        [Phase::SetFeature(1_000), Phase::Pulse(1_000_000), Phase::Verify(100_000), Phase::SetFeature(1_000)];
    for phase in expected {
        assert_eq!(phases.next_phase(), Some(phase));
    }
    let mut free = round([order].into_iter(), RoundTimes { feature: 0, ..TIMES });
    assert_eq!(free.next_phase(), Some(Phase::Pulse(1_000_000)));
}

#[test]
fn blocks_start_with_the_wear_that_their_scheme_or_ispe_caused() {
    let aero = device("tlc-48l", &EraseOptions::new(Scheme::Aero)).unwrap();
    let mean = |of: &dyn Fn(u32) -> f32| (0..2000).map(of).sum::<f32>() / 2000.0;
    let (by_scheme, by_ispe) = (aero.worn_by_scheme(2500), aero.worn_by_ispe(2500));
    let own = mean(&|block| by_scheme(BlockId::new(block)).stress);
    let same = mean(&|block| by_ispe(BlockId::new(block)).stress);
    assert!((same - 2500.0).abs() < 40.0, "{same}");
    assert!(own < 0.75 * same, "AERO's blocks have seen less: {own}");
    assert_eq!(aero.worn_by_scheme(0)(BlockId::new(3)).stress, 0.0);
    let old = aero.worn_by_scheme(4500);
    let skipping = BlockId::first(2000).filter(|&block| old(block).note == 1).count();
    assert!(skipping > 1900, "old blocks no longer begin with shallow erasure: {skipping}");
}

/// Blocks that ISPE has worn need less than those that i-ISPE has worn, and their notes say so.
#[test]
fn notes_go_with_the_wear() {
    let device = device("tlc-48l", &EraseOptions::new(Scheme::IIspe)).unwrap();
    let mean = |of: &dyn Fn(u32) -> u8| (0..500).map(|block| f64::from(of(block))).sum::<f64>() / 500.0;
    let (by_scheme, by_ispe) = (device.worn_by_scheme(2500), device.worn_by_ispe(2500));
    let own = mean(&|block| by_scheme(BlockId::new(block)).note);
    let same = mean(&|block| by_ispe(BlockId::new(block)).note);
    assert!((2.0..own).contains(&same), "{same} of {own}");
}

#[test]
fn options_that_do_not_fit_are_refused_with_the_fix() {
    let with = |shallow_us| {
        let mut options = EraseOptions::new(Scheme::Aero);
        options.keys.aero.shallow_us = shallow_us;
        options
    };
    for shallow_us in [0.0, 700.0, 3500.0, 4000.0] {
        let error = device("tlc-48l", &with(shallow_us)).unwrap_err();
        assert!(error.contains("erase.shallow_us") && error.contains("3000"), "{error}");
    }
    assert!(device("tlc-48l", &with(3000.0)).is_ok());
    let blind = Chip { read: None, ..Chip::built_in("tlc-48l").unwrap().unwrap() };
    let cells = || EraseCells::new(blind.erase.as_ref().unwrap()).unwrap();
    let error = EraseDevice::new(&blind, cells().into(), &EraseOptions::new(Scheme::Aero), SEED).unwrap_err();
    assert!(error.contains("[read]") && error.contains("erase.scheme"), "{error}");
    assert!(EraseDevice::new(&blind, cells().into(), &EraseOptions::new(Scheme::Ispe), SEED).is_ok());
}
